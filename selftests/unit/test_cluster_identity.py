"""What tells a cluster from others, for runs that are compared with earlier ones."""

from __future__ import annotations

import platform

import pytest

from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.description import describe_cluster
from acceptance.cluster.resources import NAMESPACES
from acceptance.measuring.host_preflight import describe_host
from selftests.unit.simulated_api import SimulatedApi


class Api(SimulatedApi):
    """With a version, as a description tells it."""

    def version(self) -> str:
        return "v1.34.4"


def api(*, uid: str | None) -> Api:
    made = Api({})
    if uid is not None:
        made.create(NAMESPACES, {"metadata": {"name": "kube-system", "uid": uid}})
    return made


@pytest.mark.parametrize("kind", ["kubeconfig", "in-cluster"])
def test_a_cluster_is_told_by_its_oldest_namespace_however_it_is_reached(kind: str) -> None:
    assert describe_cluster(api(uid="0d1e"), kind=kind, image="i").identity == "0d1e"  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["embedded", "kind", "k3d", "minikube"])
def test_one_that_is_made_anew_for_each_run_is_told_by_its_host(kind: str) -> None:
    found = describe_cluster(api(uid="other each time"), kind=kind, image="i")  # type: ignore[arg-type]
    assert found.identity == f"{kind} on {platform.node()}"


def test_a_cluster_that_does_not_tell_is_no_other_cluster() -> None:
    with pytest.raises(ApiError):
        describe_cluster(api(uid=None), kind="kubeconfig", image="i")  # type: ignore[arg-type]


def test_a_host_is_told_by_its_name() -> None:
    assert describe_host([]).identity == f"host {platform.node()}"

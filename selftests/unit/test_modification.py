"""Attributes of volumes: what the trial takes for changed, for never changed, for refused and for what there is not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.claims import Claim
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.resources import ATTRIBUTES_CLASSES, CLAIMS, PODS, VOLUMES, Object, Resource
from acceptance.text.errors import StorageFailure, Unsupported
from acceptance.trials.features import modification
from acceptance.trials.features.bench import Bench
from selftests.unit.simulated_api import SimulatedApi

CLAIM = Claim(name="modified", namespace="run", storage_class="fast", size=1, run_id="r")
PLAN = PodPlan(name="pod", claims=(CLAIM,), image="fio:1", command=["true"], deadline_s=1)
RUNS = {"phase": "Running", "containerStatuses": [{"name": "load", "state": {"running": {}}}]}
ENDED = {"phase": "Failed", "containerStatuses": [{"name": "load", "state": {"terminated": {"exitCode": 1}}}]}


class Cluster(SimulatedApi):
    """One in which a resizer answers at once for classes that are not `never`; `lags`: the PV is told nothing."""

    def __init__(self, classes: dict[str, str], *, never: str = "", cannot: str = "", lags: bool = False) -> None:
        super().__init__({})
        self._never, self._cannot, self._lags = never, cannot, lags
        for name, driver in classes.items():
            self.create(ATTRIBUTES_CLASSES, {"metadata": {"name": name}, "driverName": driver})
        self.create(CLAIMS, {"metadata": {"name": "modified"}, "spec": {}, "status": {"phase": "Bound"}})
        self.create(VOLUMES, {"metadata": {"name": "pv"}, "spec": {}})
        self.create(PODS, {"metadata": {"name": "pod"}, "spec": {}, "status": RUNS})

    def list(self, resource: Resource, *, fields: str = "", **more: Any) -> list[Object]:  # type: ignore[override]
        return super().list(resource, **more)

    def patch(self, resource: Resource, name: str, body: Object, *, namespace: str | None = None) -> Object:
        done = super().patch(resource, name, body)
        if resource is not CLAIMS:
            return done
        wanted = (body.get("spec") or {}).get("volumeAttributesClassName")
        if wanted == self._never:
            status: Object = {"modifyVolumeStatus": {"status": "InProgress", "targetVolumeAttributesClassName": wanted}}
        elif wanted == self._cannot:
            status = {
                "modifyVolumeStatus": {"status": "Infeasible", "targetVolumeAttributesClassName": wanted},
                "conditions": [{"type": "ModifyVolumeError", "message": "no such iops"}],
            }
        else:
            status = {"currentVolumeAttributesClassName": wanted, "modifyVolumeStatus": None, "conditions": None}
            if not self._lags:
                super().patch(VOLUMES, "pv", {"spec": {"volumeAttributesClassName": wanted}})
        super().patch(CLAIMS, f"{name}/status", {"status": status})
        return done


@dataclass
class PlayedBench:
    """A bench whose pod has done three more rounds each time that it is asked; `ends`: its pod fails then."""

    api: Cluster
    ends: bool = False
    timeout_s: float = 0.5
    asked: int = 0

    def __post_init__(self) -> None:
        self.storage_class = SimpleNamespace(name="fast", provisioner="a.driver")
        self.missing = Unsupported

    def claim(self, part: str) -> Claim:
        return replace(CLAIM, name=part)

    def start(self, *_: object) -> PodPlan:
        return PLAN

    def volume_of(self, claim: Claim) -> str:
        return "pv"

    def output_of(self, plan: PodPlan) -> str:
        self.asked += 1
        if self.ends:
            self.api.patch(PODS, "pod/status", {"status": ENDED})
            return "round 1\nread 1 after writing 2\n"
        return "".join(f"round {number}\n" for number in range(3 * self.asked))


def tried(api: Cluster, **more: Any) -> str:
    return modification.try_modification(cast(Bench, PlayedBench(api=api, **more)))


def changes(api: Cluster) -> list[str]:
    return [each.split("'")[-2] for each in api.changed if each.startswith("persistentvolumeclaims")]


def test_a_volume_gets_two_classes_in_turn() -> None:
    api = Cluster({"gold": "a.driver", "silver": "a.driver", "bronze": "a.driver", "alien": "another.driver"})
    assert "bronze, then gold while a pod kept writing and reading" in tried(api)
    assert changes(api) == ["bronze", "gold"]


def test_one_that_the_driver_refuses_is_passed_over() -> None:
    api = Cluster({"gold": "a.driver", "silver": "a.driver"}, cannot="gold")
    assert "got VolumeAttributesClass silver while a pod" in tried(api)


def test_where_all_are_refused_the_drivers_words_are_told() -> None:
    with pytest.raises(Unsupported, match=r"rejects .*: gold: current class none, change Infeasible; no such iops"):
        tried(Cluster({"gold": "a.driver"}, cannot="gold"))


@pytest.mark.parametrize(("never", "has"), [("gold", "none"), ("silver", "gold")])
def test_a_change_that_is_never_done_fails(never: str, has: str) -> None:
    said = f"to have VolumeAttributesClass {never}; last state: current class {has}, change InProgress"
    with pytest.raises(StorageFailure, match=said):
        tried(Cluster({"gold": "a.driver", "silver": "a.driver"}, never=never))


def test_a_pod_that_fails_then_is_told_in_its_words() -> None:
    with pytest.raises(StorageFailure, match=r"failed when the volume was modified: .*read 1 after writing 2"):
        tried(Cluster({"gold": "a.driver"}), ends=True)


def test_a_volume_that_is_not_told_fails() -> None:
    with pytest.raises(StorageFailure, match="reports VolumeAttributesClass gold, but its PV reports none"):
        tried(Cluster({"gold": "a.driver"}, lags=True))


def test_without_a_class_for_the_driver_it_is_missing() -> None:
    api = Cluster({"alien": "another.driver"})
    with pytest.raises(Unsupported, match=r"no VolumeAttributesClass names driver a\.driver"):
        tried(api)
    assert api.changed == []


@pytest.mark.parametrize(("status", "ends_in"), [(404, Unsupported), (500, ApiError)])
def test_a_cluster_without_such_classes_is_told_from_one_that_fails(
    status: int, ends_in: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: object, **__: object) -> list[Object]:
        raise ApiError(status=status, request="GET", message="not here")

    api = Cluster({})
    monkeypatch.setattr(api, "list", refuses)
    with pytest.raises(ends_in):
        tried(api)

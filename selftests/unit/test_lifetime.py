"""What owns the sets of a run: a Job without pods, whose deadline is put off while the run lives."""

from __future__ import annotations

import time
from typing import Any, cast

import pytest

from acceptance.cluster import lifetime
from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiUnreachable
from acceptance.cluster.claims import Claim
from acceptance.cluster.lifetime import LASTS_S, PUT_OFF_EVERY_S, Lifetime, job_manifest
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.resources import Resource
from acceptance.cluster.run_namespace import ALIVE_FOR_S
from selftests.bounds import HANGS_S

CLAIM = Claim(name="like", namespace="ns", storage_class="fast", size=2**30, run_id="r")
POD = PodPlan(name="load", claims=(CLAIM,), image="fio:1", command=["sh"], deadline_s=0)


class JobApi:
    """Keeps what was asked for, in order; every other patch finds no server where it is `flaky`."""

    def __init__(self, *, flaky: bool = False) -> None:
        self.flaky = flaky
        self.asked: list[tuple[str, Any]] = []
        self.patches = 0

    def create(self, resource: Resource, body: Any, **_: object) -> Any:
        self.asked.append((f"create {resource.plural}", body))
        return {"metadata": {"name": body["metadata"]["name"], "uid": "u"}}

    def patch(self, resource: Resource, name: str, body: Any, **_: object) -> None:
        self.patches += 1
        if self.flaky and self.patches % 2:
            raise ApiUnreachable("away")
        self.asked.append(("patch", body["spec"]))

    def delete(self, resource: Resource, name: str, **_: object) -> None:
        self.asked.append(("delete", name))


def until(api: JobApi, *, asked: int) -> None:
    deadline = time.monotonic() + HANGS_S
    while len(api.asked) < asked and time.monotonic() < deadline:
        time.sleep(0.01)


def test_its_deadline_is_put_off_until_the_block_ends_and_it_goes_with_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifetime, "PUT_OFF_EVERY_S", 0.01)
    api = JobApi(flaky=True)
    with Lifetime(cast(Api, api), POD) as held:
        until(api, asked=3)
        assert held.owner == {"apiVersion": "batch/v1", "kind": "Job", "name": "load", "uid": "u"}
    held._thread.join(HANGS_S)
    assert not held._thread.is_alive()
    (first, made), *others = api.asked
    # What was being put off as the block ended may be asked for after the deletion.
    assert first == "create jobs" and others.count(("delete", "load")) == 1
    assert len(others[others.index(("delete", "load")) :]) <= 2
    put_off = [each for each in others if each != ("delete", "load")]
    assert len(put_off) >= 2, "a server that was away once does not end it"
    assert all(change["activeDeadlineSeconds"] >= LASTS_S for _, change in put_off)
    assert made["spec"]["parallelism"] == 0 and made["spec"]["ttlSecondsAfterFinished"] == 0


def test_a_run_that_is_away_for_a_while_finds_its_sets_again() -> None:
    assert 2 * ALIVE_FOR_S <= LASTS_S - PUT_OFF_EVERY_S


def test_what_is_kept_has_no_end() -> None:
    api = JobApi()
    with Lifetime(cast(Api, api), POD) as held:
        held.keep()
    assert ("patch", {"suspend": True}) in api.asked
    assert ("delete", "load") not in api.asked


def test_its_pod_would_pass_the_restricted_standard() -> None:
    """For an API server that warns of what would not, and for the fence."""
    pod = job_manifest(POD)["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"] and "volumes" not in pod
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}

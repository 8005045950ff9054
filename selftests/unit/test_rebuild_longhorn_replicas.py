"""Replicas as Longhorn treats them itself: failed ones taken up again, tries made anew, purges, keys that are none."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from acceptance.cluster.longhorn_resources import ENGINES, REPLICAS
from acceptance.cluster.resources import Resource
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import StorageFailure
from acceptance.trials.rebuild import longhorn_rebuild
from selftests.bounds import HANGS_S
from selftests.lab.longhorn_volume import LOOKS_S
from selftests.unit.longhorn_lab import THREE, Lab, follow
from selftests.unit.paged_api_server import Clock


@pytest.fixture
def lab(monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    found = Lab(Clock(monkeypatch))
    with found.undo:
        yield found


SLOW_ENOUGH: dict[str, Any] = {"looks_s": 0.6, "error": "failed to sync files: no space left on device"}
"""so that what is told is there for longer than two looks of the suite are apart, as it is in Longhorn"""


def test_a_rebuild_that_longhorn_tries_again_is_followed_to_its_end(lab: Lab) -> None:
    rebuild = lab.longhorn(**(SLOW_ENOUGH | {"looks_s": 1.5}), fails=2)  # each of the two must be seen
    found = follow(rebuild)
    assert len(found.failures) == 2
    assert all("failed to sync files: no space left on device" in failure for failure in found.failures)
    rebuild.restore()
    assert (lab.count, lab.replicas) == (3, THREE)


def test_a_rebuild_that_fails_until_the_end_of_patience_is_told_and_undone(lab: Lab) -> None:
    rebuild = lab.longhorn(**SLOW_ENOUGH, retry_s=60)
    with pytest.raises(StorageFailure, match=r"to end .* failed, the last: .*no space left on device"):
        follow(rebuild, end_s=10)
    rebuild.restore()
    assert (lab.count, lab.replicas) == (3, THREE)


FIVE = ("store-1", "store-2", "store-3", "store-4", "store-5")


def test_a_failed_replica_that_is_taken_up_instead_of_a_new_one_is_rebuilt_and_goes_again(lab: Lab) -> None:
    rebuild = lab.longhorn(nodes=FIVE, leftover=True)
    assert lab.replicas == ["pvc-1-r-0", *THREE]
    found = follow(rebuild)
    assert found.trigger == "numberOfReplicas raised from 3 to 4"
    assert found.seconds > 0.3 and lab.replicas == ["pvc-1-r-0", *THREE]
    rebuild.restore()
    assert (lab.count, lab.replicas) == (3, THREE)


def test_a_failed_replica_takes_the_place_of_one_that_was_deleted(lab: Lab) -> None:
    rebuild = lab.longhorn("deleted-replica", nodes=FIVE, leftover=True)
    assert follow(rebuild).trigger == "replica pvc-1-r-2 on node store-2 deleted"
    rebuild.restore()
    assert lab.replicas == ["pvc-1-r-0", "pvc-1-r-1", "pvc-1-r-3"]


def test_a_replica_that_died_is_rebuilt_under_its_own_name(lab: Lab) -> None:
    """It was whole at the trigger, and is what the rebuild waits for in the end."""
    rebuild = lab.longhorn()
    rebuild.require_whole()
    rebuild.trigger()
    lab.api.patch(ENGINES, "pvc-1-e-0/status", {"status": {"replicaModeMap": {"pvc-1-r-3": "ERR"}}})
    seen = [
        wait_for(
            "it", look=rebuild.look, ready=lambda seen: seen.phase == "whole", state=str, timeout_s=HANGS_S
        ).description
    ]
    assert "is RW, the volume healthy" in seen[0]
    healthy_at = {each["metadata"]["name"]: each["spec"]["healthyAt"] for each in lab.api.list(REPLICAS)}
    assert healthy_at["pvc-1-r-3"] > healthy_at["pvc-1-r-1"]


def test_a_deleted_replica_stays_in_the_engine_for_a_while_and_is_none(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys: dict[str, str] = {}  # all that were ever there: a busy machine may not look while one is
    patch = lab.api.patch

    def patched(resource: Resource, name: str, body: Any, **how: Any) -> None:
        patch(resource, name, body, **how)
        if resource is ENGINES:
            keys.update(body["status"].get("replicaModeMap") or {})

    monkeypatch.setattr(lab.api, "patch", patched)
    rebuild = lab.longhorn(nodes=FIVE[:3], looks_s=1.5)
    rebuild.trigger()
    lab.api.patch(ENGINES, "pvc-1-e-0/status", {"status": {"replicaModeMap": {"UNKNOWN-tcp://10.0.0.1:10000": "RW"}}})
    assert rebuild.look().phase == "waiting"
    wait_for("it", look=rebuild.look, ready=lambda seen: seen.phase == "whole", state=str, timeout_s=HANGS_S)
    assert keys["UNKNOWN-tcp://pvc-1-r-2:10000"] in ("ERR", None)  # and None once it is taken away


def test_another_rebuild_waits_for_the_purge_after_the_last(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(longhorn_rebuild, "PURGE_SHOWS_S", 0.0)
    rebuild = lab.longhorn()
    lab.undo.close()

    def set_purging(purging: bool) -> None:
        status = {"purgeStatus": {"tcp://pvc-1-r-2:10000": {"isPurging": purging}}}
        lab.api.patch(ENGINES, "pvc-1-e-0/status", {"status": status})

    set_purging(True)
    began_s = time.monotonic()
    with lab.clock.every(1.2, lambda: set_purging(False)):
        rebuild.wait_settled()
    assert 1.2 < time.monotonic() - began_s < 5


def test_a_purge_that_does_not_end_is_told(lab: Lab) -> None:
    rebuild = lab.longhorn(move_timeout_s=1.0)
    lab.undo.close()
    status = {"purgeStatus": {"tcp://pvc-1-r-2:10000": {"isPurging": True}}}
    lab.api.patch(ENGINES, "pvc-1-e-0/status", {"status": status})
    with pytest.raises(StorageFailure, match=r"to purge the snapshots of volume pvc-1 .*; last state: purging"):
        rebuild.wait_settled()


def test_a_purge_that_may_not_show_yet_is_waited_for(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(longhorn_rebuild, "PURGE_SHOWS_S", 1.5)
    began = time.monotonic()
    lab.longhorn().wait_settled()
    assert time.monotonic() - began > 1.5


def test_without_a_purge_nothing_is_waited_for(lab: Lab) -> None:
    rebuild = lab.longhorn(settings={"auto-cleanup-system-generated-snapshot": "false"})
    began = time.monotonic()
    rebuild.wait_settled()
    assert time.monotonic() - began < longhorn_rebuild.PURGE_SHOWS_S


def test_what_it_tells_is_as_old_as_longhorns_own_looks_are_apart(lab: Lab) -> None:
    assert lab.longhorn().resolution_s == LOOKS_S

"""What Ceph says of a recovery, in the shapes of its JSON, and what the driver makes of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from acceptance.cluster.pod_command import PodCommand
from acceptance.text.errors import EnvironmentFailure
from acceptance.trials.rebuild.ceph_driver import CephDriver
from acceptance.trials.rebuild.ceph_status import is_in, parse, recovery_state, require_room, stored_bytes
from acceptance.trials.rebuild.driver import TargetVolume

VOLUME = TargetVolume(volume="v", claim="c", namespace="n", storage_class="rbd", node="node-1", size=1)


def status(groups: dict[str, int], **pgmap: int) -> dict[str, Any]:
    """Counts that are zero are left out, as Ceph does."""
    states = [{"state_name": name, "count": count} for name, count in groups.items()]
    return {"health": {"status": "HEALTH_OK", "checks": {}}, "pgmap": {"pgs_by_state": states, **pgmap}}


CLEAN = status({"active+clean": 96, "active+clean+scrubbing+deep": 1})
MOVING = status({"active+clean": 90, "active+remapped+backfilling": 7}, misplaced_objects=300, degraded_objects=100)


def test_nothing_on_its_way_is_not_begun_until_something_was() -> None:
    assert recovery_state(CLEAN, most_objects=0).phase == "waiting"
    assert recovery_state(CLEAN, most_objects=400).phase == "whole"


def test_progress_is_what_is_left_of_the_most_that_was_seen() -> None:
    assert recovery_state(MOVING, most_objects=0).progress == 0.0
    found = recovery_state(MOVING, most_objects=1000)
    assert (found.phase, found.progress) == ("rebuilding", pytest.approx(0.6))
    assert "400 copies to go, groups: 7 active+remapped+backfilling" in found.description


def test_groups_that_are_not_clean_are_not_whole_although_no_object_lacks() -> None:
    assert recovery_state(status({"active+clean": 90, "peering": 7}), most_objects=10).phase == "rebuilding"


def test_an_osd_is_found_or_those_there_are_are_told() -> None:
    df = {"nodes": [{"id": 0, "kb_used": 9, "kb_used_data": 5}, {"id": 1, "kb_used": 9}]}
    assert (stored_bytes(df, 0), stored_bytes(df, 1)) == (5 * 1024, 9 * 1024)
    with pytest.raises(EnvironmentFailure, match="wanted OSD 4 of the target file, found only 0, 1"):
        stored_bytes(df, 4)
    with pytest.raises(EnvironmentFailure, match="found none of that number"):
        is_in({"osds": [{"osd": 0, "in": 1}]}, 4)


@pytest.mark.parametrize("text", ["", "Error EACCES", "[]"])
def test_what_is_no_document_is_told(text: str) -> None:
    with pytest.raises(EnvironmentFailure, match="wanted a JSON document"):
        parse(text, of="ceph status")


DUMP = {"nearfull_ratio": 0.85, "osds": [{"osd": 3, "in": 1}, {"osd": 4, "in": 0}, {"osd": 5, "in": 1}]}
OTHERS = [{"id": 4, "kb": 10**6, "kb_used": 0}, {"id": 5, "kb": 10_000, "kb_used": 6000}]


def test_an_osd_whose_data_the_others_have_no_room_for_is_left_in() -> None:
    """What is out counts for nothing; Ceph itself moves on until the cluster takes no more writes."""
    require_room({"nodes": [{"id": 3, "kb_used_data": 2500}, *OTHERS]}, DUMP, osd=3)
    with pytest.raises(EnvironmentFailure, match=r"that they would be 86 % full .* warns from 85 % on"):
        require_room({"nodes": [{"id": 3, "kb_used_data": 2600}, *OTHERS]}, DUMP, osd=3)
    with pytest.raises(EnvironmentFailure, match="found no other that is in"):
        require_room({"nodes": [{"id": 3, "kb_used_data": 0}, OTHERS[0]]}, DUMP, osd=3)


class Toolbox:
    """A cluster whose toolbox answers as told; `ran` are the commands that changed something."""

    def __init__(self, *answers: dict[str, Any], running: bool = True, refuses: str = "") -> None:
        self.answers = list(answers)
        self.running = running
        self.refuses = refuses
        self.ran: list[str] = []

    def ask(self, resource: object, body: object) -> dict[str, Any]:
        return {"status": {"allowed": True}}

    def list(self, resource: object, **query: str) -> list[dict[str, Any]]:
        pod = {"metadata": {"name": "tools"}, "spec": {"containers": [{"name": "ceph"}]}}
        return [pod | {"status": {"phase": "Running" if self.running else "Pending"}}]

    def execute(self, pod: str, *, command: Sequence[str], **where: object) -> PodCommand:
        words = " ".join(command)
        if self.refuses and self.refuses in words:
            return PodCommand(status=13, stdout="", stderr="Error EACCES: access denied")
        answers = {
            "ceph osd dump -f json": DUMP,
            "ceph osd df -f json": {"nodes": [{"id": 3, "kb_used_data": 2048}, *OTHERS]},
        }
        if words in answers:
            return PodCommand(status=0, stdout=json.dumps(answers[words]), stderr="")
        if words == "ceph status -f json":
            found = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
            return PodCommand(status=0, stdout=json.dumps(found), stderr="")
        if "config get" not in words:
            self.ran.append(words)
        return PodCommand(status=0, stdout="1\n", stderr="")


def driver(toolbox: Toolbox, *, osd: int = 3) -> CephDriver:
    where = {"namespace": "rook-ceph", "toolbox": "app=rook-ceph-tools"}
    return CephDriver(toolbox, osd=osd, move_timeout_s=2, **where)  # type: ignore[arg-type]


def test_an_osd_is_taken_out_watched_and_taken_in_again() -> None:
    toolbox = Toolbox(CLEAN, MOVING, status({"active+clean": 97}), MOVING, CLEAN)
    found = driver(toolbox)
    found.require_ready()
    rebuild = found.rebuild_of(VOLUME)
    rebuild.require_whole()
    assert rebuild.undo().how == "ceph osd in 3"
    assert rebuild.trigger() == "osd.3 taken out"
    assert [rebuild.look().phase for _ in range(2)] == ["rebuilding", "whole"]
    assert rebuild.rebuilt_bytes() == 2048 * 1024
    rebuild.restore()
    rebuild.restore()
    assert toolbox.ran == ["ceph osd out 3", "ceph osd in 3"]


def test_nothing_is_done_to_a_cluster_that_recovers_already() -> None:
    toolbox = Toolbox(MOVING)
    with pytest.raises(EnvironmentFailure, match="wanted all placement groups clean before"):
        driver(toolbox).rebuild_of(VOLUME).require_whole()
    assert toolbox.ran == []


def test_what_was_not_triggered_is_not_taken_in() -> None:
    toolbox = Toolbox(CLEAN)
    driver(toolbox).rebuild_of(VOLUME).restore()
    assert toolbox.ran == []


def test_an_osd_that_is_out_is_not_used() -> None:
    with pytest.raises(EnvironmentFailure, match="wanted OSD 4 in, found it out"):
        driver(Toolbox(CLEAN), osd=4).require_ready()


def test_a_toolbox_that_does_not_run_and_one_that_may_not_are_told() -> None:
    with pytest.raises(EnvironmentFailure, match=r"wanted Rook's toolbox pod .* found 1 pods and none that runs"):
        driver(Toolbox(CLEAN, running=False)).require_ready()
    with pytest.raises(EnvironmentFailure, match="`ceph osd out 3` ended with 13 in pod tools: Error EACCES"):
        driver(Toolbox(CLEAN, refuses="osd out")).rebuild_of(VOLUME).trigger()


def test_an_osd_whose_taking_out_failed_is_taken_in_all_the_same() -> None:
    """Nobody knows whether it was done."""
    toolbox = Toolbox(CLEAN, refuses="osd out")
    rebuild = driver(toolbox).rebuild_of(VOLUME)
    with pytest.raises(EnvironmentFailure):
        rebuild.trigger()
    rebuild.restore()
    assert toolbox.ran == ["ceph osd in 3"]

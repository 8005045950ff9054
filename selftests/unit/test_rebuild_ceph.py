"""What Ceph says of a recovery, in the shapes of its JSON, and what the driver makes of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from acceptance.cluster.pod_command import PodCommand
from acceptance.text.errors import EnvironmentFailure, StorageFailure
from acceptance.trials.rebuild import ceph_driver
from acceptance.trials.rebuild.ceph_driver import INFLUENCES, CephDriver
from acceptance.trials.rebuild.ceph_status import (
    groups_of,
    groups_on,
    is_in,
    options_of,
    parse,
    recovery_state,
    require_room,
    stored_bytes,
)
from acceptance.trials.rebuild.driver import RebuildState, TargetVolume
from selftests.unit.paged_api_server import Clock

VOLUME = TargetVolume(volume="v", claim="c", namespace="n", storage_class="rbd", node="node-1", size=1)


def stat(groups: dict[str, int], **counts: int) -> dict[str, Any]:
    """Counts that are zero are left out, as Ceph does."""
    states = [{"name": name, "num": count} for name, count in groups.items()]
    return {"pg_ready": True, "pg_summary": {"num_pg_by_state": states, **counts}}


CLEAN = stat({"active+clean": 96, "active+clean+scrubbing+deep": 1})
MOVING = stat({"active+clean": 90, "active+remapped+backfilling": 7}, misplaced_objects=300, degraded_objects=100)
PEERING = stat({"active+clean": 90, "peering": 7})


def state_of(document: dict[str, Any], *, held: int = 0, most: int = 0, begun: bool = False) -> RebuildState:
    return recovery_state(groups_of(document), groups_left=held, most=most, has_begun=begun)


def test_groups_that_are_clean_on_the_osd_that_is_out_are_told_too_early() -> None:
    """As at the first look: nothing has begun, and nothing is over."""
    assert state_of(CLEAN, held=12).phase == "waiting"
    assert state_of(CLEAN, held=12, begun=True).phase == "rebuilding"
    assert state_of(CLEAN, held=0, begun=True).phase == "whole"


def test_a_recovery_of_which_no_copy_was_seen_to_lack_has_an_end() -> None:
    assert state_of(CLEAN, held=0, most=0, begun=True).phase == "whole"


def test_progress_is_what_is_left_of_the_most_that_was_seen() -> None:
    assert state_of(MOVING, most=0).progress == 0.0
    found = state_of(MOVING, most=1000)
    assert (found.phase, found.progress) == ("rebuilding", pytest.approx(0.6))
    assert "400 copies remaining, groups: 7 active+remapped+backfilling" in found.description


@pytest.mark.parametrize(
    "states", [{"peering": 7}, {"activating+degraded": 1}, {"stale+active+clean": 5}, {"unknown": 96}]
)
def test_counts_say_nothing_while_groups_peer(states: dict[str, int]) -> None:
    """They are of the others alone, or absent, which is not all that lacks."""
    for counts in ({}, {"degraded_objects": 3}):
        found = state_of(stat({"active+clean": 90, **states}, **counts), most=400)
        assert (found.phase, found.progress) == ("rebuilding", None)
        assert "at least" in found.description


def test_a_few_groups_that_peer_leave_the_count_nearly_right() -> None:
    """One always does, where many are moved."""
    moving = {"active+remapped+backfilling": 1, "active+remapped+backfill_wait": 8}
    assert state_of(stat({**moving, "peering": 1}, misplaced_objects=300), most=400).progress == pytest.approx(0.25)
    assert state_of(stat({**moving, "peering": 2}, misplaced_objects=300), most=400).progress is None


def test_what_is_misplaced_alone_is_moved_too() -> None:
    found = state_of(stat({"active+clean+remapped": 2, "active+clean": 90}, misplaced_objects=24), most=48)
    assert (found.phase, found.progress) == ("rebuilding", 0.5)


def test_groups_whose_copies_are_all_counted_and_that_are_not_clean_yet_tell_no_progress() -> None:
    found = state_of(stat({"active+clean": 90, "active+remapped": 7}), most=10)
    assert (found.phase, found.progress) == ("rebuilding", None)


@pytest.mark.parametrize(
    ("state", "clean"),
    [
        ("active+clean", True),
        ("active+clean+snaptrim_wait", True),
        ("active+clean+scrubbing+deep", True),
        ("active+clean+remapped", False),
        ("active+clean+inconsistent", False),
        ("active+undersized+degraded", False),
        ("clean", False),
    ],
)
def test_what_is_done_beside_does_not_make_a_group_unclean(state: str, clean: bool) -> None:
    assert groups_of(stat({state: 1})).whole is clean


def test_a_cluster_that_tells_of_no_group_is_not_whole() -> None:
    with pytest.raises(EnvironmentFailure, match="expected placement groups by state"):
        groups_of({"pg_ready": False})


def test_an_osd_is_found_or_those_there_are_are_told() -> None:
    df = {"nodes": [{"id": 0, "kb_used": 9, "kb_used_data": 5, "pgs": 7}, {"id": 1, "kb_used": 9}]}
    assert (stored_bytes(df, 0), stored_bytes(df, 1)) == (5 * 1024, 9 * 1024)
    assert (groups_on(df, 0), groups_on(df, 1)) == (7, 0)
    with pytest.raises(EnvironmentFailure, match="expected OSD 4 of the target file, found only 0, 1"):
        stored_bytes(df, 4)
    with pytest.raises(EnvironmentFailure, match="found no OSD of that number"):
        is_in({"osds": [{"osd": 0, "in": 1}]}, 4)


@pytest.mark.parametrize("text", ["", "Error EACCES", "[]"])
def test_what_is_no_document_is_told(text: str) -> None:
    with pytest.raises(EnvironmentFailure, match="expected a JSON document"):
        parse(text, of="ceph status")


DUMP = {"nearfull_ratio": 0.85, "osds": [{"osd": 3, "in": 1}, {"osd": 4, "in": 0}, {"osd": 5, "in": 1}]}
OTHERS = [{"id": 4, "kb": 10**6, "kb_used": 0}, {"id": 5, "kb": 10_000, "kb_used": 6000}]


def test_an_osd_whose_data_the_others_have_no_room_for_is_left_in() -> None:
    """What is out counts for nothing; Ceph itself moves on until the cluster takes no more writes."""
    require_room({"nodes": [{"id": 3, "kb_used_data": 2500}, *OTHERS]}, DUMP, osd=3)
    with pytest.raises(EnvironmentFailure, match=r"that they would be 86 % full.* warns from 85 % on"):
        require_room({"nodes": [{"id": 3, "kb_used_data": 2600}, *OTHERS]}, DUMP, osd=3)
    with pytest.raises(EnvironmentFailure, match="found no other OSD that is in"):
        require_room({"nodes": [{"id": 3, "kb_used_data": 0}, OTHERS[0]]}, DUMP, osd=3)


class Toolbox:
    """A cluster whose toolbox answers as told; `ran` are the commands that changed something.

    `stats`: what it says of all groups, one after the other, the last again and again; `held`: the same of the groups
    in which OSD 3 takes part, asked alone.
    """

    def __init__(
        self, *stats: dict[str, Any], held: Sequence[int] = (8,), running: bool = True, refuses: str = ""
    ) -> None:
        self.stats = list(stats)
        self.held = list(held)
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
        if words == "ceph osd dump -f json":
            return told(DUMP)
        if words == "ceph osd df -f json":
            return told({"nodes": [{"id": 3, "kb_used_data": 2048, "pgs": following(self.held)}, *OTHERS]})
        if words == "ceph pg stat -f json":
            return told(following(self.stats))
        if "config" not in words:
            self.ran.append(words)
        return PodCommand(status=0, stdout="1\n", stderr="")


class Recorded(Toolbox):
    """One that answers what Ceph itself did, look by look (ceph_answers/README.md)."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.looks = answers(name)
        self.at = -1

    def execute(self, pod: str, *, command: Sequence[str], **where: object) -> PodCommand:
        words = " ".join(command)
        if words == "ceph pg stat -f json":
            self.at = min(self.at + 1, len(self.looks) - 1)
            return told(self.looks[self.at]["pg_stat"])
        if words == "ceph osd df -f json":
            return told(self.looks[max(0, self.at)]["osd_df"])
        return super().execute(pod, command=command, **where)

    @property
    def over(self) -> bool:
        return self.at == len(self.looks) - 1


def answers(name: str) -> list[dict[str, Any]]:
    path = Path(__file__).parent / "ceph_answers" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def told(document: dict[str, Any]) -> PodCommand:
    return PodCommand(status=0, stdout=json.dumps(document), stderr="")


def following(answers: list[Any]) -> Any:
    return answers.pop(0) if len(answers) > 1 else answers[0]


def driver(toolbox: Toolbox, *, osd: int = 3) -> CephDriver:
    where = {"namespace": "rook-ceph", "toolbox": "app=rook-ceph-tools"}
    return CephDriver(toolbox, osd=osd, move_timeout_s=2, **where)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch)  # time passes by waiting alone
    monkeypatch.setattr(ceph_driver, "RESOLUTION_S", 0.0)


def test_an_osd_is_taken_out_watched_and_taken_in_again() -> None:
    """Ceph tells of neither at once: both times a first look finds all as it was."""
    #                whole? trigger waits:twice    moves    and ends:twice  goes in: not yet, moves, has moved
    stats = [CLEAN, CLEAN, CLEAN, PEERING, MOVING, CLEAN, CLEAN, CLEAN, MOVING, CLEAN]
    toolbox = Toolbox(*stats, held=[8, 8, 8, 0, 0, 0, 8])
    found = driver(toolbox)
    found.require_ready()
    rebuild = found.rebuild_of(VOLUME)
    rebuild.require_whole()
    assert rebuild.undo().how == "ceph osd in 3"
    assert rebuild.trigger() == "osd.3 taken out"
    assert [rebuild.look().phase for _ in range(4)] == ["waiting", "rebuilding", "rebuilding", "whole"]
    assert rebuild.rebuilt_bytes() == 2048 * 1024
    rebuild.restore()
    rebuild.restore()
    assert toolbox.ran == ["ceph osd out 3", "ceph osd in 3"]
    assert toolbox.stats == [CLEAN] and toolbox.held == [8]


def test_a_group_that_leaves_the_osd_between_two_answers_ends_nothing() -> None:
    """All were told to be clean, and none on the OSD any more: one has begun to move since."""
    rebuild = driver(Toolbox(CLEAN, PEERING, held=[0])).rebuild_of(VOLUME)
    assert rebuild.look().phase == "rebuilding"


def test_what_is_told_too_soon_after_it_was_taken_in_is_of_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ceph_driver, "RESOLUTION_S", 3600.0)
    rebuild = driver(Toolbox(CLEAN)).rebuild_of(VOLUME)
    rebuild.trigger()
    with pytest.raises(StorageFailure, match=r"waited 2 s for the data of osd.3 to move back"):
        rebuild.restore()


def test_an_osd_without_data_is_not_taken_out() -> None:
    toolbox = Toolbox(CLEAN, held=[0])
    with pytest.raises(EnvironmentFailure, match=r"expected placement groups on osd\.3, found none"):
        driver(toolbox).rebuild_of(VOLUME).require_whole()
    assert toolbox.ran == []


def followed(toolbox: Recorded) -> list[RebuildState]:
    """The looks of a rebuild until the recording is over."""
    rebuild = driver(toolbox).rebuild_of(VOLUME)
    rebuild.trigger()
    found = []
    while not toolbox.over:
        found.append(rebuild.look())
    return found


def test_what_ceph_said_of_an_osd_that_was_taken_out() -> None:
    """For 5 s that all is clean; then the monitors still did, when none was on the OSD any more."""
    late = next(look for look in answers("out") if not groups_on(look["osd_df"], 3))
    assert [each["state_name"] for each in late["status"]["pgs_by_state"]] == ["active+clean"]
    states = followed(Recorded("out"))
    assert [state.phase for state in states] == ["waiting", *["rebuilding"] * (len(states) - 2), "whole"]
    shares = [state.progress for state in states[1:]]
    assert shares == sorted(shares) and shares[0] == 0.0 and shares[-1] == 1.0
    assert len(set(shares)) > 4


def test_what_ceph_said_of_an_osd_that_was_taken_in_again() -> None:
    """At first that all was clean, and that the OSD had nothing."""
    toolbox = Recorded("in")
    toolbox.looks = [*toolbox.looks[:2], toolbox.looks[-1]]
    rebuild = driver(toolbox).rebuild_of(VOLUME)
    rebuild.trigger()
    rebuild.restore()
    assert toolbox.over


def test_an_osd_that_dies_in_mid_rebuild_makes_it_longer() -> None:
    """Groups are stale, then on the OSD that is out again, clean and misplaced: never whole."""
    states = followed(Recorded("other_osd_dies"))
    assert [state.phase for state in states] == [*["rebuilding"] * (len(states) - 1), "whole"]
    assert any("stale+" in state.description and state.progress is None for state in states)
    assert any("21 active+clean+remapped" in state.description for state in states)


def test_what_is_misplaced_and_never_degraded_tells_progress() -> None:
    looks = answers("misplaced")
    assert not any("degraded_objects" in look["pg_stat"]["pg_summary"] for look in looks)
    assert any("peering" in json.dumps(look["pg_stat"]) for look in looks)
    states = followed(Recorded("misplaced"))
    assert states[-1].phase == "rebuilding" and (states[-1].progress or 0) > 0.5


def test_the_options_that_the_osd_has_are_told() -> None:
    """As in Ceph 16, which has no scheduler by the name of a later one; a release may not know all of them."""
    text = json.dumps([{"name": "osd_recovery_sleep_hdd", "value": "0.100000", "source": "default"}])
    assert options_of(text, INFLUENCES, of="ceph") == {"osd_recovery_sleep_hdd": "0.100000"}
    for wrong in ("", "{}x", '["osd"]'):
        with pytest.raises(EnvironmentFailure, match="expected a list of options"):
            options_of(wrong, INFLUENCES, of="ceph")


def test_nothing_is_done_to_a_cluster_that_recovers_already() -> None:
    toolbox = Toolbox(MOVING)
    with pytest.raises(EnvironmentFailure, match="expected all placement groups clean before"):
        driver(toolbox).rebuild_of(VOLUME).require_whole()
    assert toolbox.ran == []


def test_what_was_not_triggered_is_not_taken_in() -> None:
    toolbox = Toolbox(CLEAN)
    driver(toolbox).rebuild_of(VOLUME).restore()
    assert toolbox.ran == []


def test_an_osd_that_is_out_is_not_used() -> None:
    with pytest.raises(EnvironmentFailure, match="expected OSD 4 in, found it out"):
        driver(Toolbox(CLEAN), osd=4).require_ready()


def test_a_toolbox_that_does_not_run_and_one_that_may_not_are_told() -> None:
    with pytest.raises(EnvironmentFailure, match=r"expected Rook's toolbox pod .* found 1 pods, none of them running"):
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

"""From what watches tell to the times of operations: spans, rounds, and what was told late."""

from __future__ import annotations

from collections.abc import Mapping

from acceptance.results.operations import Moment, ObjectKind
from acceptance.trials.operations.failing import cannot_clone
from acceptance.trials.operations.record_of import operation_records
from acceptance.trials.operations.timeline import Timeline, TrackedObject

AT: Mapping[Moment, float] = {
    "asked": 10.0,
    "pod_asked": 11.0,
    "scheduled": 12.0,
    "bound": 13.0,
    "attaching": 14.0,
    "attached": 16.0,
    "mounted": 17.5,
    "ready": 18.0,
}


def tracked(name: str = "a", *, round_: int = 1, later_s: float = 0.0, kind: ObjectKind = "volume") -> TrackedObject:
    at_s = {moment: at_s + later_s for moment, at_s in AT.items()}
    return TrackedObject(name=name, kind=kind, round=round_, at_s=at_s)


def seconds(*objects: TrackedObject, waits: bool = False) -> dict[str, list[float]]:
    return {
        operation_record.operation: operation_record.seconds
        for operation_record in operation_records(objects, waits=waits, missing=())
    }


def test_parts_of_a_start_follow_one_another() -> None:
    """A mount begins when the pod has a node and its volume is attached, whichever comes last."""
    assert seconds(tracked()) == {"bind": [3.0], "attach": [2.0], "mount": [1.5], "start": [7.0]}


def test_volumes_that_wait_for_a_pod_are_asked_for_with_it() -> None:
    assert seconds(tracked(), waits=True)["bind"] == [2.0]


def test_what_was_told_late_is_counted_apart() -> None:
    late = tracked("b")
    late.late.add("bound")
    bind, attach, _mount, start = operation_records([tracked(), late], waits=False, missing=())
    assert (bind.asked, bind.late, bind.seconds) == (2, 1, [3.0])
    assert (attach.late, start.late) == (0, 0)


def test_the_rate_is_of_rounds_not_of_the_time_between_them() -> None:
    objects = [tracked("a"), tracked("b", later_s=1.0), tracked("c", round_=2, later_s=1000.0)]
    bind = operation_records(objects, waits=False, missing=())[0]
    assert bind.per_s == 3 / (4.0 + 3.0)


def test_what_is_missing_has_no_record() -> None:
    assert [
        operation_record.operation
        for operation_record in operation_records([tracked()], waits=False, missing=("bind", "mount"))
    ] == [
        "attach",
        "start",
    ]


def test_attachments_that_are_told_before_their_claim_are_not_lost() -> None:
    timeline = Timeline()
    timeline.add(["a"], kind="volume", round_=1)
    timeline.note_attachment("pv-a", "attaching", 1.0, late=False)
    timeline.note_attachment("pv-a", "attached", 2.0, late=True)
    timeline.note_attachment("pv-of-others", "attached", 2.0, late=False)
    timeline.is_volume_of("a", "pv-a")
    timeline.note_attachment("pv-a", "attached", 9.0, late=False)
    assert timeline.objects["a"].at_s == {"attaching": 1.0, "attached": 2.0}
    assert timeline.objects["a"].late == {"attached"}


def test_a_driver_that_cannot_clone_says_so_for_all_of_them() -> None:
    refused = "ProvisioningFailed: CSI driver does not support clone operations: controller CLONE_VOLUME capability"
    source, *clones = (
        TrackedObject(name="a", kind="volume", round=1, csi=True),
        *(tracked(kind="clone") for _ in range(2)),
    )
    clones[0].failures["clone"] = refused
    for clone in clones:
        clone.csi = True
    assert cannot_clone([source, *clones]) is None
    clones[1].failures["clone"] = refused
    assert cannot_clone([source, *clones]) == refused
    clones[1].failures["clone"] = "ProvisioningFailed: no space left"
    assert cannot_clone([source, *clones]) is None

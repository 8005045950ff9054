"""Snapshot of a volume in use -> verdict. Pure; reasons say which records are not there. Paces are told, not judged."""

from __future__ import annotations

from acceptance.judging.crashes import ranges_in_words, shown_time
from acceptance.judging.outcome import verdict_id, without_figures
from acceptance.results.document import Verdict
from acceptance.results.snapshots import Pace, SnapshotRecord, Stage

RULE = (
    "a snapshot taken while records are written holds all that were acknowledged before, and no later one without them"
)
GROUP_RULE = (
    "the snapshots of a group, taken while records are written in turn to all its volumes, together hold all that were "
    "acknowledged before, and no later one without them"
)
STAGES: dict[Stage, str] = {
    "before": "before it",
    "taken": "while it was taken",
    "restored": "while it was restored and read",
    "deleted": "while it was deleted",
}


def judge_snapshot(record: SnapshotRecord) -> Verdict:
    """Fail when one record is missing that must be there: there is nothing to be unsure of."""
    one = record.volumes == 1
    return without_figures(
        verdict_id(record.storage_class, "durability", "snapshot-in-use" if one else "group-snapshot", "holds"),
        storage_class=record.storage_class,
        rule=RULE if one else GROUP_RULE,
        status="fail" if record.lost or record.holes else "pass",
        reason=snapshot_sentence(record),
    )


def snapshot_sentence(record: SnapshotRecord) -> str:
    """`a snapshot of class snap, taken while records were written to a volume of fast, lacks 3 of the 512 records ...`

    What was acknowledged before is told first; a hole is told of what is later.
    """
    group, volumes = ("", "to a volume") if record.volumes == 1 else ("group ", f"in turn to {record.volumes} volumes")
    about = f"a {group}snapshot of class {record.snapshot_class}, taken while records were written {volumes} of "
    wrong = []
    if record.lost:
        count = sum(last - first + 1 for first, last in record.lost)
        wrong.append(
            f"lacks {count:,} of the {record.acknowledged:,} records that were acknowledged before it was asked for: "
            f"{ranges_in_words(record.lost)}{_whose(record, record.lost)}"
        )
    if record.holes:
        wrong.append(
            f"is of no one moment: of record {record.last:,} something is there, and before it was begun all others "
            f"were durable, but these are not whole: {ranges_in_words(record.holes)}{_whose(record, record.holes)}"
        )
    if wrong:
        return f"{about}{record.storage_class}, {'; it '.join(wrong)}."
    later = record.whole - record.acknowledged
    return (
        f"{about}{record.storage_class}, holds all {record.acknowledged:,} records that were acknowledged before it "
        f"was asked for, and {later:,} more without a hole. Records a second: {paces_in_words(record.paces)}."
    )


def _whose(record: SnapshotRecord, missing: list[tuple[int, int]]) -> str:
    """` (all on volume 1 of 2)` where only one of several volumes lacks any: the records are on them in turn."""
    places = {(number - 1) % record.volumes for first, last in missing for number in range(first, last + 1)}
    return f" (all on volume {min(places) + 1} of {record.volumes})" if len(places) < min(record.volumes, 2) else ""


def paces_in_words(paces: list[Pace]) -> str:
    """`212 before it, 80 while it was taken (for 0.6 s none)`"""
    return ", ".join(
        f"{each.rate:,.0f} {STAGES[each.stage]}"
        + (f" (longest pause {shown_time(each.longest_s)})" if each.stage != "before" else "")
        for each in paces
    )

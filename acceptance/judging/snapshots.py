"""Snapshot of a volume in use -> verdict; what many snapshots leave of a volume's writes + limit -> verdict. Pure.

Reasons say which records are not there. Paces are told, not judged.
"""

from __future__ import annotations

from acceptance.judging.crashes import ranges_in_words, shown_time
from acceptance.judging.outcome import decide, held_against, outcome, verdict_id, without_figures
from acceptance.limits.snapshots import SnapshotsLimit
from acceptance.results.document import Verdict
from acceptance.results.ratio_words import share
from acceptance.results.requirement import Decision
from acceptance.results.snapshots import ManySnapshotsRecord, Pace, SnapshotRecord, Stage
from acceptance.results.under_load import Span
from acceptance.text.quantities import format_quantity

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
        limit=RULE if one else GROUP_RULE,
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
            f"does not show one moment: part of record {record.last:,} is there, which was begun when all earlier "
            f"records were durable, but these earlier ones are not whole: {ranges_in_words(record.holes)}"
            f"{_whose(record, record.holes)}"
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


def decide_writes_left(left: Span | None, limit: SnapshotsLimit, *, beyond: float = 1.0) -> Decision:
    """What `judge_many_snapshots` says, without its words. `beyond`: by what factor on either side of the limit."""
    if left is None or left.low is None or left.high is None:
        return "inconclusive"
    return decide(left.low, left.high, at_least=limit.at_least, beyond=beyond)


def judge_many_snapshots(record: ManySnapshotsRecord, limit: SnapshotsLimit) -> Verdict:
    """The verdict on what many snapshots leave of a volume's writes."""
    status, left = decide_writes_left(record.left, limit), record.left
    found = writes_left_in_words(record, beside=limit.at_least)
    if left is None or left.low is None or left.high is None:
        reason = f"{found}, so it cannot be judged; a measurement of its full length would decide it"
    else:
        open_by = "a quieter machine or a longer measurement (--storage-longest) would decide it"
        reason = f"{found}, {held_against(status, limit.wanted, because=limit.because, left_open=open_by)}"
    return outcome(
        limit,
        storage_class=record.storage_class,
        status=status,
        reason=f"{reason}.",
        measured=None if left is None else left.mean,
        interval=None if left is None or left.low is None or left.high is None else (left.low, left.high),
        unit="ratio",
        confidence=record.confidence,
    )


def writes_left_in_words(record: ManySnapshotsRecord, *, beside: float | None = None) -> str:
    """`write.iops of sync-write-iops on a volume of fast with 20 snapshots is 92 % of that on one without (...)`

    `beside`: a limit that the figures must be told apart from.
    """
    about = (
        f"{record.metric} of {record.profile} on a volume of {record.storage_class} with {record.count} snapshots, "
        f"each {format_quantity(record.piece, unit='B')} of writes or more after the one before it,"
    )
    if (left := record.left) is None:
        return f"{about} cannot be compared with one without: nothing was done on one of them"
    with_them, without = (
        "unknown" if each is None else format_quantity(each, unit="1/s")
        for each in (record.with_snapshots, record.without)
    )
    rates = f"{with_them} with them, {without} without"
    told = f"is {share(left.mean, beside=beside)} of that on one without"
    if left.low is None or left.high is None:
        return f"{about} {told} ({rates}), from too few samples for a confidence interval"
    low, high = (share(each, beside=beside) for each in (left.low, left.high))
    return f"{about} {told} ({record.confidence * 100:.4g}% CI {low} to {high}; {rates})"

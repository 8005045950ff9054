"""Snapshot of a volume in use -> verdict; what many snapshots leave of a volume's writes + limit -> verdict. Pure.

The facts say which records are not there. Paces are told, not judged.
"""

from __future__ import annotations

from acceptance.judging.outcome import decide, outcome, verdict_id, without_figures
from acceptance.limits.limit import Limit
from acceptance.results.document import Verdict
from acceptance.results.requirement import LIES, Decision, Outcome
from acceptance.results.snapshots import ManySnapshotsRecord, SnapshotRecord
from acceptance.results.under_load import Span
from acceptance.wording.snapshots import GROUP_RULE, RULE


def judge_snapshot(record: SnapshotRecord) -> Verdict:
    """Fail when one record is missing that must be there: there is nothing to be unsure of."""
    one = record.volumes == 1
    missing = {number for first, last in (*record.lost, *record.holes) for number in range(first, last + 1)}
    return without_figures(
        verdict_id(record.storage_class, "durability", "snapshot-in-use" if one else "group-snapshot", "holds"),
        storage_class=record.storage_class,
        limit=RULE if one else GROUP_RULE,
        status="fail" if missing else "pass",
        found=_held(record),
        at_most=0.0,
        count=len(missing),
    )


def _held(record: SnapshotRecord) -> Outcome:
    """What a volume restored from it held. A hole counts as another thing only where no earlier record is missing."""
    code, told = "crash_consistent", {"whole", "paces"}
    if record.lost or record.holes:
        code = "records_missing" if record.lost else "not_crash_consistent"
        told = ({"lost"} if record.lost else set()) | ({"last", "holes"} if record.holes else set())
    about = {"snapshot_class", "volumes", "acknowledged"}
    return Outcome(code=f"snapshots.{code}", facts=record.model_dump(mode="json", include=about | told))


def decide_writes_left(left: Span | None, limit: Limit, *, beyond: float = 1.0) -> Decision:
    """What `judge_many_snapshots` says, without its words. `beyond`: by what factor on either side of the limit."""
    if left is None or left.low is None or left.high is None:
        return "inconclusive"
    return decide(left.low, left.high, at_least=limit.bound, beyond=beyond)


def judge_many_snapshots(record: ManySnapshotsRecord, limit: Limit) -> Verdict:
    """The verdict on what many snapshots leave of a volume's writes."""
    status, left = decide_writes_left(record.left, limit), record.left
    interval = None if left is None or left.low is None or left.high is None else (left.low, left.high)
    code = LIES[status] if interval else "unknown" if left is None else "too_few_samples"
    return outcome(
        limit,
        storage_class=record.storage_class,
        status=status,
        found=Outcome(
            code=f"snapshots.writes_left_{code}",
            facts={
                "count": record.count,
                "piece": record.piece,
                "with_snapshots": record.with_snapshots,
                "without": record.without,
            },
        ),
        measured=None if left is None else left.mean,
        interval=interval,
        confidence=record.confidence,
    )

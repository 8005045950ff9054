"""Snapshot of a volume in use -> verdict; a volume's writes with many snapshots + limit -> verdict. Pure.

The facts name the missing records. Paces are reported, not judged.
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
    """Fail if one required record is missing: this needs no confidence interval."""
    is_single = record.volumes == 1
    missing = {number for first, last in (*record.lost, *record.holes) for number in range(first, last + 1)}
    return without_figures(
        verdict_id(record.storage_class, "durability", "snapshot-in-use" if is_single else "group-snapshot", "holds"),
        storage_class=record.storage_class,
        limit=RULE if is_single else GROUP_RULE,
        status="fail" if missing else "pass",
        finding=_outcome(record),
        at_most=0.0,
        count=len(missing),
    )


def _outcome(record: SnapshotRecord) -> Outcome:
    """Return the outcome of the restored volume. A hole has a code of its own only if no earlier record is missing."""
    code, fact_names = "crash_consistent", {"whole", "paces"}
    if record.lost or record.holes:
        code = "records_missing" if record.lost else "not_crash_consistent"
        fact_names = ({"lost"} if record.lost else set()) | ({"last", "holes"} if record.holes else set())
    about = {"snapshot_class", "volumes", "acknowledged"}
    return Outcome(code=f"snapshots.{code}", facts=record.model_dump(mode="json", include=about | fact_names))


def decide_writes_left(share: Span | None, limit: Limit, *, beyond: float = 1.0) -> Decision:
    """Return the decision of `judge_many_snapshots`. `beyond`: the factor by which it must lie on either side."""
    if share is None or share.low is None or share.high is None:
        return "inconclusive"
    return decide(share.low, share.high, at_least=limit.bound, beyond=beyond)


def judge_many_snapshots(record: ManySnapshotsRecord, limit: Limit) -> Verdict:
    """Return the verdict on the share of a volume's writes that many snapshots leave."""
    status, share = decide_writes_left(record.left, limit), record.left
    interval = None if share is None or share.low is None or share.high is None else (share.low, share.high)
    code = LIES[status] if interval else "unknown" if share is None else "too_few_samples"
    return outcome(
        limit,
        storage_class=record.storage_class,
        status=status,
        finding=Outcome(
            code=f"snapshots.writes_left_{code}",
            facts={
                "count": record.count,
                "piece": record.piece,
                "with_snapshots": record.with_snapshots,
                "without": record.without,
            },
        ),
        value=None if share is None else share.mean,
        interval=interval,
        confidence=record.confidence,
    )

"""End of a sustained load + limit -> verdict. Pure."""

from __future__ import annotations

from pydantic import JsonValue

from acceptance.judging.outcome import decide, outcome
from acceptance.limits.limit import Limit
from acceptance.results.document import SustainedRecord, Verdict
from acceptance.results.requirement import LIES, Decision, Outcome
from acceptance.statistics.steady_state import steady_state

CREDITS_S = 2000
"""The time (s) that the credits of common cloud disks last under a load at full burst: 30 min of Azure's, 33 min of an
EBS gp2 volume of 100 GiB; sources: docs/sustained.md"""

Facts = dict[str, JsonValue]


def judge_sustained(record: SustainedRecord, limit: Limit) -> Verdict:
    """Return the verdict on the last seconds of a load: they must decide with certainty, and be steady.

    It is inconclusive without SNIA's steady state, and for a pass over a file that the storage's cache can hold.
    """
    load, estimate = record.load, record.load.metrics.get(limit.path)
    interval: tuple[float, float] | None = None
    status: Decision = "inconclusive"
    code, facts = "no_value" if estimate is None else "too_few_samples", _facts(record)
    if estimate is not None and estimate.low is not None and estimate.high is not None:
        interval = estimate.low, estimate.high
        status, code, more = _judge_end(record, limit, interval)
        facts |= more
    return outcome(
        limit,
        storage_class=load.storage_class,
        value=None if estimate is None else estimate.mean,
        interval=interval,
        confidence=None if estimate is None else estimate.confidence,
        status=status,
        finding=Outcome(code=f"sustained.{code}", facts=facts),
    )


def missed_credits_s(record: SustainedRecord) -> int | None:
    """Return the time (s) that burst credits may last, if the load was too short to see their end; else None."""
    return None if record.asked_s - record.judged_s >= CREDITS_S else CREDITS_S


def _judge_end(record: SustainedRecord, limit: Limit, interval: tuple[float, float]) -> tuple[Decision, str, Facts]:
    """Return the status, the code of the outcome, and the facts of that code alone."""
    state = steady_state(record.rounds)
    if not state.holds:
        return "inconclusive", "unsteady", {"range": state.range, "slope": state.slope}
    status = decide(*interval, **{limit.operator: limit.bound})
    if status == "pass" and record.cache is not None and record.cache >= record.test_size:
        return "inconclusive", "cached", {"cache": record.cache, "test_size": record.test_size}
    return status, LIES[status], {}


def _facts(record: SustainedRecord) -> Facts:
    """Return the facts of every outcome."""
    more = {"credits_s": missed_credits_s(record), "slowed_down_after_s": record.load.slowed_down_after_s}
    known_facts = {name: value for name, value in more.items() if value is not None}
    return {"asked_s": record.asked_s, "judged_s": record.judged_s, **known_facts}

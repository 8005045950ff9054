"""What the storage's pods took under a load + limit -> verdict. Pure."""

from __future__ import annotations

from acceptance.judging.outcome import decide, held_against, outcome, verdict_id, without_figures
from acceptance.limits.price import PriceLimit
from acceptance.results.document import Verdict
from acceptance.results.price import MemoryGrowth, PricedPod, PriceRecord
from acceptance.results.requirement import Decision
from acceptance.statistics.growth import Growth
from acceptance.text.quantities import format_quantity

LONGER = "--storage-price-time"
SOAK_MIN = 30
"""minutes of load from which growth can be told: 20 min of readings of memory, after the first quarter"""


def judge_price(record: PriceRecord, limit: PriceLimit) -> Verdict:
    """The verdict on CPU, on the pod whose memory grows most, or on restarts."""
    if limit.metric == "restarts":
        return _judge_restarts(record, limit)
    if limit.metric == "memory_growth":
        return _judge_growth(record, limit)
    return _judge_cpu(record, limit)


def _judge_cpu(record: PriceRecord, limit: PriceLimit) -> Verdict:
    found = record.cpu_per_1000_iops
    subject = (
        f"CPU of the pods of {' and '.join(record.of)} per 1,000 IOPS of {record.profile} on {record.storage_class}"
    )
    status: Decision = "inconclusive"
    said = "has no value: nothing was done, or no kubelet gave figures, so it cannot be judged"
    interval: tuple[float, float] | None = None
    if found is not None:
        said = f"is {_cpu(found.mean, limit)}"
        if found.low is None or found.high is None:
            said += f", from too few samples for a confidence interval; a longer load would give one ({LONGER})"
        else:
            interval = found.low, found.high
            status = decide(*interval, at_most=limit.at_most)
            held = held_against(
                status, limit.wanted, because=limit.because, left_open=f"a longer load ({LONGER}) would decide it"
            )
            said += (
                f" ({record.confidence * 100:.4g}% CI {_cpu(found.low, limit)} to {_cpu(found.high, limit)}), {held}"
            )
    return outcome(
        limit,
        storage_class=record.storage_class,
        status=status,
        reason=f"{subject} {said}.",
        measured=None if found is None else found.mean,
        unit="cpu",
        interval=interval,
        confidence=record.confidence,
    )


def _cpu(cpus: float, limit: PriceLimit) -> str:
    return format_quantity(cpus, unit="cpu", beside=limit.at_most)


def decide_growth(found: MemoryGrowth, limit: PriceLimit) -> Decision:
    """A leak is above the limit for certain, and goes on in both halves of the time: what is taken once is none."""
    told = Growth(mean=found.mean, low=found.low, high=found.high, first=found.first, second=found.second)
    if told.is_steady_above(limit.at_most):
        return "fail"
    return "pass" if found.high <= limit.at_most else "inconclusive"


def _judge_growth(record: PriceRecord, limit: PriceLimit) -> Verdict:
    known = [(each, each.growth) for each in record.pods if each.growth is not None]
    if not known:
        return without_figures(
            verdict_id(record.storage_class, limit.profile, limit.metric, limit.kind),
            storage_class=record.storage_class,
            profile=limit.profile,
            metric=limit.metric,
            rule=limit.kind,
            limit=limit.describe(),
            status="skipped",
            reason=f"memory over {record.load_s / 60:.0f} min of load on {record.storage_class} tells no leak: that "
            f"takes {SOAK_MIN} min without a restart; load longer with {LONGER}",
        )
    # Of several that leak the one that leaks most; else the one that is closest to it.
    order = {"fail": 2, "inconclusive": 1, "pass": 0}
    pod, found = max(known, key=lambda each: (order[decide_growth(each[1], limit)], each[1].high))
    status = decide_growth(found, limit)
    held = held_against(
        status, limit.wanted, because=limit.because, left_open=f"a longer load ({LONGER}) would decide it", whole=""
    )
    if status == "inconclusive" and found.low > limit.at_most:
        held = (
            f"beyond the limit of {limit.wanted}, but not in each half of the time: it may be a single step, no leak; "
            f"a longer load ({LONGER}) would decide it"
        )
    ends = f"{record.confidence * 100:.4g}% CI {_hourly(found.low)} to {_hourly(found.high)}"
    several = sum(decide_growth(each, limit) == status for _, each in known)
    told = {"fail": "leaks", "pass": "does not leak", "inconclusive": "may leak"}[status]
    reason = (
        f"pod {_name(pod)} {told}: its memory grew by {_hourly(found.mean)} an hour ({ends}) in the last "
        f"{found.seconds / 60:.0f} min under {record.profile} on {record.storage_class}, {held}"
    )
    others = f"; the same holds for {several} of {len(record.pods)} pods" if len(record.pods) > 1 else ""
    return outcome(
        limit,
        storage_class=record.storage_class,
        status=status,
        reason=f"{reason}{others}.",
        # A verdict's figures are shown as sizes, and none is below zero: what shrinks has grown by nothing.
        measured=max(0.0, found.mean),
        unit="B",
        interval=(max(0.0, found.low), max(0.0, found.high)),
        confidence=record.confidence,
    )


def _hourly(growth: float) -> str:
    return f"{'-' if growth < 0 else ''}{format_quantity(abs(growth), unit='B')}"


def _judge_restarts(record: PriceRecord, limit: PriceLimit) -> Verdict:
    """They are counted: there is nothing to be unsure of."""
    told = [f"{_name(each)} {what}" for each in record.pods for what in each.restarts]
    status: Decision = "fail" if len(told) > limit.at_most else "pass"
    held = held_against(status, limit.wanted, because=limit.because, left_open="", whole="")
    minutes = f"{record.periods[-1].end_s / 60:.0f} min"
    of = f"{_count(len(record.pods), 'pod')} of {' and '.join(record.of)}"
    found = f"{_count(len(told), 'restart')} of {of} in {minutes}"
    return outcome(
        limit,
        storage_class=record.storage_class,
        measured=float(len(told)),
        unit="count",
        status=status,
        reason="; ".join([f"{found} around a load of {record.profile} on {record.storage_class}, {held}", *told]) + ".",
    )


def _name(pod: PricedPod) -> str:
    return f"{pod.namespace}/{pod.pod}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

"""What the storage's pods took under a load + limit -> verdict. Pure."""

from __future__ import annotations

from pydantic import JsonValue

from acceptance.judging.outcome import decide, outcome
from acceptance.limits.limit import Limit
from acceptance.results.document import Verdict
from acceptance.results.price import MemoryGrowth, PriceRecord
from acceptance.results.requirement import LIES, Decision, Outcome
from acceptance.statistics.growth import Growth

SOAK_MIN_S = 1800.0
"""of load from which growth can be told: 20 min of readings of memory, after the first quarter"""


def judge_price(record: PriceRecord, limit: Limit) -> Verdict:
    """The verdict on CPU, on the pod whose memory grows most, or on restarts."""
    if limit.path == "restarts":
        return _judge_restarts(record, limit)
    if limit.path == "memory_growth":
        return _judge_growth(record, limit)
    return _judge_cpu(record, limit)


def _judge_cpu(record: PriceRecord, limit: Limit) -> Verdict:
    found = record.cpu_per_1000_iops
    status: Decision = "inconclusive"
    interval: tuple[float, float] | None = None
    if found is None:
        code = "no_cpu_known"
    elif found.low is None or found.high is None:
        code = "cpu_too_few_samples"
    else:
        interval = found.low, found.high
        status = decide(*interval, at_most=limit.bound)
        code = f"cpu_{LIES[status]}"
    return outcome(
        limit,
        storage_class=record.storage_class,
        status=status,
        found=Outcome(code=f"price.{code}", facts={"of": [*record.of]}),
        measured=None if found is None else found.mean,
        interval=interval,
        confidence=record.confidence,
    )


def decide_growth(found: MemoryGrowth, limit: Limit) -> Decision:
    """A leak is above the limit for certain, and goes on in both halves of the time: what is taken once is none."""
    told = Growth(mean=found.mean, low=found.low, high=found.high, first=found.first, second=found.second)
    if told.is_steady_above(limit.bound):
        return "fail"
    return "pass" if found.high <= limit.bound else "inconclusive"


def _judge_growth(record: PriceRecord, limit: Limit) -> Verdict:
    known = [(each, each.growth) for each in record.pods if each.growth is not None]
    if not known:
        return outcome(
            limit,
            storage_class=record.storage_class,
            status="skipped",
            found=Outcome(code="price.no_growth_known", facts={"load_s": record.load_s, "needed_s": SOAK_MIN_S}),
            measured=None,
        )
    # Of several that leak the one that leaks most; else the one that is closest to it.
    order = {"fail": 2, "inconclusive": 1, "pass": 0}
    pod, found = max(known, key=lambda each: (order[decide_growth(each[1], limit)], each[1].high))
    status = decide_growth(found, limit)
    return outcome(
        limit,
        storage_class=record.storage_class,
        status=status,
        found=Outcome(
            code=f"price.{_growth_code(found, status, limit)}",
            facts={
                "namespace": pod.namespace,
                "pod": pod.pod,
                "growth": found.model_dump(mode="json"),
                "alike": sum(decide_growth(each, limit) == status for _, each in known),
                "watched": len(record.pods),
            },
        ),
        # A verdict's figures are shown as sizes, and none is below zero: what shrinks has grown by nothing.
        measured=max(0.0, found.mean),
        interval=(max(0.0, found.low), max(0.0, found.high)),
        confidence=record.confidence,
    )


def _growth_code(found: MemoryGrowth, status: Decision, limit: Limit) -> str:
    if status == "inconclusive" and found.low > limit.bound:
        return "single_step"
    return {"fail": "leaks", "pass": "no_leak", "inconclusive": "may_leak"}[status]


def _judge_restarts(record: PriceRecord, limit: Limit) -> Verdict:
    """They are counted: there is nothing to be unsure of."""
    restarts: list[JsonValue] = [
        {"namespace": pod.namespace, "pod": pod.pod, "what": what} for pod in record.pods for what in pod.restarts
    ]
    status: Decision = "fail" if len(restarts) > limit.bound else "pass"
    return outcome(
        limit,
        storage_class=record.storage_class,
        measured=float(len(restarts)),
        status=status,
        found=Outcome(
            code=f"price.restarts_{LIES[status]}",
            facts={
                "of": [*record.of],
                "watched": len(record.pods),
                "seconds": record.periods[-1].end_s,
                "restarts": restarts,
            },
        ),
    )

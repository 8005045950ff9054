"""Resource overhead of the storage's pods under a load + limit -> verdict. Pure."""

from __future__ import annotations

from pydantic import JsonValue

from acceptance.judging.outcome import decide, outcome
from acceptance.limits.limit import Limit
from acceptance.results.document import Verdict
from acceptance.results.price import MemoryGrowth, PriceRecord
from acceptance.results.requirement import LIES, Decision, Outcome
from acceptance.statistics.growth import Growth

SOAK_MIN_S = 1800.0
"""The least load (s) that shows growth: 20 min of memory readings, after the first quarter."""


def judge_price(record: PriceRecord, limit: Limit) -> Verdict:
    """Return the verdict on CPU, on the pod whose memory grows most, or on restarts."""
    if limit.path == "restarts":
        return _judge_restarts(record, limit)
    if limit.path == "memory_growth":
        return _judge_growth(record, limit)
    return _judge_cpu(record, limit)


def _judge_cpu(record: PriceRecord, limit: Limit) -> Verdict:
    cpu = record.cpu_per_1000_iops
    status: Decision = "inconclusive"
    interval: tuple[float, float] | None = None
    if cpu is None:
        code = "no_cpu_known"
    elif cpu.low is None or cpu.high is None:
        code = "cpu_too_few_samples"
    else:
        interval = cpu.low, cpu.high
        status = decide(*interval, at_most=limit.bound)
        code = f"cpu_{LIES[status]}"
    return outcome(
        limit,
        storage_class=record.storage_class,
        status=status,
        finding=Outcome(code=f"price.{code}", facts={"of": [*record.of]}),
        value=None if cpu is None else cpu.mean,
        interval=interval,
        confidence=record.confidence,
    )


def decide_growth(growth: MemoryGrowth, limit: Limit) -> Decision:
    """Return the decision: a leak is certainly above the limit and grows in both halves; a single step is no leak."""
    estimate = Growth(mean=growth.mean, low=growth.low, high=growth.high, first=growth.first, second=growth.second)
    if estimate.is_steady_above(limit.bound):
        return "fail"
    return "pass" if growth.high <= limit.bound else "inconclusive"


def _judge_growth(record: PriceRecord, limit: Limit) -> Verdict:
    growths = [(pod, pod.growth) for pod in record.pods if pod.growth is not None]
    if not growths:
        return outcome(
            limit,
            storage_class=record.storage_class,
            status="skipped",
            finding=Outcome(code="price.no_growth_known", facts={"load_s": record.load_s, "needed_s": SOAK_MIN_S}),
            value=None,
        )
    # Of several pods that leak, the one that leaks most; else the one that is closest to a leak.
    order = {"fail": 2, "inconclusive": 1, "pass": 0}
    pod, growth = max(growths, key=lambda pair: (order[decide_growth(pair[1], limit)], pair[1].high))
    status = decide_growth(growth, limit)
    return outcome(
        limit,
        storage_class=record.storage_class,
        status=status,
        finding=Outcome(
            code=f"price.{_growth_code(growth, status, limit)}",
            facts={
                "namespace": pod.namespace,
                "pod": pod.pod,
                "growth": growth.model_dump(mode="json"),
                "alike": sum(decide_growth(pod_growth, limit) == status for _, pod_growth in growths),
                "watched": len(record.pods),
            },
        ),
        # A verdict's figures are shown as sizes, and none is below zero: what shrinks has grown by nothing.
        value=max(0.0, growth.mean),
        interval=(max(0.0, growth.low), max(0.0, growth.high)),
        confidence=record.confidence,
    )


def _growth_code(growth: MemoryGrowth, status: Decision, limit: Limit) -> str:
    if status == "inconclusive" and growth.low > limit.bound:
        return "single_step"
    return {"fail": "leaks", "pass": "no_leak", "inconclusive": "may_leak"}[status]


def _judge_restarts(record: PriceRecord, limit: Limit) -> Verdict:
    """Return the verdict on restarts, which are counted: this needs no confidence interval."""
    restarts: list[JsonValue] = [
        {"namespace": pod.namespace, "pod": pod.pod, "what": restart} for pod in record.pods for restart in pod.restarts
    ]
    status: Decision = "fail" if len(restarts) > limit.bound else "pass"
    return outcome(
        limit,
        storage_class=record.storage_class,
        value=float(len(restarts)),
        status=status,
        finding=Outcome(
            code=f"price.restarts_{LIES[status]}",
            facts={
                "of": [*record.of],
                "watched": len(record.pods),
                "seconds": record.periods[-1].end_s,
                "restarts": restarts,
            },
        ),
    )

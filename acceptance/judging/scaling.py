"""Scaling record + limit -> verdict. Pure; a verdict requires the whole interval on one side of the limit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from pydantic import JsonValue

from acceptance.judging.outcome import decide, outcome, verdict_id, without_limit
from acceptance.limits.limit import Limit
from acceptance.results.document import Verdict
from acceptance.results.requirement import LIES, Decision, Outcome
from acceptance.results.scaling import Figure, RateRecord, ScalingRecord, StepRecord
from acceptance.statistics.intervals import Interval
from acceptance.statistics.ratios import independent_ratio
from acceptance.statistics.step_analyses import ratio_correlation

Facts = dict[str, JsonValue]
Finding = tuple[Interval, Facts] | tuple[None, Outcome]
"""An interval and its facts; or no interval, and the outcome that explains why."""


def judge_scaling(record: ScalingRecord, limit: Limit) -> Verdict:
    """Return the verdict on one limit. Inconclusive, with the reason, if the record does not decide it."""
    interval, about = _FINDINGS[limit.rule](record, limit)
    status = _decision(interval, limit)
    return outcome(
        limit,
        storage_class=record.storage_class,
        status=status,
        finding=about if isinstance(about, Outcome) else Outcome(code=f"scaling.{LIES[status]}", facts=about),
        value=None if interval is None else interval.mean,
        interval=None if interval is None else (interval.low, interval.high),
        confidence=None if limit.rule == "rate_limited" else record.confidence,
    )


def left_open(record: ScalingRecord, limits: Collection[Limit]) -> set[int]:
    """Return the steps, by their number of pods, of undecided limits: measured for longer, they may decide them."""
    return {pods for limit in limits if not is_decided(record, limit) for pods in _rests_on(record, limit)}


def is_decided(record: ScalingRecord, limit: Limit) -> bool:
    """Return whether the limit would now be judged pass or fail."""
    interval, _ = _FINDINGS[limit.rule](record, limit)
    return _decision(interval, limit) != "inconclusive"


def deciding(spans: Mapping[str, Interval], *, at_least: float) -> str:
    """Return the pod that decides a limit on each of the pods, for the verdict and for its report.

    That is the slowest of the pods that surely miss the limit; if none does, the one least sure to reach it.
    """
    missing = {pod: span for pod, span in spans.items() if span.high < at_least}
    return min(missing or spans, key=lambda pod: spans[pod].mean if missing else spans[pod].low)


def reached_shares(rates: RateRecord) -> dict[str, Interval]:
    """Return the share of its rate that each volume got, for the volumes whose bounds are known."""
    return {
        pod: Interval(share.mean, share.low, share.high)
        for pod, share in rates.reached.items()
        if share.low is not None and share.high is not None
    }


def _decision(interval: Interval | None, limit: Limit) -> Decision:
    return "inconclusive" if interval is None else decide(interval.low, interval.high, **{limit.operator: limit.bound})


def _rests_on(record: ScalingRecord, limit: Limit) -> set[int]:
    steps = [step.pods for step in record.steps]
    match limit.rule:
        case "per_volume":
            return {pods for pods in steps if pods == limit.at["pods"]}
        case "latency_growth" if len(steps) > 1:
            return {steps[0], steps[-1]}
        case "total_at_last_step" if len(steps) > 1:
            return {before_last(record).pods, steps[-1]}
    return set()


def skip_judging(record: ScalingRecord) -> Verdict:
    """Return a skipped verdict: the tier has no scaling limit for this profile. The facts hold the measured values."""
    totals: list[JsonValue] = [{"pods": step.pods, "total": step.total.mean} for step in record.steps]
    return without_limit(
        verdict_id(record.storage_class, record.profile, record.metric, "scaling"),
        storage_class=record.storage_class,
        profile=record.profile,
        finding=Outcome(code="scaling.unlimited", facts={"rate": record.metric, "totals": totals}),
    )


def _no_interval(code: str, **facts: JsonValue) -> tuple[None, Outcome]:
    return None, Outcome(code=f"scaling.{code}", facts=facts)


def _at_last_step(record: ScalingRecord, limit: Limit) -> Finding:
    if len(record.steps) < 2:
        return _no_interval("one_step")
    last, before = record.steps[-1], before_last(record)
    facts: Facts = {
        "volumes": last.pods,
        "total": last.total.mean,
        "before_volumes": before.pods,
        "still_grew": record.capacity is None,
    }
    return _ratio(last.total, before.total, record, facts, batch_s=min(last.batch_s, before.batch_s))


def before_last(record: ScalingRecord) -> StepRecord:
    """Return the step to compare the last with: the beginning of the plateau, or the step before if it still grew."""
    plateau = None if record.capacity is None else record.capacity.plateau_pods
    return next((step for step in record.steps if step.pods == plateau), record.steps[-2])


def _per_volume(record: ScalingRecord, limit: Limit) -> Finding:
    """Return the finding on the volume that decides: the mean of all would hide one that stalls."""
    step = next((step for step in record.steps if step.pods == limit.at["pods"]), None)
    if step is None:
        return _no_interval("no_such_step", steps=[step.pods for step in record.steps])
    spans = {
        volume.pod: Interval(volume.rate, volume.low, volume.high)
        for volume in step.volumes
        if volume.low is not None and volume.high is not None
    }
    if len(spans) < step.pods:
        return _no_interval("too_few_seconds")
    pod = deciding(spans, at_least=limit.bound)
    facts: Facts = {"pod": pod, "mean_of_all": step.per_volume.mean}
    return spans[pod], facts


def _latency_growth(record: ScalingRecord, limit: Limit) -> Finding:
    if len(record.steps) < 2:
        return _no_interval("one_step")
    first, last = record.steps[0], record.steps[-1]
    before, after = _latency(first, limit), _latency(last, limit)
    if before is None or after is None:
        return _no_interval("no_latency")
    facts: Facts = {
        "volumes": last.pods,
        "latency_s": after.mean,
        "before_volumes": first.pods,
        "before_latency_s": before.mean,
    }
    return _ratio(after, before, record, facts, batch_s=min(last.batch_s, first.batch_s))


def _latency(step: StepRecord, limit: Limit) -> Figure | None:
    return step.latency_p99_s if limit.metric.statistic == "percentile" else step.latency_mean_s


def _at_set_rate(record: ScalingRecord, limit: Limit) -> Finding:
    """Return the finding on the volume that decides: one that misses its rate fails, and all must reach it to pass.

    The fact `capacity` is present if it is known; `together`, if the sum of all shows that the rate was too high.
    """
    rates = record.rate_limited
    if rates is None:
        return _no_interval("no_set_rate")
    spans = reached_shares(rates)
    if len(spans) < rates.pods:
        return _no_interval("too_few_seconds")
    pod = deciding(spans, at_least=limit.bound)
    facts: Facts = {"pod": pod, "volumes": rates.pods, "rate": rates.rate}
    if record.capacity is not None:
        facts["capacity"] = record.capacity.constant.mean
    together = sum(span.mean for span in spans.values()) * rates.rate
    if together < limit.bound * rates.rate * rates.pods:
        facts["together"] = together
    return spans[pod], facts


def _node_scaling(record: ScalingRecord, limit: Limit) -> Finding:
    nodes = record.nodes
    if nodes is None:
        return _no_interval("no_more_nodes")
    fewer, more = nodes.on_fewer_nodes, nodes.on_more_nodes
    facts: Facts = {
        "nodes": nodes.more_nodes,
        "volumes": more.pods,
        "total": more.total.mean,
        "before_nodes": nodes.fewer_nodes,
        "before_volumes": fewer.pods,
        "before_total": fewer.total.mean,
    }
    return _ratio(more.total, fewer.total, record, facts, batch_s=min(more.batch_s, fewer.batch_s))


_FINDINGS: dict[str, Callable[[ScalingRecord, Limit], Finding]] = {
    "total_at_last_step": _at_last_step,
    "per_volume": _per_volume,
    "latency_growth": _latency_growth,
    "rate_limited": _at_set_rate,
    "node_scaling": _node_scaling,
}


def _ratio(after: Figure, before: Figure, record: ScalingRecord, facts: Facts, *, batch_s: int) -> Finding:
    correlation = ratio_correlation(batch_s)
    ratio = independent_ratio(after.batches, before.batches, confidence=record.confidence, correlation=correlation)
    return _no_interval("stalled") if ratio is None else (ratio, facts)

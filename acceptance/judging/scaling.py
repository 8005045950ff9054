"""Scaling record + limit -> verdict. Pure; certain or none: the whole interval must lie on one side of the limit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from pydantic import JsonValue

from acceptance.judging.outcome import decide, not_judged, outcome, verdict_id
from acceptance.limits.limit import Limit
from acceptance.results.document import Verdict
from acceptance.results.requirement import LIES, Decision, Outcome
from acceptance.results.scaling import Figure, RateRecord, ScalingRecord, StepRecord
from acceptance.statistics.intervals import Interval
from acceptance.statistics.ratios import independent_ratio
from acceptance.statistics.step_analyses import ratio_correlation

Facts = dict[str, JsonValue]
Finding = tuple[Interval, Facts] | tuple[None, Outcome]
"""What was found with its interval, and the facts that tell what of; or no interval, and why there is none."""


def judge_scaling(record: ScalingRecord, limit: Limit) -> Verdict:
    """The verdict on one limit. Inconclusive where the record cannot tell, with the reason."""
    found, about = _FINDINGS[limit.rule](record, limit)
    status = _decision(found, limit)
    return outcome(
        limit,
        storage_class=record.storage_class,
        status=status,
        found=about if isinstance(about, Outcome) else Outcome(code=f"scaling.{LIES[status]}", facts=about),
        measured=None if found is None else found.mean,
        interval=None if found is None else (found.low, found.high),
        confidence=None if limit.rule == "rate_limited" else record.confidence,
    )


def left_open(record: ScalingRecord, limits: Collection[Limit]) -> set[int]:
    """The steps, by their pods, on which rest the limits that no step decides yet: measured for longer, they may."""
    return {pods for limit in limits if not is_decided(record, limit) for pods in _rests_on(record, limit)}


def is_decided(record: ScalingRecord, limit: Limit) -> bool:
    """Whether the limit would now be judged pass or fail."""
    found, _ = _FINDINGS[limit.rule](record, limit)
    return _decision(found, limit) != "inconclusive"


def deciding(spans: Mapping[str, Interval], *, at_least: float) -> str:
    """Which pod a limit on each of them rests on, for the verdict and for all that is told beside it.

    The slowest of the pods that surely miss the limit; where none does, the one that is least sure to reach it.
    """
    missing = {pod: span for pod, span in spans.items() if span.high < at_least}
    return min(missing or spans, key=lambda pod: spans[pod].mean if missing else spans[pod].low)


def reached(rates: RateRecord) -> dict[str, Interval]:
    """The share of its rate that each volume got, of those for which bounds are known."""
    return {
        pod: Interval(each.mean, each.low, each.high)
        for pod, each in rates.reached.items()
        if each.low is not None and each.high is not None
    }


def _decision(found: Interval | None, limit: Limit) -> Decision:
    return "inconclusive" if found is None else decide(found.low, found.high, **{limit.operator: limit.bound})


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


def unjudged(record: ScalingRecord) -> Verdict:
    """No verdict: the tier has no scaling limit for this profile. The facts are what was measured."""
    totals: list[JsonValue] = [{"pods": step.pods, "total": step.total.mean} for step in record.steps]
    return not_judged(
        verdict_id(record.storage_class, record.profile, record.metric, "scaling"),
        storage_class=record.storage_class,
        profile=record.profile,
        found=Outcome(code="scaling.unlimited", facts={"rate": record.metric, "totals": totals}),
    )


def _none(code: str, **facts: JsonValue) -> tuple[None, Outcome]:
    return None, Outcome(code=f"scaling.{code}", facts=facts)


def _at_last_step(record: ScalingRecord, limit: Limit) -> Finding:
    if len(record.steps) < 2:
        return _none("one_step")
    last, before = record.steps[-1], before_last(record)
    facts: Facts = {
        "volumes": last.pods,
        "total": last.total.mean,
        "before_volumes": before.pods,
        "still_grew": record.capacity is None,
    }
    return _ratio(last.total, before.total, record, facts, batch_s=min(last.batch_s, before.batch_s))


def before_last(record: ScalingRecord) -> StepRecord:
    """The step that the last is compared with: where the plateau begins, or the one before where it still grew."""
    plateau = None if record.capacity is None else record.capacity.plateau_pods
    return next((step for step in record.steps if step.pods == plateau), record.steps[-2])


def _per_volume(record: ScalingRecord, limit: Limit) -> Finding:
    """Of the volume that decides: the mean of all would hide one that stands still."""
    step = next((step for step in record.steps if step.pods == limit.at["pods"]), None)
    if step is None:
        return _none("no_such_step", steps=[each.pods for each in record.steps])
    spans = {
        volume.pod: Interval(volume.rate, volume.low, volume.high)
        for volume in step.volumes
        if volume.low is not None and volume.high is not None
    }
    if len(spans) < step.pods:
        return _none("too_few_seconds")
    pod = deciding(spans, at_least=limit.bound)
    facts: Facts = {"pod": pod, "mean_of_all": step.per_volume.mean}
    return spans[pod], facts


def _latency_growth(record: ScalingRecord, limit: Limit) -> Finding:
    if len(record.steps) < 2:
        return _none("one_step")
    first, last = record.steps[0], record.steps[-1]
    before, after = _latency(first, limit), _latency(last, limit)
    if before is None or after is None:
        return _none("no_latency")
    facts: Facts = {
        "volumes": last.pods,
        "latency_s": after.mean,
        "before_volumes": first.pods,
        "before_latency_s": before.mean,
    }
    return _ratio(after, before, record, facts, batch_s=min(last.batch_s, first.batch_s))


def _latency(step: StepRecord, limit: Limit) -> Figure | None:
    return step.latency_p99_s if limit.metric.statistic == "percentile" else step.latency_mean_s


def _rate_limited(record: ScalingRecord, limit: Limit) -> Finding:
    """Of the volume that decides: one that misses its rate fails, and all must reach it to pass.

    `capacity` is a fact where it is known; `together`, where all together show that it was asked for too much.
    """
    rates = record.rate_limited
    if rates is None:
        return _none("no_set_rate")
    spans = reached(rates)
    if len(spans) < rates.pods:
        return _none("too_few_seconds")
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
        return _none("no_more_nodes")
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
    "rate_limited": _rate_limited,
    "node_scaling": _node_scaling,
}


def _ratio(after: Figure, before: Figure, record: ScalingRecord, facts: Facts, *, batch_s: int) -> Finding:
    correlation = ratio_correlation(batch_s)
    found = independent_ratio(after.batches, before.batches, confidence=record.confidence, correlation=correlation)
    return _none("stalled") if found is None else (found, facts)

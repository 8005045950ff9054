"""Scaling record + limit -> verdict. Pure; certain or none: the whole interval must lie on one side of the limit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from acceptance.judging.outcome import decide, held_against, not_judged, outcome, verdict_id
from acceptance.limits.scaling import Kind, ScalingLimit, rate_unit
from acceptance.results.document import Verdict
from acceptance.results.ratio_words import share
from acceptance.results.requirement import Decision
from acceptance.results.scaling import Figure, RateRecord, ScalingRecord, StepRecord
from acceptance.statistics.intervals import Interval
from acceptance.statistics.ratios import independent_ratio
from acceptance.statistics.step_analyses import ratio_correlation
from acceptance.text.quantities import format_quantity

Finding = tuple[Interval | None, str]
"""What was found with its interval, and what of; or no interval, and why there is none."""


def judge_scaling(record: ScalingRecord, limit: ScalingLimit) -> Verdict:
    """The verdict on one limit. Inconclusive where the record cannot tell, with the reason."""
    found, about = _FINDINGS[limit.kind](record, limit)
    status = _decision(found, limit)
    return outcome(
        limit,
        storage_class=record.storage_class,
        status=status,
        reason=_reason(record, limit, found, about, status),
        measured=None if found is None else found.mean,
        interval=None if found is None else (found.low, found.high),
        unit=limit.unit,
        confidence=None if limit.kind == "rate_limited" else record.confidence,
    )


def left_open(record: ScalingRecord, limits: Collection[ScalingLimit]) -> set[int]:
    """The steps, by their pods, on which rest the limits that no step decides yet: measured for longer, they may."""
    return {pods for each in limits if not is_decided(record, each) for pods in _rests_on(record, each)}


def is_decided(record: ScalingRecord, limit: ScalingLimit) -> bool:
    """Whether the limit would now be judged pass or fail."""
    found, _ = _FINDINGS[limit.kind](record, limit)
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


def _decision(found: Interval | None, limit: ScalingLimit) -> Decision:
    return "inconclusive" if found is None else decide(found.low, found.high, **{_side(limit): limit.value})


def _side(limit: ScalingLimit) -> str:
    return "at_most" if limit.kind == "latency_growth" else "at_least"


def _rests_on(record: ScalingRecord, limit: ScalingLimit) -> set[int]:
    steps = [step.pods for step in record.steps]
    match limit.kind:
        case "per_volume":
            return {pods for pods in steps if pods == limit.pods}
        case "latency_growth" if len(steps) > 1:
            return {steps[0], steps[-1]}
        case "total_at_last_step" if len(steps) > 1:
            return {before_last(record).pods, steps[-1]}
    return set()


def unjudged(record: ScalingRecord) -> Verdict:
    """No verdict: the tier has no scaling limit for this profile. The reason holds what was measured."""
    totals = ", ".join(f"{step.pods}: {format_quantity(step.total.mean, unit=record.unit)}" for step in record.steps)
    return not_judged(
        verdict_id(record.storage_class, record.profile, record.metric, "scaling"),
        storage_class=record.storage_class,
        profile=record.profile,
        reason=f"{record.profile} on {record.storage_class}: measured (total {record.metric} by volumes: {totals}), "
        "not judged: the tier has no scaling limit for this profile; to judge it add one under scaling: "
        f"{record.profile}:",
    )


def _at_last_step(record: ScalingRecord, limit: ScalingLimit) -> Finding:
    if len(record.steps) < 2:
        return None, "has one step only, so there is no plateau to compare with"
    last = record.steps[-1]
    before = before_last(record)
    of = f"total of {last.pods} volumes ({_shown(last.total, limit)}) as a share of that of {before.pods}"
    if record.capacity is None:
        of += ", after which it still grew"
    return _ratio(last.total, before.total, record, of, batch_s=min(last.batch_s, before.batch_s))


def before_last(record: ScalingRecord) -> StepRecord:
    """The step that the last is compared with: where the plateau begins, or the one before where it still grew."""
    plateau = None if record.capacity is None else record.capacity.plateau_pods
    return next((step for step in record.steps if step.pods == plateau), record.steps[-2])


def _per_volume(record: ScalingRecord, limit: ScalingLimit) -> Finding:
    """Of the volume that decides: the mean of all would hide one that stands still."""
    step = next((step for step in record.steps if step.pods == limit.pods), None)
    if step is None:
        there_are = ", ".join(str(each.pods) for each in record.steps)
        return None, f"has no step of {limit.pods} volumes, only of {there_are}; add it with --storage-scale-steps"
    spans = {
        each.pod: Interval(each.rate, each.low, each.high)
        for each in step.volumes
        if each.low is not None and each.high is not None
    }
    if len(spans) < step.pods:
        return None, "has too few seconds for a confidence interval; use a longer --storage-scale-window"
    pod = deciding(spans, at_least=limit.value)
    mean = format_quantity(step.per_volume.mean, unit=record.unit)
    return spans[pod], f"of {pod}, one of {step.pods} volumes loaded at once (their mean is {mean})"


def _latency_growth(record: ScalingRecord, limit: ScalingLimit) -> Finding:
    if len(record.steps) < 2:
        return None, "has one step only, so there is no growth"
    first, last = record.steps[0], record.steps[-1]
    before, after = _latency(first, limit), _latency(last, limit)
    if before is None or after is None:
        return None, f"takes no {limit.metric}: the profile or its fio options leave it out"
    of = (
        f"mean over {last.pods} volumes ({format_quantity(after.mean, unit='s')}) as a multiple of that over "
        f"{first.pods} ({format_quantity(before.mean, unit='s')})"
    )
    return _ratio(after, before, record, of, batch_s=min(last.batch_s, first.batch_s))


def _latency(step: StepRecord, limit: ScalingLimit) -> Figure | None:
    return step.latency_p99_s if limit.metric.statistic == "percentile" else step.latency_mean_s


def _rate_limited(record: ScalingRecord, limit: ScalingLimit) -> Finding:
    """Of the volume that decides: one that misses its rate fails, and all must reach it to pass."""
    rates = record.rate_limited
    if rates is None:
        return None, "was not run rate-limited"
    spans = reached(rates)
    if len(spans) < rates.pods:
        return None, "has too few seconds for a confidence interval; use a longer --storage-scale-window"
    pod = deciding(spans, at_least=limit.value)
    rate, asked = (format_quantity(value, unit=record.unit) for value in (rates.rate, rates.rate * rates.pods))
    if record.capacity is not None:
        of_all = rates.rate * rates.pods / record.capacity.constant.mean
        asked += f" in all, {share(of_all)} of the capacity"
    else:
        asked += " in all"
    of = f"of {pod}, one of {rates.pods} volumes that were asked for {rate} each ({asked}), as a share of it"
    together = sum(each.mean for each in spans.values()) * rates.rate
    if together < limit.value * rates.rate * rates.pods:
        done = format_quantity(together, unit=record.unit)
        of += f" (all together reached {done}: the rate is above what the storage can do)"
    return spans[pod], of


def _node_scaling(record: ScalingRecord, limit: ScalingLimit) -> Finding:
    nodes = record.nodes
    if nodes is None:
        return None, "was not measured on two numbers of nodes"
    fewer, more = nodes.on_fewer_nodes, nodes.on_more_nodes
    of = (
        f"total on {nodes.more_nodes} nodes ({more.pods} volumes, {_shown(more.total, limit)}) as a "
        f"multiple of that on {nodes.fewer_nodes} ({fewer.pods} volumes, {_shown(fewer.total, limit)})"
    )
    return _ratio(more.total, fewer.total, record, of, batch_s=min(more.batch_s, fewer.batch_s))


_FINDINGS: dict[Kind, Callable[[ScalingRecord, ScalingLimit], Finding]] = {
    "total_at_last_step": _at_last_step,
    "per_volume": _per_volume,
    "latency_growth": _latency_growth,
    "rate_limited": _rate_limited,
    "node_scaling": _node_scaling,
}


def _ratio(after: Figure, before: Figure, record: ScalingRecord, of: str, *, batch_s: int) -> Finding:
    correlation = ratio_correlation(batch_s)
    found = independent_ratio(after.batches, before.batches, confidence=record.confidence, correlation=correlation)
    return found, of if found is not None else "stalled or has too few seconds for a confidence interval"


def _reason(record: ScalingRecord, limit: ScalingLimit, found: Interval | None, about: str, status: Decision) -> str:
    subject = f"{limit.metric} of {limit.profile} on {record.storage_class}"
    if found is None:
        return f"{subject} {about}; so it cannot be judged."
    mean, low, high = (limit.shown(value, beside=limit.value) for value in found)
    wanted = f"{_side(limit).replace('_', ' ')} {limit.shown(limit.value)}"
    sure = f"{record.confidence * 100:.4g}% CI {low} to {high}"
    if limit.kind == "rate_limited":
        sure = f"lower bound for its backlog {low}, upper bound {high}"
    open_ = "a quieter machine or a longer window would decide it"
    lies = held_against(status, wanted, because=limit.because, left_open=open_)
    return f"{subject}, {about}, is {mean} ({sure}), {lies}."


def _shown(figure: Figure, limit: ScalingLimit) -> str:
    return format_quantity(figure.mean, unit=rate_unit(limit.metric))

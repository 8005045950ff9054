"""Scale runs for the report: a row for each step, and their findings in words. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from acceptance.judging.scaling import before_last, deciding, reached_shares
from acceptance.report.chapters import in_chapter
from acceptance.report.gauges import Gauge, LabeledValues, declare_gauges
from acceptance.report.labels import label_of_all
from acceptance.report.parts import Part, Table, numbers
from acceptance.report.pictures import each_by_volumes, together_by_volumes
from acceptance.report.pictures.levels import Level
from acceptance.results.bounds import bound_of
from acceptance.results.document import Results, Verdict
from acceptance.results.ratio_words import share
from acceptance.results.scaling import Figure, NodesRecord, RateRecord, ScalingRecord, StepRecord
from acceptance.results.verdicts import worst
from acceptance.text.quantities import counted, format_quantity
from acceptance.trials.scaling.model import volumes_at


@in_chapter("many-volumes")
def scaling_parts(results: Results) -> Iterator[Part]:
    """Yield a part for each class and profile, in the order in which they were measured."""
    if results.scaling:
        sure = f"{results.scaling[0].confidence * 100:.4g}%"
        introduction = "All volumes of a step are loaded at the same time, each by its own pod. The intervals are"
        yield Part(blocks=[f"{introduction} {sure} CIs; latencies are means over the pods."])
    yield from (_part(record, results.verdicts) for record in results.scaling)


def _part(record: ScalingRecord, verdicts: Sequence[Verdict]) -> Part:
    about = (record.storage_class, record.profile)
    about_many = [verdict for verdict in verdicts if verdict.subject == "many-volumes"]
    own = [verdict for verdict in about_many if (verdict.storage_class, verdict.profile) == about]
    heads = ("Smallest to largest", "Together", "Latency, mean", "Latency, p99")
    return Part(
        title=f"{record.profile} on {record.storage_class}",
        status=worst(own),
        label=label_of_all(own),
        blocks=[
            Table(
                columns=numbers("Volumes", f"Each, {record.metric}", *heads),
                rows=[_row(step, record) for step in record.steps],
            ),
            together_by_volumes(record, limits=list(_of_the_total(record, own))),
            each_by_volumes(record, limits=list(_of_each(own))),
            [*_sentences(record, own), _measurement_sentence(record)],
        ],
    )


def _measurement_sentence(record: ScalingRecord) -> str:
    clocks = max(step.clock_spread_s for step in record.steps)
    return (
        f"In each step, the {record.steps[-1].window_s:.0f} s in which all volumes were loaded count. The clocks of "
        f"the nodes differed by up to {format_quantity(clocks, unit='s')}; the times are corrected."
    )


def _of_the_total(record: ScalingRecord, verdicts: Sequence[Verdict]) -> Iterator[Level]:
    """Yield the limits on the total of the last step, from the total of the step that it is compared with."""
    for verdict in verdicts:
        bound = bound_of(verdict) if verdict.rule == "total_at_last_step" else None
        if bound is not None and len(record.steps) > 1:
            before, last = before_last(record), record.steps[-1]
            least = bound.value * before.total.mean
            yield Level(
                value=least,
                at=last.pods,
                words=f"{bound.words} of the total at {before.pods}, {format_quantity(least, unit=record.unit)}",
            )


def _of_each(verdicts: Sequence[Verdict]) -> Iterator[Level]:
    """Yield the limits on each of a number of volumes."""
    for verdict in verdicts:
        pods = verdict.requirement.at.get("pods")
        if verdict.rule == "per_volume" and isinstance(pods, int) and (bound := bound_of(verdict)) is not None:
            yield Level(value=bound.value, at=pods, words=f"each of {pods} volumes {bound.words}")


def _row(step: StepRecord, record: ScalingRecord) -> tuple[str, ...]:
    rates = [volume.rate for volume in step.volumes]
    spread = " to ".join(format_quantity(pick(rates), unit=record.unit) for pick in (min, max))
    return (
        str(step.pods),
        format_quantity(step.per_volume.mean, unit=record.unit),
        spread if len(rates) > 1 else "",
        _text(step.total, record),
        *(
            "not measured" if latency is None else format_quantity(latency.mean, unit="s")
            for latency in (step.latency_mean_s, step.latency_p99_s)
        ),
    )


def _sentences(record: ScalingRecord, verdicts: Sequence[Verdict]) -> Iterator[str]:
    if record.incomplete is not None:
        yield f"Incomplete: the run was aborted by: {record.incomplete}"
    yield _capacity(record)
    if record.rate_limited is not None:
        bounds = [bound_of(verdict) for verdict in verdicts if verdict.rule == "rate_limited"]
        yield _set_rate_sentence(record.rate_limited, record, next((bound.value for bound in bounds if bound), None))
    if record.nodes is not None:
        yield _nodes(record.nodes, record)


def _capacity(record: ScalingRecord) -> str:
    last = record.steps[-1].pods
    if record.capacity is None:
        reason = "one step only" if len(record.steps) == 1 else f"the total still grew at {_volumes(last)}"
        return f"Capacity: not known, {reason}; use more steps (--storage-scale steps)."
    constant, start = record.capacity.constant, record.capacity.plateau_pods
    between = _text(constant, record)
    if constant.low is None:
        between += " (from two steps only, so without a CI)"
    words = (
        f"Capacity: {between}. From {_volumes(start)} on, the total does not grow, and the volumes share it: each of y "
        f"volumes gets {format_quantity(constant.mean, unit=record.unit)} / y."
    )
    if record.rate_limited is None:
        return words
    demand = record.rate_limited.rate
    return (
        f"{words} So {_volumes(volumes_at(constant.mean, demand=demand))} can get "
        f"{format_quantity(demand, unit=record.unit)} each."
    )


def _set_rate_sentence(rates: RateRecord, record: ScalingRecord, limit: float | None) -> str:
    """Return the sentence about volumes at a set rate.

    `limit`: the share that each was to reach, if that was judged: the volume in the sentence is then the verdict's own.
    """
    of_capacity = ""
    if record.capacity is not None and record.capacity.constant.mean:
        of_capacity = f", {share(rates.rate * rates.pods / record.capacity.constant.mean)} of the capacity"
    together = rates.rate * sum(figure.mean for figure in rates.reached.values())
    each_rate, total_rate, reached_rate = (
        format_quantity(rate, unit=record.unit) for rate in (rates.rate, rates.rate * rates.pods, together)
    )
    return (
        f"At a set rate: {_volumes(rates.pods)} with a rate of {each_rate} each ({total_rate} in all{of_capacity}) did "
        f"{reached_rate} together. {_least(rates, limit)}"
    )


def _least(rates: RateRecord, limit: float | None) -> str:
    """Return the volume with the smallest share of its rate, and whether it is slow or only uncertain.

    Such as `The slowest is load-2: it reached 96.2 % (94 % to 98 %) of its rate.`
    """
    spans = reached_shares(rates)
    if len(spans) < len(rates.reached):
        pod = min(rates.reached, key=lambda name: rates.reached[name].mean)
        return f"The slowest is {pod}: it reached {share(rates.reached[pod].mean)} of its rate."
    pod = deciding(spans, at_least=limit or 0.0)
    mean, low, high = spans[pod]
    verdict_in_words = "The slowest is" if limit is not None and high < limit else "The least certain is"
    return f"{verdict_in_words} {pod}: it reached {share(mean)} ({share(low)} to {share(high)}) of its rate."


def _nodes(nodes: NodesRecord, record: ScalingRecord) -> str:
    few, many = nodes.on_fewer_nodes, nodes.on_more_nodes
    times = f": {many.total.mean / few.total.mean:.2f}x" if few.total.mean > 0 else ""
    return (
        f"Twice the nodes: {_volumes(few.pods)} on {counted(nodes.fewer_nodes, 'node')} did {_text(few.total, record)} "
        f"together, {_volumes(many.pods)} on {counted(nodes.more_nodes, 'node')} {_text(many.total, record)}{times}."
    )


def _text(figure: Figure, record: ScalingRecord) -> str:
    mean = format_quantity(figure.mean, unit=record.unit)
    if figure.low is None or figure.high is None:
        return mean
    low, high = (format_quantity(value, unit=record.unit) for value in (figure.low, figure.high))
    return f"{mean} ({low} to {high})"


def _totals(record: ScalingRecord, *, unit: str) -> LabeledValues:
    if record.unit == unit:
        for step in record.steps:
            yield step.total, {"profile": record.profile, "volumes": str(step.pods)}


def _capacities(record: ScalingRecord, *, unit: str) -> LabeledValues:
    if record.unit == unit and record.capacity is not None:
        yield record.capacity.constant, {"profile": record.profile}


declare_gauges(
    "scaling",
    Gauge(
        name="scaling_iops",
        help="IOPS of that number of volumes together",
        labels=("profile", "volumes", "bound"),
        samples=partial(_totals, unit="1/s"),
    ),
    Gauge(
        name="scaling_bandwidth_bytes_per_second",
        help="bandwidth of that number of volumes together",
        labels=("profile", "volumes", "bound"),
        samples=partial(_totals, unit="B/s"),
    ),
    Gauge(
        name="scaling_capacity_iops",
        help="IOPS that all volumes share on saturated storage",
        labels=("profile", "bound"),
        samples=partial(_capacities, unit="1/s"),
    ),
    Gauge(
        name="scaling_capacity_bytes_per_second",
        help="bandwidth that all volumes share on saturated storage",
        labels=("profile", "bound"),
        samples=partial(_capacities, unit="B/s"),
    ),
)


def _volumes(number: int) -> str:
    return counted(number, "volume")

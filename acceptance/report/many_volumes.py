"""Scale runs for the report: a row a step, and in words what follows from them. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from acceptance.judging.scaling import before_last, deciding, reached
from acceptance.report.picture import Picture
from acceptance.report.pictures import each_by_volumes, together_by_volumes
from acceptance.report.pictures.levels import Level
from acceptance.results.bounds import bound_of
from acceptance.results.document import Results, Status, Verdict
from acceptance.results.ratio_words import share
from acceptance.results.scaling import Figure, NodesRecord, RateRecord, ScalingRecord, StepRecord
from acceptance.results.verdicts import worst
from acceptance.text.quantities import format_quantity
from acceptance.trials.scaling.model import volumes_at


@dataclass(frozen=True, kw_only=True)
class Row:
    """One step, as it is shown. Latencies are means over the pods."""

    volumes: int
    each: str
    smallest_to_largest: str
    together: str
    latency_mean: str
    latency_p99: str


@dataclass(frozen=True, kw_only=True)
class Section:
    """One profile on many volumes of one class. `status` is the worst of its verdicts, None where there is none."""

    storage_class: str
    profile: str
    metric: str
    status: Status | None
    measured: str
    rows: list[Row]
    sentences: list[str]
    pictures: list[Picture]


def sections(results: Results) -> list[Section]:
    """One section for each class and profile, in the order in which they were measured."""
    return [_section(record, results.verdicts) for record in results.scaling]


def _section(record: ScalingRecord, verdicts: Sequence[Verdict]) -> Section:
    about = (record.storage_class, record.profile)
    about_many = [each for each in verdicts if each.subject == "many-volumes"]
    own = [each for each in about_many if (each.storage_class, each.profile) == about]
    last = record.steps[-1]
    clocks = max(step.clock_spread_s for step in record.steps)
    return Section(
        storage_class=record.storage_class,
        profile=record.profile,
        metric=record.metric,
        status=worst(own),
        measured=f"In each step {last.window_s:.0f} s count, when all its volumes were loaded. The clocks of the "
        f"nodes were up to {format_quantity(clocks, unit='s')} apart; that is corrected.",
        rows=[_row(step, record) for step in record.steps],
        sentences=list(_sentences(record, own)),
        pictures=[
            each
            for each in (
                together_by_volumes(record, limits=list(_of_the_total(record, own))),
                each_by_volumes(record, limits=list(_of_each(own))),
            )
            if each
        ],
    )


def _of_the_total(record: ScalingRecord, verdicts: Sequence[Verdict]) -> Iterator[Level]:
    """What the total of the last step must be, from that of the step that it is compared with."""
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
    """What each of so many volumes must do."""
    for verdict in verdicts:
        pods = verdict.requirement.at.get("pods")
        if verdict.rule == "per_volume" and isinstance(pods, int) and (bound := bound_of(verdict)) is not None:
            yield Level(value=bound.value, at=pods, words=f"each of {pods} volumes {bound.words}")


def _row(step: StepRecord, record: ScalingRecord) -> Row:
    rates = [volume.rate for volume in step.volumes]
    latencies = [
        "not taken" if each is None else format_quantity(each.mean, unit="s")
        for each in (step.latency_mean_s, step.latency_p99_s)
    ]
    return Row(
        volumes=step.pods,
        each=format_quantity(step.per_volume.mean, unit=record.unit),
        smallest_to_largest=" to ".join(format_quantity(pick(rates), unit=record.unit) for pick in (min, max))
        if len(rates) > 1
        else "",
        together=_shown(step.total, record),
        latency_mean=latencies[0],
        latency_p99=latencies[1],
    )


def _sentences(record: ScalingRecord, verdicts: Sequence[Verdict]) -> Iterator[str]:
    if record.incomplete is not None:
        yield f"Incomplete: the run was aborted by: {record.incomplete}"
    yield _capacity(record)
    if record.rate_limited is not None:
        bounds = [bound_of(each) for each in verdicts if each.rule == "rate_limited"]
        yield _rate_limited(record.rate_limited, record, next((each.value for each in bounds if each), None))
    if record.nodes is not None:
        yield _nodes(record.nodes, record)


def _capacity(record: ScalingRecord) -> str:
    last = record.steps[-1].pods
    if record.capacity is None:
        found = "one step only" if len(record.steps) == 1 else f"the total still grew at {_count(last)}"
        return f"Capacity: not known, {found}; use more steps (--storage-scale-steps)."
    constant, start = record.capacity.constant, record.capacity.plateau_pods
    between = _shown(constant, record)
    if constant.low is None:
        between += " (from two steps only, so without a CI)"
    words = (
        f"Capacity: {between}. From {_count(start)} on the total grows no more, and volumes share it: y volumes get "
        f"{format_quantity(constant.mean, unit=record.unit)} / y each."
    )
    if record.rate_limited is None:
        return words
    demand = record.rate_limited.rate
    return (
        f"{words} By that {_count(volumes_at(constant.mean, demand=demand))} can have "
        f"{format_quantity(demand, unit=record.unit)} each."
    )


def _rate_limited(rates: RateRecord, record: ScalingRecord, limit: float | None) -> str:
    """`limit`: the share that each was to reach, where that was judged: the volume named is the verdict's own."""
    of_capacity = ""
    if record.capacity is not None and record.capacity.constant.mean:
        of_capacity = f", {share(rates.rate * rates.pods / record.capacity.constant.mean)} of the capacity"
    together = rates.rate * sum(each.mean for each in rates.reached.values())
    asked, all_asked, done = (
        format_quantity(rate, unit=record.unit) for rate in (rates.rate, rates.rate * rates.pods, together)
    )
    return (
        f"At a set rate: {_count(rates.pods)}, each asked for {asked} ({all_asked} in all{of_capacity}), did "
        f"{done} together. {_least(rates, limit)}"
    )


def _least(rates: RateRecord, limit: float | None) -> str:
    """`The slowest is load-2: it did 96.2 % (94 % to 98 %) of it.`, and whether it is slow or only not sure."""
    spans = reached(rates)
    if len(spans) < len(rates.reached):
        pod = min(rates.reached, key=lambda each: rates.reached[each].mean)
        return f"The slowest is {pod}: it did {share(rates.reached[pod].mean)} of it."
    pod = deciding(spans, at_least=limit or 0.0)
    mean, low, high = spans[pod]
    which = "The slowest is" if limit is not None and high < limit else "Least sure to reach its rate is"
    return f"{which} {pod}: it did {share(mean)} ({share(low)} to {share(high)}) of it."


def _nodes(nodes: NodesRecord, record: ScalingRecord) -> str:
    few, many = nodes.on_fewer_nodes, nodes.on_more_nodes
    times = f": {many.total.mean / few.total.mean:.2f}x" if few.total.mean > 0 else ""
    return (
        f"Twice the nodes: {_count(few.pods)} on {_count(nodes.fewer_nodes, 'node')} did {_shown(few.total, record)} "
        f"together, {_count(many.pods)} on {_count(nodes.more_nodes, 'node')} {_shown(many.total, record)}{times}."
    )


def _shown(figure: Figure, record: ScalingRecord) -> str:
    mean = format_quantity(figure.mean, unit=record.unit)
    if figure.low is None or figure.high is None:
        return mean
    low, high = (format_quantity(value, unit=record.unit) for value in (figure.low, figure.high))
    return f"{mean} ({low} to {high})"


def _count(number: int, of: str = "volume") -> str:
    return f"{number} {of}{'s' * (number != 1)}"

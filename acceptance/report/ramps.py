"""Ramps of the control plane for the report: how far each went, what ended it, what took how long. Judges nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from acceptance.limits.declared import CONTROL_PLANE
from acceptance.report.picture import Picture
from acceptance.report.pictures import pods_over_time, start_times
from acceptance.report.pictures.levels import Level
from acceptance.results.bounds import bound_of
from acceptance.results.document import Results, Status, Verdict
from acceptance.results.ramps import ControlPlaneRecord
from acceptance.results.verdicts import worst
from acceptance.text.quantities import format_quantity


@dataclass(frozen=True, kw_only=True)
class Row:
    """How long something took, of how many."""

    name: str
    count: str
    times: list[str]


@dataclass(frozen=True, kw_only=True)
class RampSection:
    """The ramp of one class. `status` is the worst of its verdicts, None where there is none."""

    storage_class: str
    status: Status | None
    sentences: list[str]
    phases: list[Row]
    pictures: list[Picture]
    servers: list[Row]
    missing: list[str]


def ramp_sections(results: Results) -> list[RampSection]:
    """One section for each class, in the order in which they were ramped."""
    return [_section(record, results.verdicts) for record in results.control_plane]


def _section(record: ControlPlaneRecord, verdicts: Sequence[Verdict]) -> RampSection:
    about = (record.storage_class, CONTROL_PLANE.profile)
    own = [each for each in verdicts if (each.storage_class, each.profile) == about]
    asked = [bound for each in own if each.metric == "pods" and (bound := bound_of(each))]
    limits = [Level(value=each.value, words=each.words) for each in asked]
    return RampSection(
        storage_class=record.storage_class,
        status=worst(own),
        sentences=list(_sentences(record)),
        phases=[
            Row(name=name, count=str(each.pods), times=[_time(each.p50_s), _time(each.p90_s), _time(each.p99_s)])
            for name, each in record.phases.items()
        ],
        pictures=[each for each in (pods_over_time(record, limits=limits), start_times(record)) if each],
        servers=list(_servers(record)),
        missing=[
            f"not there: {what}, which could not be read: {why}"
            for what, why in (
                ("metrics of the API server", record.api_server_missing),
                ("storage operations of the nodes", record.storage_operations_missing),
            )
            if why is not None
        ],
    )


def _sentences(record: ControlPlaneRecord) -> Iterator[str]:
    ended, down = record.ended, record.ramp_down
    nodes = ", ".join(f"{node}: {pods}" for node, pods in record.per_node.items()) or "none"
    form = "one StatefulSet" if record.form == "set" else "one StatefulSet for each node"
    yield (
        f"{record.pods} pods ran and {record.volumes} volumes were bound when the ramp ended, after "
        f"{format_quantity(ended.after_s, unit='s')}; asked for at {record.rate_per_s * 60:.4g} a minute, up to "
        f"{record.goal}, by {form}. By node: {nodes}."
    )
    yield f"What ended it: {ended.kind.replace('_', ' ')}: {ended.reason.rstrip('.')}."
    if record.linear_until >= len(record.starts):
        yield "Growth was linear to the end."
    else:
        yield f"Growth was linear until {record.linear_until} pods ran; from then on they came later than asked for."
    told = format_quantity(down.scale_down_s, unit="s")
    if down.cleanup_s is None:
        left = ", ".join(down.remaining)
        yield (
            f"Ramp-down: pods were told to end in {told}; "
            f"{format_quantity(down.timeout_s, unit='s')} later there was still {left}."
        )
    else:
        behind = format_quantity(down.cleanup_s, unit="s")
        yield f"Ramp-down: pods were told to end in {told}; all PVCs and PVs were deleted {behind} later."
    if record.observed_late:
        yield (
            f"For {record.observed_late} pods the API server reported a change late, since the connection was "
            "broken: their phases do not count."
        )
    sent = ", ".join(f"{each}: {count}" for each, count in record.requests.items())
    yield f"The suite's own requests to the API server: {sent}."


def _servers(record: ControlPlaneRecord) -> Iterator[Row]:
    for each in record.api_server:
        yield Row(
            name=f"API server, {each.verb}",
            count=f"{each.per_s:.3g} a second",
            times=[_time(each.mean_s), _bound(each.p99_at_most_s)],
        )
    for one in record.storage_operations:
        yield Row(
            name=f"{one.operation} ({one.plugin}, {one.status})",
            count=str(one.count),
            times=[_time(one.mean_s), _bound(one.p99_at_most_s)],
        )


def _time(seconds: float) -> str:
    return format_quantity(max(0.0, seconds), unit="s")


def _bound(seconds: float | None) -> str:
    return "beyond the last bucket" if seconds is None else f"at most {_time(seconds)}"

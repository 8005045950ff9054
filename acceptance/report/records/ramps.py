"""Ramps of the control plane for the report: their size, their end, and the duration of each phase. Judges nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from acceptance.limits.declared import CONTROL_PLANE
from acceptance.report.chapters import in_chapter
from acceptance.report.gauges import Gauge, LabeledValues, declare_gauges
from acceptance.report.labels import label_of_all
from acceptance.report.parts import Part, Table, numbers, words
from acceptance.report.pictures import pods_over_time, start_times
from acceptance.report.pictures.levels import Level
from acceptance.results.bounds import bound_of
from acceptance.results.document import Results, Verdict
from acceptance.results.ramps import ControlPlaneRecord
from acceptance.results.verdicts import worst
from acceptance.text.quantities import format_quantity

_SERVERS = (*words("Requests and operations during the ramp-up"), *numbers("Count", "Mean", "99 %"))


@in_chapter("control-plane", heading="Control plane: pods with a volume each, up and down")
def ramp_parts(results: Results) -> Iterator[Part]:
    """Return a part for each class, in the order in which they were ramped."""
    return (_part(record, results.verdicts) for record in results.control_plane)


def _part(record: ControlPlaneRecord, verdicts: Sequence[Verdict]) -> Part:
    about = (record.storage_class, CONTROL_PLANE.profile)
    own = [verdict for verdict in verdicts if (verdict.storage_class, verdict.profile) == about]
    bounds = [bound for verdict in own if verdict.metric == "pods" and (bound := bound_of(verdict))]
    limits = [Level(value=bound.value, words=bound.words) for bound in bounds]
    phases = Table(
        columns=(*words("From creation to"), *numbers("Pods", "Half of them", "90 %", "99 %")),
        rows=[
            (name, str(phase.pods), *map(_time, (phase.p50_s, phase.p90_s, phase.p99_s)))
            for name, phase in record.phases.items()
        ],
    )
    missing = [
        f"missing: {source} could not be read: {why}"
        for source, why in (
            ("metrics of the API server", record.api_server_missing),
            ("storage operations of the nodes", record.storage_operations_missing),
        )
        if why is not None
    ]
    servers = Table(columns=_SERVERS, rows=list(_servers(record)))
    details = Part(title="Metrics of the API server and the nodes", is_collapsible=True, blocks=[servers, *missing])
    return Part(
        title=record.storage_class,
        status=worst(own),
        label=label_of_all(own),
        blocks=[
            list(_sentences(record)),
            pods_over_time(record, limits=limits),
            start_times(record),
            *([phases] if phases.rows else []),
            *([details] if servers.rows or missing else []),
        ],
    )


def _sentences(record: ControlPlaneRecord) -> Iterator[str]:
    end, down = record.ended, record.ramp_down
    nodes = ", ".join(f"{node}: {pods}" for node, pods in record.per_node.items()) or "none"
    form = "one StatefulSet" if record.form == "set" else "one StatefulSet for each node"
    yield (
        f"{record.pods} pods ran and {record.volumes} volumes were bound when the ramp ended, after "
        f"{format_quantity(end.after_s, unit='s')}. Requested: {record.rate_per_s * 60:.4g} a minute, up to "
        f"{record.goal}, by {form}. By node: {nodes}."
    )
    yield f"End of the ramp: {end.kind.replace('_', ' ')}: {end.reason.rstrip('.')}."
    if record.linear_until >= len(record.starts):
        yield "Growth was linear to the end."
    else:
        yield f"Growth was linear until {record.linear_until} pods ran; after that, pods started later than requested."
    scale_down_time = format_quantity(down.scale_down_s, unit="s")
    if down.cleanup_s is None:
        remaining_objects = ", ".join(down.remaining)
        yield (
            f"Ramp-down: the deletion of all pods was requested within {scale_down_time}; "
            f"{format_quantity(down.timeout_s, unit='s')} later these objects still existed: {remaining_objects}."
        )
    else:
        behind = format_quantity(down.cleanup_s, unit="s")
        yield (
            f"Ramp-down: the deletion of all pods was requested within {scale_down_time}; "
            f"all PVCs and PVs were deleted {behind} later."
        )
    if record.observed_late:
        yield (
            f"For {record.observed_late} pods the API server reported a change late, because the connection was "
            "broken; their phases do not count."
        )
    requests = ", ".join(f"{kind}: {count}" for kind, count in record.requests.items())
    yield f"The suite's own requests to the API server: {requests}."


def _servers(record: ControlPlaneRecord) -> Iterator[tuple[str, ...]]:
    for verb in record.api_server:
        yield f"API server, {verb.verb}", f"{verb.per_s:.3g} a second", _time(verb.mean_s), _bound(verb.p99_at_most_s)
    for storage_operation in record.storage_operations:
        operation_in_words = f"{storage_operation.operation} ({storage_operation.plugin}, {storage_operation.status})"
        yield (
            operation_in_words,
            str(storage_operation.count),
            _time(storage_operation.mean_s),
            _bound(storage_operation.p99_at_most_s),
        )


def _time(seconds: float) -> str:
    return format_quantity(max(0.0, seconds), unit="s")


def _bound(seconds: float | None) -> str:
    return "beyond the last bucket" if seconds is None else f"at most {_time(seconds)}"


def _pods(record: ControlPlaneRecord) -> LabeledValues:
    yield record.goal, {"state": "asked"}
    yield record.pods, {"state": "running"}


def _phases(record: ControlPlaneRecord) -> LabeledValues:
    for name, times in record.phases.items():
        for statistic, seconds in (("p50", times.p50_s), ("p90", times.p90_s), ("p99", times.p99_s)):
            yield seconds, {"phase": name, "statistic": statistic}


declare_gauges(
    "control_plane",
    Gauge(
        name="ramp_pods",
        help="pods with a volume each: requested, and running at the end of the ramp-up",
        labels=("state",),
        samples=_pods,
    ),
    Gauge(
        name="ramp_down_seconds",
        help="from the request that ended the last pod until all volumes were deleted",
        samples=lambda record: iter([(record.ramp_down.cleanup_s, {})]),
    ),
    Gauge(
        name="ramp_phase_seconds",
        help="from the creation of a pod until it reached the phase, by percentile of the pods",
        labels=("phase", "statistic"),
        samples=_phases,
    ),
)

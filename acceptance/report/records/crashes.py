"""Crashes and failovers for the report: lost records, and the time of each phase. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from acceptance.report.chapters import in_chapter
from acceptance.report.gauges import Gauge, LabeledValues, declare_gauges
from acceptance.report.parts import Part, Table, mark, name, numbers, words
from acceptance.results.crashes import DurabilityRecord, FailoverRecord, Failure
from acceptance.results.disturbances import DISTURBANCES
from acceptance.results.document import Results
from acceptance.results.postgresql import PostgresqlRecord
from acceptance.wording.crashes import TITLES
from acceptance.wording.records import ranges_in_words, shown_time

_MOVES: dict[Failure, str] = {
    "failover": "Failover",
    "failover-out-of-service": "Failover by the out-of-service taint",
    "drained": "Drain",
    "kubelet-away": "Deletion while the kubelet was down",
    **{failure: disturbance.move for failure, disturbance in DISTURBANCES.items()},
}


@in_chapter("durability")
def crash_parts(results: Results) -> Iterator[Part]:
    """Yield a table with a row for each crash, in their order; then a part for each failover and each drain."""
    if results.durability:
        yield Part(
            title="Acknowledged records after a crash",
            blocks=[
                "A pod wrote numbered records, and made each durable (fdatasync) before it reported the number "
                "outside the volume. Lost: acknowledged, but missing or damaged afterwards.",
                Table(
                    label="After a crash",
                    columns=(*words("StorageClass", "Crash", "Written on"), *numbers("Acknowledged"), *words("Lost")),
                    rows=[_row(record) for record in results.durability],
                    narrow=True,
                ),
            ],
        )
    yield from map(_move_part, results.failovers)


def _row(record: DurabilityRecord) -> tuple[str, ...]:
    reader = "" if record.node == record.read_on else f", read on {record.read_on}"
    loss = f"{record.lost_count:,}: {ranges_in_words(record.lost)}"
    return (
        name(record.storage_class),
        f"{TITLES[record.failure]} ({record.what})",
        f"{record.node}{reader}",
        f"{record.acknowledged:,} in {shown_time(record.write_s)}",
        mark("fail", "lost", loss) if record.lost else "none",
    )


def _move_part(record: FailoverRecord) -> Part:
    """Return a part with a row for each phase: name, seconds, share of the total."""
    title, total = _MOVES[record.failure], record.seconds
    between = (
        f"From {record.failed_node} to {record.node}: the time from the last durable write on the first node to the "
        "first durable write on the second."
    )
    leftovers = mark("fail", "left", f"on the first node: {', '.join(record.stayed)}.") if record.stayed else None
    return Part(
        title=f"{title} of {record.storage_class}: {shown_time(total)}",
        blocks=[
            Markup("{} {}").format(between, leftovers) if leftovers else between,
            Table(
                label=title,
                columns=(*words("Phase"), *numbers("Duration", "Share")),
                rows=[
                    (phase.name, shown_time(phase.seconds), f"{100 * phase.seconds / total if total else 0.0:.0f} %")
                    for phase in record.phases
                ],
            ),
        ],
    )


def _moves(failure: Failure, name: str, help: str, phases: str) -> tuple[Gauge, Gauge]:
    def total(record: FailoverRecord) -> LabeledValues:
        if record.failure == failure:
            yield record.seconds, {}

    def parts(record: FailoverRecord) -> LabeledValues:
        if record.failure == failure:
            yield from ((phase.seconds, {"phase": phase.name}) for phase in record.phases)

    return (
        Gauge(name=f"{name}_seconds", help=help, samples=total),
        Gauge(
            name=f"{name}_phase_seconds", help=f"duration of each phase of {phases}", labels=("phase",), samples=parts
        ),
    )


declare_gauges(
    "failovers",
    *_moves(
        "failover",
        "failover",
        "from the last durable write on the failed node to the first on another node",
        "a failover",
    ),
    *_moves(
        "failover-out-of-service",
        "failover_out_of_service",
        "same as failover_seconds, for a node with the out-of-service taint",
        "such a failover",
    ),
    *_moves(
        "drained", "drain", "from the last durable write of an evicted pod to the first on another node", "a drain"
    ),
    *_moves(
        "kubelet-away",
        "kubelet_away",
        "from the last durable write of a pod that was deleted while the kubelet was down to the first on another node",
        "such a move",
    ),
)


def _records(record: DurabilityRecord | PostgresqlRecord) -> LabeledValues:
    failure = record.failure if isinstance(record, DurabilityRecord) else "postgresql-killed"
    yield record.acknowledged, {"failure": failure, "state": "acknowledged"}
    yield record.lost_count, {"failure": failure, "state": "lost"}


RECORDS = Gauge(
    name="durability_records",
    help="number of records acknowledged before a crash, and number of lost ones",
    labels=("failure", "state"),
    samples=_records,
)
declare_gauges("durability", RECORDS)

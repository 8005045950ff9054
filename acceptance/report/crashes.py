"""Crashes and failovers for the report: what was lost, and where the time went. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from acceptance.report.parts import Part, Table, mark, name, numbers, words
from acceptance.results.crashes import DurabilityRecord, FailoverRecord, Failure
from acceptance.results.document import Results
from acceptance.wording.crashes import TITLES
from acceptance.wording.records import ranges_in_words, shown_time

_MOVES: dict[Failure, str] = {
    "failover": "Failover",
    "failover-out-of-service": "Failover by the out-of-service taint",
    "drained": "Drain",
    "kubelet-away": "Deletion while its kubelet was away",
}


def crash_parts(results: Results) -> Iterator[Part]:
    """One row for each crash, in the order in which they happened; then each failover and each drain."""
    if results.durability:
        yield Part(
            title="What was acknowledged, after a crash",
            blocks=[
                "A pod wrote numbered records, and made each durable (fdatasync) before it reported the number "
                "outside the volume. Lost: acknowledged, but missing or damaged afterwards.",
                Table(
                    label="After a crash",
                    columns=(*words("StorageClass", "Crash", "Written on"), *numbers("Acknowledged"), *words("Lost")),
                    rows=[_row(each) for each in results.durability],
                    narrow=True,
                ),
            ],
        )
    yield from map(_moved, results.failovers)


def _row(record: DurabilityRecord) -> tuple[str, ...]:
    moved = "" if record.node == record.read_on else f", read on {record.read_on}"
    lost = f"{record.lost_count:,}: {ranges_in_words(record.lost)}"
    return (
        name(record.storage_class),
        f"{TITLES[record.failure]} ({record.what})",
        f"{record.node}{moved}",
        f"{record.acknowledged:,} in {shown_time(record.write_s)}",
        mark("fail", "lost", lost) if record.lost else "none",
    )


def _moved(record: FailoverRecord) -> Part:
    """Phase by phase: name, seconds, share of the whole."""
    what, total = _MOVES[record.failure], record.seconds
    between = (
        f"From {record.failed_node} to {record.node}; from the last durable write on the one node to the first on "
        "the other."
    )
    stayed = mark("fail", "stayed", f"on the first: {', '.join(record.stayed)}.") if record.stayed else None
    return Part(
        title=f"{what} of {record.storage_class}: {shown_time(total)}",
        blocks=[
            Markup("{} {}").format(between, stayed) if stayed else between,
            Table(
                label=what,
                columns=(*words("Phase"), *numbers("Took", "Share")),
                rows=[
                    (each.name, shown_time(each.seconds), f"{100 * each.seconds / total if total else 0.0:.0f} %")
                    for each in record.phases
                ],
            ),
        ],
    )

"""PostgreSQL killed and recovered, for the report: a row for each kill. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Iterator

from acceptance.report.chapters import in_chapter
from acceptance.report.gauges import Gauge, LabeledValues, declare_gauges
from acceptance.report.parts import Part, Table, mark, name, numbers, words
from acceptance.report.records.crashes import RECORDS
from acceptance.results.document import Results
from acceptance.results.postgresql import PostgresqlRecord
from acceptance.text.quantities import format_quantity
from acceptance.wording.records import ranges_in_words, shown_time

_FIGURES = ("Commits acknowledged", "pgbench's transactions", "Single commits (p50, p99)", "Recovered in")


@in_chapter("workloads")
def postgresql_parts(results: Results) -> Iterator[Part]:
    """Yield a table with one row for each record, in the order in which they were killed."""
    if results.postgresql:
        yield Part(
            title="PostgreSQL itself, killed under load",
            blocks=[
                "pgbench loads PostgreSQL, while one session commits numbered rows one by one. The pod is killed "
                "without a grace period, and a new pod on the same volume starts PostgreSQL again. Problems: lost "
                "acknowledged rows, and damage that pg_amcheck, pg_checksums or a query found. Speed is not judged.",
                Table(
                    label="PostgreSQL, killed",
                    columns=(*words("StorageClass", "PostgreSQL", "Node"), *numbers(*_FIGURES), *words("Problems")),
                    rows=[_row(record) for record in results.postgresql],
                    narrow=True,
                ),
            ],
        )


def _row(record: PostgresqlRecord) -> tuple[str, ...]:
    wrong = [record.broken] if record.broken else []
    if record.lost:
        wrong.append(f"lost {record.lost_count:,} commits: {ranges_in_words(record.lost)}")
    wrong += record.damage
    times = [seconds for seconds in (record.commit_p50_s, record.commit_p99_s) if seconds is not None]
    return (
        name(record.storage_class),
        f"{record.version} ({record.image})",
        record.node if record.node == record.read_on else f"{record.node}, then {record.read_on}",
        f"{record.acknowledged:,} in {shown_time(record.write_s)}",
        "unknown" if record.transactions is None else f"{record.transactions:,.0f}/s",
        " and ".join(format_quantity(time_s, unit="s") for time_s in times) or "unknown",
        "never" if record.recovered_s is None else shown_time(record.recovered_s),
        mark("fail", "fail", "; ".join(wrong)) if wrong else "nothing",
    )


def _commits(record: PostgresqlRecord) -> LabeledValues:
    yield record.commit_p50_s, {"statistic": "p50"}
    yield record.commit_p99_s, {"statistic": "p99"}


declare_gauges(
    "postgresql",
    RECORDS,
    Gauge(
        name="postgresql_recovery_seconds",
        help="from the restart of a killed PostgreSQL until it accepted connections",
        samples=lambda record: iter([(record.recovered_s, {})]),
    ),
    Gauge(
        name="postgresql_transactions_per_second",
        help="transactions of pgbench a second before PostgreSQL was killed",
        samples=lambda record: iter([(record.transactions, {})]),
    ),
    Gauge(
        name="postgresql_commit_seconds",
        help="duration of single commits before PostgreSQL was killed",
        labels=("statistic",),
        samples=_commits,
    ),
)

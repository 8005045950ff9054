"""PostgreSQL killed and recovered, for the report: one row each. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acceptance.results.document import Results
from acceptance.results.postgresql import PostgresqlRecord
from acceptance.text.quantities import format_quantity
from acceptance.wording.records import ranges_in_words, shown_time


@dataclass(frozen=True, kw_only=True)
class PostgresqlRow:
    """One PostgreSQL, as it is shown. `wrong`: what was lost or damaged, or why it did not start again."""

    storage_class: str
    version: str
    where: str
    acknowledged: str
    transactions: str
    commits: str
    recovered: str
    wrong: Sequence[str]


def postgresql_rows(results: Results) -> list[PostgresqlRow]:
    """One row for each, in the order in which they were killed."""
    return [_row(record) for record in results.postgresql]


def _row(record: PostgresqlRecord) -> PostgresqlRow:
    wrong = [record.broken] if record.broken else []
    if record.lost:
        wrong.append(f"lost {record.lost_count:,} commits: {ranges_in_words(record.lost)}")
    times = [each for each in (record.commit_p50_s, record.commit_p99_s) if each is not None]
    return PostgresqlRow(
        storage_class=record.storage_class,
        version=f"{record.version} ({record.image})",
        where=record.node if record.node == record.read_on else f"{record.node}, then {record.read_on}",
        acknowledged=f"{record.acknowledged:,} in {shown_time(record.write_s)}",
        transactions="none told" if record.transactions is None else f"{record.transactions:,.0f}/s",
        commits=" and ".join(format_quantity(each, unit="s") for each in times) or "none told",
        recovered="never" if record.recovered_s is None else shown_time(record.recovered_s),
        wrong=[*wrong, *record.damage],
    )

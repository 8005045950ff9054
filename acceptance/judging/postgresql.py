"""A PostgreSQL that was killed -> verdict. Pure. How fast it was is told, not judged: no limit is known for it."""

from __future__ import annotations

from acceptance.judging.crashes import ranges_in_words, shown_time
from acceptance.judging.outcome import verdict_id, with_count, without_figures
from acceptance.results.document import Verdict
from acceptance.results.postgresql import PostgresqlRecord
from acceptance.text.quantities import format_quantity

RULE = "PostgreSQL that is killed under load recovers with every acknowledged commit, and undamaged"
SHOWN = 3
"""findings of damage in a reason"""


def judge_postgresql(record: PostgresqlRecord) -> Verdict:
    """Fail when it does not start, lacks a commit or is damaged: there is nothing to be unsure of."""
    verdict = without_figures(
        verdict_id(record.storage_class, "durability", "postgresql", "holds"),
        storage_class=record.storage_class,
        limit=RULE,
        status="pass" if record.sound else "fail",
        reason=postgresql_sentence(record),
    )
    return with_count(verdict, record.lost_count or (0 if record.sound else None))


def postgresql_sentence(record: PostgresqlRecord) -> str:
    """`PostgreSQL 17.6 on a volume of fast, killed under load, recovered in 2.1 s, but lacks 3 of the 940 commits ...`

    What keeps it from starting is told alone: nothing more is known then.
    """
    about = f"PostgreSQL {record.version} on a volume of {record.storage_class}, killed under load on {record.node},"
    if record.broken or record.recovered_s is None:
        return (
            f"{about} did not start again on {record.read_on}: {record.broken or 'it said no reason'}; the "
            f"{record.acknowledged:,} commits that it had acknowledged cannot be read."
        )
    began = f"{about} recovered in {shown_time(record.recovered_s)}"
    wrong = []
    if record.lost:
        wrong.append(
            f"lacks {record.lost_count:,} of the {record.acknowledged:,} commits that it had acknowledged: "
            f"{ranges_in_words(record.lost)}; the storage acknowledged the log before it was durable, or lost it later"
        )
    if record.damage:
        more = len(record.damage) - SHOWN
        found = "; ".join(record.damage[:SHOWN]) + (f"; and {more} more findings" if more > 0 else "")
        wrong.append(f"is damaged: {found}")
    if wrong:
        return f"{began}, but {'; and it '.join(wrong)}."
    return (
        f"{began} with all {record.acknowledged:,} acknowledged commits; pg_amcheck and pg_checksums found no damage. "
        f"Before: {speed_in_words(record)}."
    )


def speed_in_words(record: PostgresqlRecord) -> str:
    """`812 transactions/s by pgbench, beside which commits took 1.2 ms (p50) and 4.9 ms (p99)`"""
    rate = "no second of pgbench" if record.transactions is None else f"{record.transactions:,.0f} transactions/s"
    if record.commit_p50_s is None or record.commit_p99_s is None:
        return f"{rate}, and no commit timed"
    p50, p99 = (format_quantity(each, unit="s") for each in (record.commit_p50_s, record.commit_p99_s))
    return f"{rate} by pgbench; single commits beside it took {p50} (p50) and {p99} (p99)"

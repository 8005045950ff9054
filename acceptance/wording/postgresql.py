"""Sentences about a PostgreSQL that was killed under load."""

from __future__ import annotations

from collections.abc import Sequence

from acceptance.results.document import Verdict
from acceptance.text.quantities import format_quantity
from acceptance.wording.phrasing import Renderer
from acceptance.wording.records import Ranges, count_in, ranges_in_words, shown_time

RULE = "PostgreSQL that is killed under load recovers with every acknowledged commit and without damage"
MAX_FINDINGS = 3
"""The maximum number of damage findings in a sentence."""


def no_recovery(verdict: Verdict, *, version: str, node: str, read_on: str, broken: str, acknowledged: int) -> str:
    """Return the sentence for a PostgreSQL that did not start: only the reason, because nothing more is known."""
    return (
        f"{_subject(verdict, version, node)} did not start again on {read_on}: {broken or 'no reason reported'}; the "
        f"{acknowledged:,} commits that it had acknowledged cannot be read."
    )


def wrong(
    verdict: Verdict,
    *,
    version: str,
    node: str,
    recovered_s: float,
    acknowledged: int,
    lost: Ranges = (),
    damage: Sequence[str] = (),
) -> str:
    """Return `PostgreSQL 17.6 on a volume of fast, ..., recovered in 2.1 s, but lacks 3 of the 940 commits ...`."""
    problems = []
    if lost:
        problems.append(
            f"lacks {count_in(lost):,} of the {acknowledged:,} commits that it had acknowledged: "
            f"{ranges_in_words(lost)}; the storage acknowledged the log before it was durable, or lost it later"
        )
    if damage:
        more = len(damage) - MAX_FINDINGS
        findings = "; ".join(damage[:MAX_FINDINGS]) + (f"; and {more} more findings" if more > 0 else "")
        problems.append(f"is damaged: {findings}")
    return f"{_recovery(verdict, version, node, recovered_s)}, but {'; and it '.join(problems)}."


def full_recovery(
    verdict: Verdict,
    *,
    version: str,
    node: str,
    recovered_s: float,
    acknowledged: int,
    transactions: float | None,
    commit_p50_s: float | None,
    commit_p99_s: float | None,
) -> str:
    """Return the sentence for a complete recovery. `transactions`: pgbench's a second before the kill, if known."""
    return (
        f"{_recovery(verdict, version, node, recovered_s)} with all {acknowledged:,} acknowledged commits; "
        "pg_amcheck and pg_checksums found no damage. "
        f"Before the kill: {_speed(transactions, commit_p50_s, commit_p99_s)}."
    )


SENTENCES: dict[str, Renderer] = {
    "recovered": full_recovery,
    "commits_lost": wrong,
    "damaged": wrong,
    "not_started": no_recovery,
}


def _subject(verdict: Verdict, version: str, node: str) -> str:
    return f"PostgreSQL {version} on a volume of {verdict.storage_class}, killed under load on {node},"


def _recovery(verdict: Verdict, version: str, node: str, recovered_s: float) -> str:
    return f"{_subject(verdict, version, node)} recovered in {shown_time(recovered_s)}"


def _speed(transactions: float | None, *commits: float | None) -> str:
    """Return `812 transactions/s by pgbench; single commits meanwhile took 1.2 ms (p50) and 4.9 ms (p99)`."""
    rate = "no rate" if transactions is None else f"{transactions:,.0f} transactions/s"
    times = [format_quantity(commit, unit="s") for commit in commits if commit is not None]
    if len(times) < len(commits):
        return f"{rate} by pgbench, and no commit was timed"
    p50, p99 = times
    return f"{rate} by pgbench; single commits meanwhile took {p50} (p50) and {p99} (p99)"

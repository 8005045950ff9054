"""Skipped verdicts by reason: most verdicts of a run on a host are skipped, for few reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from acceptance.report.labels import NO_LIMIT, is_without_limit
from acceptance.results.document import Verdict

MOST_REASONS = 5
"""Number of reasons that have a line, the most frequent ones."""


@dataclass(frozen=True, kw_only=True)
class SkippedTests:
    """Skipped verdicts with the same reason; an empty `reason` if each has its own."""

    reason: str
    verdicts: list[Verdict]


def by_reason(verdicts: Sequence[Verdict]) -> list[SkippedTests]:
    """Return skipped verdicts by shared reason, the most frequent first; then those with a reason of their own."""
    counts = Counter(verdict.reason.rstrip(".") for verdict in verdicts)
    own_reason = [verdict for verdict in verdicts if counts[verdict.reason.rstrip(".")] == 1]
    groups = [
        SkippedTests(reason=reason, verdicts=[verdict for verdict in verdicts if verdict.reason.rstrip(".") == reason])
        for reason, count in counts.most_common()
        if count > 1
    ]
    return [*groups, *([SkippedTests(reason="", verdicts=own_reason)] if own_reason else [])]


def skipped_lines(verdicts: Sequence[Verdict], *, all_shown_by: str) -> list[str]:
    """Return the number of skipped verdicts, and a line for each reason; empty if none was skipped.

    `all_shown_by`: the option that lists each.
    """
    reasons = Counter(
        NO_LIMIT if is_without_limit(verdict) else verdict.reason for verdict in verdicts if verdict.status == "skipped"
    )
    if not reasons:
        return []
    lines = [f"{count}: {reason}" for reason, count in reasons.most_common(MOST_REASONS)]
    if further := reasons.total() - sum(count for _, count in reasons.most_common(MOST_REASONS)):
        lines.append(f"{further}: other reasons")
    return [f"{reasons.total()} tests, by reason ({all_shown_by} lists each test):", *lines]

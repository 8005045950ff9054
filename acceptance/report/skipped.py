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
    by_text: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        by_text.setdefault(verdict.reason.rstrip("."), []).append(verdict)
    shared = [SkippedTests(reason=text, verdicts=group) for text, group in by_text.items() if len(group) > 1]
    shared.sort(key=lambda group: -len(group.verdicts))
    own_reason = [group[0] for group in by_text.values() if len(group) == 1]
    return [*shared, *([SkippedTests(reason="", verdicts=own_reason)] if own_reason else [])]


def skipped_lines(verdicts: Sequence[Verdict], *, all_shown_by: str) -> list[str]:
    """Return the number of skipped verdicts, and a line for each reason; empty if none was skipped.

    `all_shown_by`: the option that lists each.
    """
    reasons = Counter(
        NO_LIMIT if is_without_limit(verdict) else verdict.reason for verdict in verdicts if verdict.status == "skipped"
    )
    if not reasons:
        return []
    frequent_reasons = reasons.most_common(MOST_REASONS)
    lines = [f"{count}: {reason}" for reason, count in frequent_reasons]
    if further := reasons.total() - sum(count for _, count in frequent_reasons):
        lines.append(f"{further}: other reasons")
    return [f"{reasons.total()} tests, by reason ({all_shown_by} lists each test):", *lines]

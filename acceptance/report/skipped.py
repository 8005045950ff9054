"""Skipped verdicts in one line: most verdicts of a run on a host are skipped, for few reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from acceptance.results.document import Verdict

MOST_REASONS = 3
"""Number of reasons in the line, the most frequent ones."""


def skipped_line(verdicts: Sequence[Verdict], *, all_shown_by: str) -> str | None:
    """Return the number of skipped verdicts and the reasons; None if none was skipped.

    `all_shown_by`: the option that lists each.
    """
    reasons = Counter(verdict.reason for verdict in verdicts if verdict.status == "skipped")
    if not reasons:
        return None
    reason_texts = [f"{count}: {reason}" for reason, count in reasons.most_common(MOST_REASONS)]
    if further := len(reasons) - len(reason_texts):
        reason_texts.append(f"{further} more reasons")
    return f"{reasons.total()} tests ({all_shown_by} shows each). {'; '.join(reason_texts)}"

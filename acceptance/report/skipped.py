"""Skipped verdicts in one line: most of a run on a host are, for few reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from acceptance.results.document import Verdict

SHOWN = 3
"""How many reasons are named, the most frequent ones."""


def skipped_line(verdicts: Sequence[Verdict], *, all_shown_by: str) -> str | None:
    """Return how many verdicts were skipped and why; None if none was. `all_shown_by`: the option that lists each."""
    reasons = Counter(verdict.reason for verdict in verdicts if verdict.status == "skipped")
    if not reasons:
        return None
    named = [f"{count}: {reason}" for reason, count in reasons.most_common(SHOWN)]
    if others := len(reasons) - len(named):
        named.append(f"{others} more reasons")
    return f"{reasons.total()} tests ({all_shown_by} shows each). {'; '.join(named)}"

"""What a verdict's reason says behind its figures, for where a table has these just above."""

from __future__ import annotations

import re

from acceptance.results.document import Verdict

# As `acceptance.judging.outcome.held_against` writes it.
_BEHIND = re.compile(
    r"(outside the limit (of [^:;]+|\([^)]+\)): |on both sides of the limit (of [^:;]+|\([^)]+\)); )(?P<rest>.+)"
)


def what_follows(verdict: Verdict) -> str:
    """`sync-write-iops, write.iops: a quieter machine would decide it.`; the whole reason where it has no such end."""
    found = _BEHIND.search(verdict.reason)
    about = ", ".join(filter(None, (verdict.profile, verdict.metric)))
    if found is None or verdict.measured is None or not about:
        return verdict.reason
    return f"{about}: {found['rest']}"

"""Sentences about the results of another tool, from its file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from acceptance.results.document import Verdict
from acceptance.results.imports import TOOLS, Tool, counts_in_words


def no_judgment(verdict: Verdict, **of: Any) -> str:
    """Return the sentence if no judgment was requested. `of`: the arguments of `_summary`."""
    return f"{_summary(**of)}; shown without a verdict (to judge failures: --storage-imported-failures fail)"


def failure(verdict: Verdict, *, first: Mapping[str, str], **of: Any) -> str:
    """Return the sentence for failures. `first`: the suite, behavior and message of the first failed test."""
    return f"{_summary(**of)}; first failure: {first['suite']} {first['behaviour']}: {first['message']}"


def doubtful(verdict: Verdict, *, doubts: Sequence[str], **of: Any) -> str:
    """Return the sentence for a file that contradicts itself."""
    return f"{_summary(**of)}; {'; '.join(doubts)}: get the complete file from the tool"


def nothing_ran(verdict: Verdict, **of: Any) -> str:
    """Return the sentence if all tests were skipped."""
    return f"{_summary(**of)}: no test in it ran; run the tool's tests for this storage"


def no_failure(verdict: Verdict, **of: Any) -> str:
    """Return the sentence if no test failed."""
    return _summary(**of)


SENTENCES = {
    "shown": no_judgment,
    "failed": failure,
    "doubtful": doubtful,
    "nothing_ran": nothing_ran,
    "passed": no_failure,
}


def _summary(*, name: str, tool: Tool, passed: int, failed: int, skipped: int) -> str:
    counts = counts_in_words(passes=passed, failures=failed, skips=skipped)
    return f"{name}: {counts}, by {TOOLS[tool]}, not by this suite"

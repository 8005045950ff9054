"""What is said of what another tool found, as a file of it tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from acceptance.results.document import Verdict
from acceptance.results.imports import TOOLS, Tool, counted


def shown(verdict: Verdict, **of: Any) -> str:
    """Nobody asked for a judgment. `of`: as `_told` takes it."""
    return f"{_told(**of)}; shown, not judged (--storage-imported-failures fail judges)"


def failed(verdict: Verdict, *, first: Mapping[str, str], **of: Any) -> str:
    """`first`: the suite, behaviour and message of the first test that failed."""
    return f"{_told(**of)}; the first that failed: {first['suite']} {first['behaviour']}: {first['message']}"


def doubtful(verdict: Verdict, *, doubts: Sequence[str], **of: Any) -> str:
    """The file contradicts itself."""
    return f"{_told(**of)}; {'; '.join(doubts)}: get the whole file from the tool"


def nothing_ran(verdict: Verdict, **of: Any) -> str:
    """All of it was skipped."""
    return f"{_told(**of)}: no test in it ran; let the tool run those for this storage"


def passed(verdict: Verdict, **of: Any) -> str:
    """Without a failure."""
    return _told(**of)


SENTENCES = {
    "shown": shown,
    "failed": failed,
    "doubtful": doubtful,
    "nothing_ran": nothing_ran,
    "passed": passed,
}


def _told(*, name: str, tool: Tool, passed: int, failed: int, skipped: int) -> str:
    counts = counted(passed=passed, failed=failed, skipped=skipped)
    return f"{name}: {counts}, by {TOOLS[tool]}, not by this suite"

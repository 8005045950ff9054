"""Results of other tools from their JUnit files: the models behind `imports` in `results.json`.

This suite ran none of it. They import no model of the results that holds them.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from acceptance.results.model import Frozen

Tool = Literal["kubernetes-e2e", "csi-sanity", "other"]
TOOLS: dict[Tool, str] = {
    "kubernetes-e2e": "the Kubernetes e2e (e2e.test)",
    "csi-sanity": "csi-sanity",
    "other": "another tool",
}


class ImportedBehaviour(Frozen):
    """One behavior in a suite of the other tool, counted over all its variants (volume types, file systems)."""

    suite: str
    behaviour: str
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    @property
    def ran(self) -> bool:
        """True if the other tool came to a verdict on it."""
        return self.passed + self.failed > 0


class ImportedFailure(Frozen):
    """One test that failed in the other tool."""

    suite: str
    behaviour: str
    variant: str = Field(description="volume type and file system, if the tool names them")
    message: str = Field(description="the tool's message, truncated if it is long")


class ImportRecord(Frozen):
    """One JUnit file."""

    name: str
    tool: Tool
    file: str = Field(description="its path in the run's folder; if it was added to a report, its own name")
    sha256: str = Field(description="digest of the file as it was given")
    made: str = Field(
        description="when it was created; without a time zone: the local time of the machine that created it"
    )
    made_from: Literal["timestamp", "modification"] = Field(
        description="timestamp: stated in the file; modification: when the file was last changed"
    )
    drivers: list[str] = Field(default=[], description="CSI drivers that the tests name")
    behaviours: list[ImportedBehaviour] = Field(description="all that the file contains, in its order")
    failures: list[ImportedFailure] = Field(description="the first 100; `behaviours` count all")
    doubts: list[str] = Field(default=[], description="contradictions within the file")
    added: Literal["run", "report"] = Field(
        default="run", description="run: given to the run; report: added when a report of its results was created"
    )

    @property
    def passed(self) -> int:
        return sum(behaviour.passed for behaviour in self.behaviours)

    @property
    def failed(self) -> int:
        return sum(behaviour.failed for behaviour in self.behaviours)

    @property
    def skipped(self) -> int:
        return sum(behaviour.skipped for behaviour in self.behaviours)

    @property
    def counts_in_words(self) -> str:
        """The counts in words, as the function `counts_in_words` returns them."""
        return counts_in_words(passes=self.passed, failures=self.failed, skips=self.skipped)


def counts_in_words(*, passes: int, failures: int, skips: int) -> str:
    """Return the counts in words, such as `71 passed, 2 failed, 20 skipped`."""
    return f"{passes} passed, {failures} failed, {skips} skipped"

"""Sentences about the operations on files that a workload needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from acceptance.results.document import Verdict
from acceptance.wording.phrasing import Renderer

OPERATIONS = "file-operations"
"""The rule of these verdicts; their profile is the name of the workload."""


def rule(workload: str, operations: Sequence[str]) -> str:
    """Return the requirement in words."""
    return f"volumes have the operations on files that {workload} needs: {', '.join(operations)}"


def wrong(verdict: Verdict, *, problems: Mapping[str, str], reasons: Mapping[str, str]) -> str:
    """Return the sentence for operations that do not work; `problems` and `reasons` are by operation."""
    words = "; ".join(f"{name} {problem}; {reasons[name]}" for name, problem in problems.items())
    return f"volumes of StorageClass {verdict.storage_class} do not suit {verdict.profile}: {words}"


def works(verdict: Verdict, *, operations: Sequence[str]) -> str:
    """Return the sentence for operations that all work."""
    return (
        f"volumes of StorageClass {verdict.storage_class} have all operations on files that {verdict.profile} needs: "
        f"{', '.join(operations)}"
    )


SENTENCES: dict[str, Renderer] = {"wrong": wrong, "works": works}

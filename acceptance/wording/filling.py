"""Sentences about a volume that was filled completely."""

from __future__ import annotations

from acceptance.results.document import Verdict
from acceptance.wording.phrasing import Renderer


def filling(verdict: Verdict, *, how: str) -> str:
    """Return the sentence for a filled volume. `how`: the observation in the words of the trial."""
    return f"a volume of StorageClass {verdict.storage_class} was filled: {how}"


SENTENCES: dict[str, Renderer] = {"held": filling, "failed": filling, "not_tried": filling}

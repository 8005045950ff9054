"""What is said of a volume that was filled to its end."""

from __future__ import annotations

from acceptance.results.document import Verdict
from acceptance.wording.phrasing import Said


def filled(verdict: Verdict, *, how: str) -> str:
    """`how`: what was seen, in the words of the trial."""
    return f"a volume of StorageClass {verdict.storage_class} was filled: {how}"


SENTENCES: dict[str, Said] = {"held": filled, "failed": filled, "not_tried": filled}

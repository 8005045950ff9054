"""What is said in the words of whoever found it, and what held without a figure."""

from __future__ import annotations

from acceptance.results.document import Verdict
from acceptance.wording.phrasing import Sentence


def told(verdict: Verdict, *, text: str, follows: str = "") -> Sentence:
    """Of a failure, of a capability that a class lacks, of an older suite: the words themselves."""
    return Sentence(text=text, follows=follows)


def held(verdict: Verdict, *, how: str = "") -> str:
    """`held on fast`; `how`: what the test did and saw."""
    return f"held on {verdict.storage_class}{': ' if how else ''}{how}"


SENTENCES = {"told": told, "held": held}

"""Sentences in the words of their source, and sentences about requirements that held without a figure."""

from __future__ import annotations

from acceptance.results.document import Verdict
from acceptance.wording.phrasing import Sentence


def own_words(verdict: Verdict, *, text: str, follows: str = "") -> Sentence:
    """Return the words of a failure, of a capability that a class lacks, or of an older suite."""
    return Sentence(text=text, follows=follows)


def holds(verdict: Verdict, *, how: str = "") -> str:
    """Return `held on fast`. `how`: the actions and observations of the test."""
    return f"held on {verdict.storage_class}{': ' if how else ''}{how}"


SENTENCES = {"told": own_words, "held": holds}

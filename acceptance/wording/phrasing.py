"""A sentence, and the part of it that tables do not tell."""

from __future__ import annotations

from dataclasses import dataclass

from acceptance.results.requirement import Decision


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """What is said of a verdict. `follows`: what it says behind its figures, for where a table has these just above."""

    text: str
    follows: str = ""


def held_against(
    found: str, status: Decision, wanted: str, *, because: str = "", left_open: str = "", whole: str = "all "
) -> Sentence:
    """`fast is at 1 s, all within the limit of at most 2 s.`: how what was found lies to the limit, and what follows.

    `whole` is nothing where no interval was found.
    """
    which = in_words(wanted)
    if status == "pass":
        return Sentence(text=f"{found}, {whole}within the limit {which}.")
    if status == "fail":
        follows = f"{because.rstrip('.')}."
        return Sentence(text=f"{found}, {whole}outside the limit {which}: {follows}", follows=follows)
    follows = f"{left_open}."
    return Sentence(text=f"{found}, on both sides of the limit {which}; {follows}", follows=follows)


def in_words(wanted: str) -> str:
    """What is said behind `the limit`: `of at least 750 IOPS`, `(not faster than local-path by more than 20 %)`."""
    return f"({wanted})" if wanted.startswith("not ") else f"of {wanted}"

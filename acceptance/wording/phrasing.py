"""A sentence, and the part of it that tables do not tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from acceptance.results.document import Verdict
from acceptance.results.requirement import LIES, Decision
from acceptance.wording.requirements import wanted as wanted_by


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """What is said of a verdict. `follows`: what it says behind its figures, for where a table has these just above."""

    text: str
    follows: str = ""


Said = Callable[..., str | Sentence]
"""a function of a verdict and its facts"""


def about(verdict: Verdict) -> str:
    """`write.iops of sync-write-iops on fast`"""
    return f"{verdict.metric} of {verdict.profile} on {verdict.storage_class}"


def held_against(
    verdict: Verdict,
    found: str,
    *,
    left_open: str = "",
    lies: Decision | None = None,
    wanted: str | None = None,
    because: str | None = None,
    whole: str = "all ",
    more: str = "",
) -> Sentence:
    """`fast is at 1 s, all within the limit of at most 2 s.`: how what was found lies to the limit, and what follows.

    `lies`, `wanted` and `because` are the verdict's status, its limit and its reason, if they are not given. `whole` is
    nothing where no interval was found; `more` is what the sentence ends with in any case.
    """
    which = in_words(wanted or wanted_of(verdict))
    status = lies or decision_of(verdict)
    if status == "pass":
        return Sentence(text=f"{found}, {whole}within the limit {which}{more}.")
    if status == "fail":
        reason = verdict.requirement.because if because is None else because
        follows = f"{reason.rstrip('.')}{more}."
        return Sentence(text=f"{found}, {whole}outside the limit {which}: {follows}", follows=follows)
    follows = f"{left_open}{more}."
    return Sentence(text=f"{found}, on both sides of the limit {which}; {follows}", follows=follows)


def decision_of(verdict: Verdict) -> Decision:
    """The status of a verdict that was held against a limit. Raises ValueError for a skipped one."""
    if verdict.status == "skipped":
        raise ValueError(f"wanted a verdict that was held against a limit, found {verdict.id}, which was skipped")
    return verdict.status


def wherever_it_lies(name: str, said: Said) -> dict[str, Said]:
    """One function for each code of what was held against a limit: `cpu_within`, `cpu_outside`, `cpu_on_both_sides`."""
    return {f"{name}_{lies}": said for lies in LIES.values()}


def wanted_of(verdict: Verdict) -> str:
    """`at least 750 IOPS`"""
    return wanted_by(verdict.requirement)


def surely(confidence: float, low: str, high: str) -> str:
    """`95% CI 2 s to 3 s`"""
    return f"{confidence * 100:.4g}% CI {low} to {high}"


def in_words(wanted: str) -> str:
    """What is said behind `the limit`: `of at least 750 IOPS`, `(not faster than local-path by more than 20 %)`."""
    return f"({wanted})" if wanted.startswith("not ") else f"of {wanted}"

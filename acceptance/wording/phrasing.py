"""Sentences, and the parts of them that tables do not show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from acceptance.results.document import Verdict
from acceptance.results.requirement import LIES, Decision
from acceptance.wording.requirements import bound_in_words


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """The sentence of a verdict. `follows`: its part after the figures, for use below a table of the figures."""

    text: str
    follows: str = ""


Renderer = Callable[..., str | Sentence]
"""A function that renders a verdict and its facts as a sentence."""


def about(verdict: Verdict) -> str:
    """Return the subject of a sentence, such as `write.iops of sync-write-iops on fast`."""
    return f"{verdict.metric} of {verdict.profile} on {verdict.storage_class}"


def held_against(
    verdict: Verdict,
    finding: str,
    *,
    left_open: str = "",
    lies: Decision | None = None,
    limit_words: str | None = None,
    because: str | None = None,
    whole: str = "all ",
    more: str = "",
) -> Sentence:
    """Return a sentence such as `fast is at 1 s, all within the limit of at most 2 s.`: the finding and its limit.

    `lies`, `limit_words` and `because` default to the verdict's status, its limit and its reason. `whole` is empty if
    there is no interval; `more` ends the sentence in any case.
    """
    limit_text = in_words(limit_words or wanted_of(verdict))
    status = lies or decision_of(verdict)
    if status == "pass":
        return Sentence(text=f"{finding}, {whole}within the limit {limit_text}{more}.")
    if status == "fail":
        reason = verdict.requirement.because if because is None else because
        follows = f"{reason.rstrip('.')}{more}."
        return Sentence(text=f"{finding}, {whole}outside the limit {limit_text}: {follows}", follows=follows)
    follows = f"{left_open}{more}."
    return Sentence(text=f"{finding}, on both sides of the limit {limit_text}; {follows}", follows=follows)


def decision_of(verdict: Verdict) -> Decision:
    """Return the status of a verdict that was compared with a limit. Raises ValueError if it was skipped."""
    if verdict.status == "skipped":
        raise ValueError(f"expected a verdict that was compared with a limit, found {verdict.id}, which was skipped")
    return verdict.status


def wherever_it_lies(name: str, renderer: Renderer) -> dict[str, Renderer]:
    """Return the renderer under each code of a comparison: `cpu_within`, `cpu_outside`, `cpu_on_both_sides`."""
    return {f"{name}_{lies}": renderer for lies in LIES.values()}


def wanted_of(verdict: Verdict) -> str:
    """Return the limit of a verdict, such as `at least 750 IOPS`."""
    return bound_in_words(verdict.requirement)


def surely(confidence: float, low: str, high: str | None) -> str:
    """Return an interval with its confidence: `95% CI 2 s to 3 s`, `98% CI: at least 41 s, no upper bound`."""
    ends = f" {low} to {high}" if high is not None else f": at least {low}, no upper bound"
    return f"{confidence * 100:.4g}% CI{ends}"


def in_words(limit_words: str) -> str:
    """Return the text after `the limit`: `of at least 750 IOPS`, `(not faster than local-path by more than 20 %)`."""
    return f"({limit_words})" if limit_words.startswith("not ") else f"of {limit_words}"

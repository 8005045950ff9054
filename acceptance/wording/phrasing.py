"""Sentences, and the parts of them that tables do not show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

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
Span = Literal["CI", "interval", ""]
"""The range that is compared with a limit; empty if a single value is."""


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
    span: Span | None = None,
    more: str = "",
) -> Sentence:
    """Return a sentence such as `fast is at 1 s; the whole CI meets the limit of at most 2 s.`: finding and limit.

    `lies` and `limit_words` default to the verdict's status and its limit; `span` to the CI, or to the interval of a
    verdict without a confidence. `more` ends the sentence in any case.
    """
    limit_text = in_words(limit_words or wanted_of(verdict))
    status = lies or decision_of(verdict)
    if span is None:
        span = "interval" if verdict.confidence is None else "CI"
    subject = f"the whole {span}" if span else "this"
    if status == "pass":
        return Sentence(text=f"{finding}; {subject} meets the limit {limit_text}{more}.")
    if status == "fail":
        end = f"{reason_for_limit(verdict)}{more}."
        text = f"{finding}; {subject} misses the limit {limit_text}{end}"
        return Sentence(text=text, follows=f"misses the limit{end}")
    follows = f"{left_open}{more}."
    undecided_clause = f"the {span} contains the limit" if span else "it is undecided whether this meets the limit"
    return Sentence(text=f"{finding}; {undecided_clause} {limit_text}; {follows}", follows=follows)


def reason_for_limit(verdict: Verdict) -> str:
    """Return ` (reason for the limit: pods wait for it)`; empty if the limits file gives no reason."""
    because = verdict.requirement.because.strip().rstrip(".")
    return f" (reason for the limit: {because})" if because else ""


def how_to_judge(example: str) -> str:
    """Return the sentence for measured values without a limit. `example`: the limit, as YAML of a tier."""
    return f"To judge it, add a limit to the tier in the limits file, such as `{example}`."


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


def event_in_words(low_s: float, high_s: float, shown: Callable[[float], str]) -> str:
    """Return the duration of an event: `8 ms`, `between 8 s and 9.2 s`, or `at most 1.01 s` for a low end below 1 s.

    Without latencies a load shows events by late reports of fio, which are due each second.
    """
    low, high = shown(low_s), shown(high_s)
    if low == high:
        return low
    return f"at most {high}" if low_s < 1.0 else f"between {low} and {high}"


def surely(confidence: float, low: str, high: str | None) -> str:
    """Return an interval with its confidence: `95% CI 2 s to 3 s`, `98% CI: at least 41 s, no upper bound`."""
    ends = f" {low} to {high}" if high is not None else f": at least {low}, no upper bound"
    return f"{confidence * 100:.4g}% CI{ends}"


def in_words(limit_words: str) -> str:
    """Return the text after `the limit`: `of at least 750 IOPS`, `of 0`, `(not faster than local by more than 20 %)`.

    `limit_words`: the limit, or `none` for the limit of 0.
    """
    if limit_words == "none":
        return "of 0"
    return f"({limit_words})" if limit_words.startswith("not ") else f"of {limit_words}"

"""Whether results agree with themselves: their verdicts are reached again from what they say they rest on. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator

from acceptance import __version__
from acceptance.judging.outcome import decide
from acceptance.results.bounds import bound_of
from acceptance.results.completeness import overall_of
from acceptance.results.document import Results, Verdict
from acceptance.wording import NOT_SAID, sentence

# The rules that `acceptance.judging.outcome.decide` decides, with the limit as the last thing that their verdicts name.
_RULES = ("at_least", "at_most", "not_better_than_baseline_by", "not_worse_than_baseline_by")
# What was measured tells nothing of the limit: a verdict that is skipped, and yet has the limit's rule.
_TOLD_NOTHING = ("price.no_growth_known",)
# Limits are shown with at least three digits: what lies between two ways of rounding is not held against anybody.
_ROUNDING = 0.005


def contradictions(results: Results) -> Iterator[str]:
    """What in the results cannot have come from the same run, in half sentences; nothing where all agrees."""
    means = {
        (measurement.storage_class, measurement.profile, path): estimate.mean
        for measurement in results.measurements
        if measurement.role == "candidate"
        for path, estimate in measurement.metrics.items()
    }
    for verdict in results.verdicts:
        if results.run.suite_version == __version__ and not _says_its_outcome(verdict):
            yield f"verdict {verdict.id} says in words another thing than its outcome"
        if verdict.status == "skipped":
            if _was_judged(verdict):
                yield f"verdict {verdict.id} is skipped, and yet has a judged value"
            continue
        mean = means.get((verdict.storage_class, verdict.profile or "", verdict.metric or ""))
        if mean is None or verdict.rule not in _RULES:
            continue
        if not _follows(verdict):
            yield f"verdict {verdict.id} is {verdict.status}, which does not follow from its interval and limit"
        of_the_value = verdict.rule in ("at_least", "at_most") and verdict.measured is not None
        if of_the_value and not math.isclose(mean, verdict.measured or 0.0, rel_tol=1e-9):
            yield f"verdict {verdict.id} rests on another value than its measurement shows"
    if results.overall != overall_of(results):
        yield f"overall is {results.overall}, which does not follow from the verdicts and errors"


def _says_its_outcome(verdict: Verdict) -> bool:
    try:
        return verdict.reason == sentence(verdict)
    except NOT_SAID:
        return False


def _was_judged(verdict: Verdict) -> bool:
    """Whether it has what only a judged one has: a test that was skipped only names its limit."""
    if (verdict.measured, verdict.low, verdict.high) != (None, None, None):
        return True
    held = verdict.rule in _RULES and verdict.requirement.operator is not None
    return held and (verdict.outcome is None or verdict.outcome.code not in _TOLD_NOTHING)


def _follows(verdict: Verdict) -> bool:
    """Whether the status is the one that interval and limit lead to; without an interval it is inconclusive.

    A limit that is no number leads to no status.
    """
    if verdict.low is None or verdict.high is None or verdict.unit is None:
        return verdict.status == "inconclusive"
    bound = bound_of(verdict)
    if bound is None:
        return False
    possible = {
        decide(verdict.low, verdict.high, **{bound.side: bound.value * by})
        for by in (1 - _ROUNDING, 1.0, 1 + _ROUNDING)
    }
    return verdict.status in possible

"""The consistency of results: their verdicts are derived again from the figures that they rest on. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator

from acceptance import __version__
from acceptance.judging.outcome import decide
from acceptance.results.bounds import bound_of
from acceptance.results.completeness import overall_of
from acceptance.results.document import Results, Verdict
from acceptance.wording import NOT_SAID, sentence

# The rules that `acceptance.judging.outcome.decide` decides; their verdicts name the limit last.
_RULES = ("at_least", "at_most", "not_better_than_baseline_by", "not_worse_than_baseline_by")
# Codes of skipped verdicts that have the limit's rule: the measured values do not judge the limit.
_TOLD_NOTHING = ("price.no_growth_known",)
# Limits are shown with at least three digits: a difference by rounding is no contradiction.
_ROUNDING = 0.005


def contradictions(results: Results) -> Iterator[str]:
    """Yield the contradictions in the results, in half sentences; nothing if all parts agree."""
    means = {
        (measurement.storage_class, measurement.profile, path): estimate.mean
        for measurement in results.measurements
        if measurement.role == "candidate"
        for path, estimate in measurement.metrics.items()
    }
    for verdict in results.verdicts:
        if results.run.suite_version == __version__ and not _says_its_outcome(verdict):
            yield f"verdict {verdict.id} has a reason that does not match its outcome"
        if verdict.status == "skipped":
            if _has_judgment(verdict):
                yield f"verdict {verdict.id} is skipped, but has a judged value"
            continue
        mean = means.get((verdict.storage_class, verdict.profile or "", verdict.metric or ""))
        if mean is None or verdict.rule not in _RULES:
            continue
        if not _follows(verdict):
            yield f"verdict {verdict.id} is {verdict.status}, which does not follow from its interval and limit"
        of_the_value = verdict.rule in ("at_least", "at_most") and verdict.measured is not None
        if of_the_value and not math.isclose(mean, verdict.measured or 0.0, rel_tol=1e-9):
            yield f"verdict {verdict.id} has a value that differs from its measurement"
    if results.overall != overall_of(results):
        yield f"overall is {results.overall}, which does not follow from the verdicts and errors"


def _says_its_outcome(verdict: Verdict) -> bool:
    try:
        return verdict.reason == sentence(verdict)
    except NOT_SAID:
        return False


def _has_judgment(verdict: Verdict) -> bool:
    """Return whether the verdict has values that only a judged one has: that of a skipped test only names its limit."""
    if (verdict.measured, verdict.low, verdict.high) != (None, None, None):
        return True
    has_limit = verdict.rule in _RULES and verdict.requirement.operator is not None
    return has_limit and (verdict.outcome is None or verdict.outcome.code not in _TOLD_NOTHING)


def _follows(verdict: Verdict) -> bool:
    """Return whether the status follows from interval and limit; without an interval it is inconclusive.

    From a limit that is not a number, no status follows.
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

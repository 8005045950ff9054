"""The words for the statuses of verdicts, the same in all parts of a report.

Tests that did not run are skipped. Values without a limit were measured, although their verdict is skipped, too.
"""

from __future__ import annotations

from collections.abc import Collection

from acceptance.results.document import Results, Verdict
from acceptance.results.ratio_words import OF_RATIOS
from acceptance.results.verdicts import worst

NO_LIMIT = "measured, no limit"
NOT_JUDGED = "not judged"
"""The label of a figure if the tier has a limit on it, or if that is unknown, and the run has no verdict on it."""
LimitedMetrics = frozenset[tuple[str, str | None]] | None
"""Profile and metric of each limit of the tier on one volume; None if the limits are unknown."""
_RULES = ("at_least", "at_most", *OF_RATIOS)


def is_without_limit(verdict: Verdict) -> bool:
    """Return whether the verdict holds measured values that the tier has no limit on."""
    return verdict.status == "skipped" and verdict.rule == "none"


def label_of(verdict: Verdict) -> str:
    """Return the status in words."""
    return NO_LIMIT if is_without_limit(verdict) else verdict.status


def label_of_all(verdicts: Collection[Verdict]) -> str:
    """Return the worst status in words; `no verdict` if there are no verdicts."""
    if verdicts and all(map(is_without_limit, verdicts)):
        return NO_LIMIT
    return worst(verdicts) or "no verdict"


def without_limit_in_words(count: int, *, among: int) -> str:
    """Return ` (1 of them measured without a limit)`, to follow the number of skipped tests; empty for a count of 0."""
    if not count:
        return ""
    return " (measured without a limit)" if count == among else f" ({count} of them measured without a limit)"


def limited_metrics(results: Results) -> LimitedMetrics:
    """Return profile and metric of each limit of the tier on one volume; None if the limits are unknown."""
    limits = results.tested_with.limits if results.tested_with is not None else []
    requirements = [limit.requirement for limit in limits if limit.requirement is not None]
    if not requirements:
        return None
    return frozenset(
        (str(requirement.profile), requirement.metric) for requirement in requirements if requirement.rule in _RULES
    )


def label_without_verdict(profile: str, metric: str, tier_metrics: LimitedMetrics) -> str:
    """Return the label of a figure that the run has no verdict on. `tier_metrics`: as `limited_metrics` returns it."""
    return NOT_JUDGED if tier_metrics is None or (profile, metric) in tier_metrics else NO_LIMIT

"""Sentences about a comparison with earlier runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acceptance.results.document import Verdict
from acceptance.results.metrics import Metric
from acceptance.results.ratio_words import TIMES_FROM, amount, factor
from acceptance.text.program import PROGRAM
from acceptance.text.quantities import format_quantity
from acceptance.wording.phrasing import Renderer, about, reason_for_limit

ACCEPT = f"`{PROGRAM} accept-level`"


def too_few_runs(verdict: Verdict, *, earlier: int, before: int, others: int) -> str:
    """Return the sentence for too few runs: `earlier` since the accepted level, `before` it; `others` differ."""
    more = f" ({others} more differ in cluster, baseline class, sizes or the profile's text)" if others else ""
    since = f" since a level was accepted ({before} before it)" if before else ""
    return (
        f"{about(verdict)} cannot be compared with earlier runs: the history has {earlier} of the same kind{since}"
        f"{more}, and a level to compare with needs {_number(verdict, 'runs')}; each run is appended."
    )


def no_value(verdict: Verdict) -> str:
    """Return the sentence for a metric that this run did not measure."""
    return f"{about(verdict)} has no value in this run, so it cannot be compared with earlier ones."


def no_ratio(verdict: Verdict) -> str:
    """Return the sentence for a metric that is zero in this run."""
    return f"{about(verdict)} stalled in this run, so there is no ratio to earlier ones; see its other limits."


def worse(verdict: Verdict, *, since: Mapping[str, Any], **of: Any) -> str:
    """Return the sentence for a fail. `since`: the change for the worse; `of`: the arguments of `_change`."""
    return (
        f"{_change(verdict, **of)}; {_since(**since)}, {_too_much(verdict)}, and has not recovered"
        f"{reason_for_limit(verdict)}. To accept an intended change, use {ACCEPT}."
    )


def worse_once(verdict: Verdict, **of: Any) -> str:
    """Return the sentence for a value that is worse in this run alone: no fail yet."""
    return (
        f"{_change(verdict, **of)}, {_too_much(verdict)}, but only in this run: it fails if the next run is worse too."
    )


def not_worse(
    verdict: Verdict,
    *,
    smallest_in_two: float,
    smallest_in_week: float,
    better_since: Mapping[str, Any] | None = None,
    **of: Any,
) -> str:
    """Return the sentence for a pass.

    `smallest_in_two` and `smallest_in_week`: the smallest falls, as multiples of the level, that two runs and seven
    runs would have revealed.
    """
    rise = ""
    if better_since is not None:
        rise = f"{_since(**better_since)}: after {ACCEPT}, a later fall from there is reported; "
    week, two = _percent(smallest_in_week), _percent(smallest_in_two)
    return (
        f"{_change(verdict, **of)}, not worse by more than {_margin(verdict)} beyond noise; {rise}two runs worse by "
        f"{two} would have been reported, or seven by {week}."
    )


SENTENCES: dict[str, Renderer] = {
    "too_few_runs": too_few_runs,
    "no_value": no_value,
    "stalled": no_ratio,
    "worse": worse,
    "worse_once": worse_once,
    "not_worse": not_worse,
}


def difference(ratio: float) -> str:
    """Return `18 % lower` for a multiple of 0.82; from a factor of 2 on a multiple, like all ratios: `11x higher`."""
    far = factor(ratio) >= TIMES_FROM
    return f"{amount(ratio, times=True) if far else _percent(ratio)} {'lower' if ratio < 1.0 else 'higher'}"


def _change(
    verdict: Verdict, *, value: float, level: float, level_from: str, expected_low: float, expected_high: float
) -> str:
    """Return the value compared with the level, both in the metric's unit; `level_from` is a date.

    `expected_low` and `expected_high`: the range that noise explains, as multiples of the level.
    """
    assert verdict.measured is not None
    unit = Metric.parse(str(verdict.metric)).unit
    current = format_quantity(value, unit=unit, beside=level)
    accepted_level = format_quantity(level, unit=unit, beside=value)
    return (
        f"{about(verdict)} is {current}, {difference(verdict.measured)} than the accepted level of {accepted_level} "
        f"({_number(verdict, 'runs')} runs from {level_from} on; in two consecutive runs, noise explains at most "
        f"{difference(expected_low)} or {difference(expected_high)})"
    )


def _too_much(verdict: Verdict) -> str:
    return f"worse than the allowed {_margin(verdict)} and beyond noise"


def _margin(verdict: Verdict) -> str:
    return f"{_number(verdict, 'margin') * 100:.4g} %"


def _number(verdict: Verdict, name: str) -> float:
    value = verdict.requirement.at[name]
    assert isinstance(value, int | float)
    return value


def _since(*, run: str, date: str, ratio: float) -> str:
    return f"since {date} (run {run}) about {difference(ratio)} than that level"


def _percent(ratio: float) -> str:
    return f"{abs(ratio - 1.0) * 100:.3g} %"

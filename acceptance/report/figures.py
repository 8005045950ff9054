"""How figures read in every table of a report: page, terminal and summary."""

from __future__ import annotations

from acceptance.report.rows import Change
from acceptance.results.document import Estimate, Verdict
from acceptance.text.quantities import format_quantity


def shown_mean(estimate: Estimate | None) -> str:
    """`1,204 IOPS`; nothing where there is none."""
    return "" if estimate is None else format_quantity(estimate.mean, unit=estimate.unit)


def shown_change(change: float | None) -> str:
    """`+122 %`, `-91.9 %`: what the candidate shows more or less than the baseline."""
    return "" if change is None else f"{100 * change:+,.{0 if abs(change) >= 1 else 1}f} %"


def shown_change_of(change: Change | None) -> str:
    """The change of a row as `shown_change` writes it; `noise` where that may be all; nothing where it is not known.

    No longer than a figure: on a terminal of 80 columns there is no room for both.
    """
    if change is None:
        return ""
    return "noise" if change.within_noise else shown_change(change.value)


def shown_interval(estimate: Estimate | None) -> str:
    """`1,131 IOPS to 1,281 IOPS`; nothing where it is not known."""
    if estimate is None or estimate.low is None or estimate.high is None:
        return ""
    return " to ".join(format_quantity(value, unit=estimate.unit) for value in (estimate.low, estimate.high))


def shown_measured(verdict: Verdict) -> str:
    """What the verdict measured, with its unit; nothing where it is not known."""
    if verdict.measured is None or verdict.unit is None:
        return ""
    return format_quantity(verdict.measured, unit=verdict.unit)

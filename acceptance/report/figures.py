"""How figures read in every table of a report: page, terminal and summary."""

from __future__ import annotations

from acceptance.quantities import format_quantity
from acceptance.results import Estimate


def shown_mean(estimate: Estimate | None) -> str:
    """`1,204 IOPS`; nothing where there is none."""
    return "" if estimate is None else format_quantity(estimate.mean, unit=estimate.unit)


def shown_change(change: float | None) -> str:
    """`+122 %`, `-91.9 %`: what the candidate shows more or less than the baseline."""
    return "" if change is None else f"{100 * change:+,.{0 if abs(change) >= 1 else 1}f} %"

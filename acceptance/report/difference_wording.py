"""Differences in words and figures, the same on the terminal and in pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import get_args

from acceptance.report.comparing.model import Difference, Finding, Unlike
from acceptance.report.figures import shown_verdict_interval, shown_verdict_value
from acceptance.results.document import Verdict
from acceptance.results.ratio_words import comparison, comparison_interval
from acceptance.text.quantities import format_quantity

NOT_IN_IT = (
    "The CIs cover the noise within each run, not the differences between unchanged runs. Before you believe a "
    "change, measure both sides again, in alternating turns."
)
IN_IT = (
    "The CIs also cover the differences between unchanged runs of the history. If the history has too few runs of the "
    "same kind, no change is called better or worse."
)
COARSE = 0.20
"""A change smaller than this is worth a longer load to a user who tunes."""
MORE_FOR_FOUR_OF_FIVE = 1.4
"""(1.96 + 0.84) / 1.96, the quantiles of 97.5 % and 80 % of the normal distribution (Bloom 1995; docs/comparing.md)."""
NO_HISTORY = (
    f"{NOT_IN_IT} With --history HISTORY, compare also covers these differences, and calls larger changes better or "
    "worse."
)


OTHER_FIGURES = "Other figures that both runs judged. It is not known how much of a difference is noise."
OTHER_FIGURE_HEADS = ("Limit", "First", "Second")


def other_figure_rows(verdict_pairs: Sequence[tuple[Verdict, Verdict]]) -> list[tuple[str, str, str]]:
    """Return the limit of the first run, and the figure of each run with its interval."""
    return [(_question(first), _figure(first), _figure(second)) for first, second in verdict_pairs]


def _question(verdict: Verdict) -> str:
    return f"{verdict.profile}: {verdict.limit}" if verdict.profile else verdict.limit


def _figure(verdict: Verdict) -> str:
    interval = shown_verdict_interval(verdict)
    return f"{shown_verdict_value(verdict)} ({interval})" if interval else shown_verdict_value(verdict)


def shown_change(difference: Difference) -> str:
    """Return the change in words: `12 % faster`."""
    return "" if difference.change is None else comparison(difference.change.ratio, difference.metric)


def shown_change_interval(difference: Difference) -> str:
    """Return `5.1 % to 19 %`; `2.1 % slower to 3.0 % faster` if no change is in the interval."""
    change = difference.change
    if change is None:
        return ""
    return comparison_interval(change.low, change.high, difference.metric, ratio=change.ratio)


def shown_visible(difference: Difference) -> str:
    """Return the smallest loss and the smallest rise that could have been told from none.

    Such as `11 % slower or 12 % faster`.
    """
    change = difference.change
    return "" if change is None else " or ".join(comparison(ratio, difference.metric) for ratio in change.visible)


def visible_changes(differences: Sequence[Difference]) -> str:
    """Return the visible changes of the least sensitive measurement; the empty text if nothing is compared."""
    blind = max(differences, key=lambda item: 0.0 if item.change is None else item.change.visible[1], default=None)
    if blind is None or blind.change is None:
        return ""
    text = (
        "The column Smallest visible shows the smallest change that this pair of runs could have shown. It is largest "
        f"for {blind.metric} of {blind.profile}: {shown_visible(blind)}. A true change of that size is visible "
        f"in half of such pairs; a change {MORE_FOR_FOUR_OF_FIVE:g} times as large, in four of five."
    )
    if blind.change.visible[1] - 1.0 <= COARSE:
        return text
    return f"{text} To see smaller changes, repeat both runs with a longer --storage-load time, such as 60s or more."


def shown_multiples(difference: Difference) -> str:
    """Return `0.0206, then 0.0391x local-path`; the empty text if the values themselves are compared."""
    if difference.multiples is None:
        return ""
    before, after = (format_quantity(multiple, unit="ratio").removesuffix("x") for multiple in difference.multiples)
    return f"{before}, then {after}x {difference.baseline}"


def unlike_line(unlike: Unlike) -> str:
    """Return the fact with its values: `test file: 1Gi, then 4Gi`."""
    return f"{unlike.name}: {', then '.join(unlike.values)}"


def against(differences: Sequence[Difference]) -> str:
    """Return the reference of the changes: the values themselves, or the multiples of a baseline."""
    baselines = sorted({difference.baseline for difference in differences if difference.baseline})
    direct = any(difference.baseline is None and difference.change for difference in differences)
    if not baselines:
        return (
            "The change is that of the values themselves. It includes all differences of the machine between "
            "the two runs."
        )
    direct_note = "; if no baseline is named, it is that of the values themselves" if direct else ""
    return (
        f"The change is that of the ratio to {' or '.join(baselines)}, measured in alternating turns{direct_note}. "
        "Influences on all of one run cancel out. With --absolute, the values themselves are compared."
    )


def summary(differences: Sequence[Difference]) -> str:
    """Return the number of each finding, and the number that chance alone would produce."""
    counts = Counter(difference.finding for difference in differences)
    words = ", ".join(f"{counts[finding]} {finding}" for finding in get_args(Finding) if counts[finding])
    confidences = [difference.change.confidence for difference in differences if difference.change]
    if not confidences:
        return f"{words or 'nothing to compare'}."
    if not counts["better"] + counts["worse"] + counts["within noise"]:
        return f"{words}."
    chance = len(confidences) * (1.0 - confidences[0])
    return (
        f"{words}. Each change is given with its {confidences[0] * 100:.4g}% CI: if nothing had changed, "
        f"about {chance:.2g} of {len(confidences)} would be called better or worse by chance."
    )

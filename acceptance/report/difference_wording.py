"""Differences in words and figures, the same on the terminal and in pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import get_args

from acceptance.report.comparing.model import Difference, Finding, Unlike
from acceptance.report.figures import shown_measured, shown_measured_interval
from acceptance.results.document import Verdict
from acceptance.results.ratio_words import compared, compared_interval
from acceptance.text.quantities import format_quantity

NOT_IN_IT = (
    "The CIs cover the noise within each run, not the differences between runs when nothing was changed: before "
    "you believe a change, measure both sides again, in turn."
)
IN_IT = (
    "The CIs reach at least as far as runs of the history differ from each other when nothing was changed; where the "
    "history has too few of the same kind, nothing is called better or worse."
)
COARSE = 0.20
"""A change that is smaller than this is worth a longer load to whoever tunes."""
MORE_FOR_FOUR_OF_FIVE = 1.4
"""(1.96 + 0.84) / 1.96, the quantiles of 97.5 % and 80 % of the normal distribution (Bloom 1995; docs/comparing.md)."""
NO_HISTORY = (
    f"{NOT_IN_IT} With --history HISTORY compare knows how much runs differ, and calls larger changes better or worse."
)


JUDGED = "Other figures that both runs judged. How much of a difference is noise is not known."
JUDGED_HEADS = ("Limit", "First", "Second")


def judged_rows(judged: Sequence[tuple[Verdict, Verdict]]) -> list[tuple[str, str, str]]:
    """What was asked first, and the figure of each run with its interval."""
    return [(_asked(first), _judged(first), _judged(second)) for first, second in judged]


def _asked(verdict: Verdict) -> str:
    return f"{verdict.profile}: {verdict.limit}" if verdict.profile else verdict.limit


def _judged(verdict: Verdict) -> str:
    interval = shown_measured_interval(verdict)
    return f"{shown_measured(verdict)} ({interval})" if interval else shown_measured(verdict)


def shown_change(difference: Difference) -> str:
    """`12 % faster`"""
    return "" if difference.change is None else compared(difference.change.ratio, difference.metric)


def shown_change_interval(difference: Difference) -> str:
    """`5.1 % to 19 %`; where no change is in it, `2.1 % slower to 3.0 % faster`"""
    change = difference.change
    if change is None:
        return ""
    return compared_interval(change.low, change.high, difference.metric, ratio=change.ratio)


def shown_visible(difference: Difference) -> str:
    """`11 % slower or 12 % faster`: the smallest loss and the smallest rise that could have been told from none."""
    change = difference.change
    return "" if change is None else " or ".join(compared(each, difference.metric) for each in change.visible)


def visible_changes(shown: Sequence[Difference]) -> str:
    """Of the measurement that shows least: what it could have shown; the empty text where nothing is compared."""
    blind = max(shown, key=lambda each: 0.0 if each.change is None else each.change.visible[1], default=None)
    if blind is None or blind.change is None:
        return ""
    told = (
        f"The smallest change that this pair of runs could have shown is in the column Smallest visible, and largest "
        f"for {blind.metric} of {blind.profile}: {shown_visible(blind)}. A true change of that size is seen "
        f"in half of such pairs; one {MORE_FOR_FOUR_OF_FIVE:g} times as large, in four of five."
    )
    if blind.change.visible[1] - 1.0 <= COARSE:
        return told
    return f"{told} To see smaller ones, measure both again with a longer --storage-load time, such as 60s or more."


def shown_multiples(difference: Difference) -> str:
    """`0.0206, then 0.0391x local-path`; the empty text where values themselves are compared."""
    if difference.multiples is None:
        return ""
    before, after = (format_quantity(multiple, unit="ratio").removesuffix("x") for multiple in difference.multiples)
    return f"{before}, then {after}x {difference.baseline}"


def unlike_line(each: Unlike) -> str:
    """`test file: 1Gi, then 4Gi`"""
    return f"{each.what}: {', then '.join(each.values)}"


def against(differences: Sequence[Difference]) -> str:
    """What the changes are of: the values themselves, or the multiples of a baseline."""
    baselines = sorted({difference.baseline for difference in differences if difference.baseline})
    direct = any(difference.baseline is None and difference.change for difference in differences)
    if not baselines:
        return (
            "The change is that of the values themselves: it includes whatever the machine did differently in "
            "the two runs."
        )
    rest = "; where no baseline is named, the values themselves" if direct else ""
    return (
        f"The change is that of the ratio to {' or '.join(baselines)}, measured in turn{rest}: whatever affected "
        "all of one run cancels out. With --absolute the values themselves are compared."
    )


def summary(shown: Sequence[Difference]) -> str:
    """How many of each finding there are, and how many of them chance alone would make."""
    counted = Counter(each.finding for each in shown)
    words = ", ".join(f"{counted[finding]} {finding}" for finding in get_args(Finding) if counted[finding])
    known = [each.change.confidence for each in shown if each.change]
    if not known:
        return f"{words or 'nothing to compare'}."
    if not counted["better"] + counted["worse"] + counted["within noise"]:
        return f"{words}."
    chance = len(known) * (1.0 - known[0])
    return (
        f"{words}. Each change is given with its {known[0] * 100:.4g}% CI: if nothing had changed, "
        f"about {chance:.2g} of {len(known)} would be called better or worse by chance."
    )

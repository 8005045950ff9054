"""Candidate and baseline loaded in turn, and the warnings on storage that is faster because it idles meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

from acceptance.measuring.lasting import without_warm_up
from acceptance.measuring.measure import BySegment, Recording
from acceptance.measuring.rest import FASTER_AFTER_REST, FASTER_IN_TURN, in_turn_against_alone, rest_effect
from acceptance.statistics.interim_analyses import AnalysisPlan
from acceptance.text.quantities import format_quantity


@dataclass(frozen=True, kw_only=True)
class Turns:
    """Candidate and baseline loaded in turn: the source of ratios only, because each of them idles meanwhile.

    `alone`: the samples of the candidate's load without turns that came before.
    """

    candidate: Recording
    baseline: Recording
    plan: AnalysisPlan
    alone: BySegment = ()


def faster_when_it_rests(turns: Turns, alone: Recording, *, plan: AnalysisPlan) -> list[str]:
    """Return warnings if the candidate is faster than in its load without a pause (`alone`), which followed `plan`."""
    warnings = faster_after_rest(turns.candidate, plan=turns.plan)
    steady = without_warm_up(alone.samples)
    beside = in_turn_against_alone(turns.candidate.samples, steady, plan=turns.plan, plan_alone=plan)
    if beside is not None and beside.low > FASTER_IN_TURN:
        warnings.append(
            f"{alone.storage_class} was {shown_ratio(*beside)} as fast in turn as without a pause: it is faster after "
            f"idle time, or the machine changed meanwhile; the ratio to {turns.baseline.storage_class} comes from the "
            "load in turn"
        )
    return warnings


def faster_after_rest(recording: Recording, *, plan: AnalysisPlan) -> list[str]:
    """Return a warning if a class, by its turns alone, is faster after idle time; else an empty list."""
    ratio = rest_effect(recording.samples, role=recording.role, plan=plan)
    if ratio.value is None or ratio.low is None or ratio.high is None or ratio.low <= FASTER_AFTER_REST:
        return []
    text = shown_ratio(ratio.value, ratio.low, ratio.high)
    return [f"{recording.storage_class} is faster after idle time: {text} its rate in a turn that follows immediately"]


def shown_ratio(value: float, low: float, high: float) -> str:
    """Return `1.9x (99% CI 1.5x to 2.4x)`, of a ratio with the confidence `acceptance.measuring.rest.CONFIDENCE`."""
    figures = [format_quantity(figure, unit="ratio") for figure in (value, low, high)]
    return f"{figures[0]} (99% CI {figures[1]} to {figures[2]})"

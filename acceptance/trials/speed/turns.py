"""Candidate and baseline loaded in turn, and what is said of storage that is faster when it rests meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

from acceptance.measuring.measure import Recording
from acceptance.measuring.rest import FASTER_AFTER_REST, FASTER_IN_TURN, in_turn_against_alone, rest_effect
from acceptance.statistics.interim_analyses import AnalysisPlan
from acceptance.text.quantities import format_quantity


@dataclass(frozen=True, kw_only=True)
class Turns:
    """Candidate and baseline loaded in turn: what ratios come from, and nothing else, for each rests meanwhile."""

    candidate: Recording
    baseline: Recording
    plan: AnalysisPlan


def faster_when_it_rests(turns: Turns, alone: Recording, *, plan: AnalysisPlan) -> list[str]:
    """What to warn of, of the candidate, whose load without a pause (`alone`) followed `plan`."""
    found = faster_after_rest(turns.candidate, plan=turns.plan)
    beside = in_turn_against_alone(turns.candidate.samples, alone.samples, plan=turns.plan, plan_alone=plan)
    if beside is not None and beside.low > FASTER_IN_TURN:
        found.append(
            f"{alone.storage_class} did {shown_ratio(*beside)} in turn what it did without a pause: it is faster "
            f"when it rests, or the machine changed meanwhile; the ratio to {turns.baseline.storage_class} comes "
            "from the turns"
        )
    return found


def faster_after_rest(recording: Recording, *, plan: AnalysisPlan) -> list[str]:
    """The same of either class, from its turns alone."""
    found = rest_effect(recording.samples, role=recording.role, plan=plan)
    if found.value is None or found.low is None or found.high is None or found.low <= FASTER_AFTER_REST:
        return []
    shown = shown_ratio(found.value, found.low, found.high)
    return [f"{recording.storage_class} is faster after rest: {shown} what it does in a turn that follows at once"]


def shown_ratio(value: float, low: float, high: float) -> str:
    """`1.9x (99% CI 1.5x to 2.4x)`, of what is known with `acceptance.measuring.rest.CONFIDENCE`."""
    shown = [format_quantity(each, unit="ratio") for each in (value, low, high)]
    return f"{shown[0]} (99% CI {shown[1]} to {shown[2]})"

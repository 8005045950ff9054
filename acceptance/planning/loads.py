"""How long a profile is measured, from its own ramp and the plan of looks, and its volumes take to be ready."""

from __future__ import annotations

from collections.abc import Sequence

from acceptance.limits.tiers import ComparisonRule, Limit
from acceptance.loads.profiles import Profile
from acceptance.measuring.measure import runtime_s
from acceptance.planning.assumed_throughput import AssumedThroughput
from acceptance.planning.records import PlannedStep, Volumes
from acceptance.settings.run import Settings
from acceptance.statistics.interim_analyses import UNJUDGED_S, AnalysisPlan, plan_for, unjudged_plan

END_S = 2.0
"""For the pod of a load to start and to be away."""


def prepared(settings: Settings, classes: tuple[str, ...], *, assumed: AssumedThroughput) -> PlannedStep:
    """Volumes of these classes, made and written together; there until the run is over."""
    size = settings.test_size if settings.cluster_kind == "host" else settings.volume_size
    seconds = assumed.claim_s + len(classes) * settings.test_size / assumed.bandwidth
    return PlannedStep(
        what=f"volumes to load, test file written in full: {', '.join(classes)}",
        about_s=seconds,
        volumes=tuple(Volumes(storage_class=each, number=1, size=size, lasts="run") for each in classes),
        pods=len(classes),
    )


def measured(
    profile: Profile,
    storage_class: str,
    *,
    baseline: str | None,
    asked: Sequence[Limit | ComparisonRule],
    test_size: int,
    assumed: AssumedThroughput,
    unjudged_s: float = UNJUDGED_S,
    load_time_s: float = 0.0,
) -> PlannedStep:
    """One profile measured on a class, and then in turn with the baseline where there is one.

    `asked`: what it is judged by; `load_time_s`: how long each load lasts at the least.
    """
    limits = [each for each in asked if isinstance(each, Limit)]
    rules = [each for each in asked if isinstance(each, ComparisonRule)]
    unjudged_s = max(unjudged_s, load_time_s)
    alone = unjudged_plan(unjudged_s, in_turn=False)
    if asked:
        alone = plan_for(durable=profile.durable, in_turn=False).at_least(load_time_s)
    first = _first_look(alone, limits) if asked else alone.cap
    last = alone.cap if limits else first
    soonest_s, longest_s = (load_s(profile, alone, look, in_turn=False) for look in (first, last))
    if baseline is not None:
        turns = unjudged_plan(unjudged_s, in_turn=True)
        if rules:
            turns = plan_for(durable=profile.durable, in_turn=True).at_least(load_time_s)
        first = _first_look(turns, rules) if rules else _unjudged_look(turns, unjudged_s)
        last = turns.cap if rules else first
        soonest_s += END_S + load_s(profile, turns, first, in_turn=True)
        longest_s += END_S + load_s(profile, turns, last, in_turn=True)
    files = 0 if not profile.own_files else 1 if baseline is None else 3
    beside = "" if baseline is None else f", then in turn with {baseline}"
    return PlannedStep(
        what=f"{profile.name} on {storage_class}{beside}",
        about_s=END_S + files * test_size / assumed.bandwidth + soonest_s,
        longer_s=longest_s - soonest_s,
        pods=1,
    )


def sustained(
    profile: Profile, storage_class: str, *, seconds: int, test_size: int, assumed: AssumedThroughput
) -> PlannedStep:
    """One profile on a class without a pause."""
    writing_s = test_size / assumed.bandwidth if profile.own_files else 0.0
    return PlannedStep(
        what=f"{profile.name} on {storage_class} without a pause, {seconds // 60} min",
        about_s=END_S + writing_s + profile.ramp_s + runtime_s(profile, seconds),
        pods=1,
    )


def load_s(profile: Profile, plan: AnalysisPlan, look: int, *, in_turn: bool) -> float:
    """How long it takes until a look, given in counted seconds of load on the class that is judged."""
    if not in_turn:
        return profile.ramp_s + runtime_s(profile, look)
    begun = plan.segments[: plan.rounds[plan.looks.index(look)]]
    return 2 * sum(profile.ramp_s + runtime_s(profile, segment_s) for segment_s in begun)


def _first_look(plan: AnalysisPlan, asked: Sequence[Limit | ComparisonRule]) -> int:
    """The first that can decide all that is asked."""
    return plan.seconds[0] if any(each.metric.is_of_the_rare for each in asked) else plan.looks[0]


def _unjudged_look(plan: AnalysisPlan, unjudged_s: float) -> int:
    """Without a limit it is loaded for a while, and ended at a look."""
    return next((look for look in plan.looks if look >= unjudged_s), plan.cap)

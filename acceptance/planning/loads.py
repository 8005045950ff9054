"""How long a profile is measured, from its own ramp and the plan of looks, and its volumes take to be ready."""

from __future__ import annotations

from collections.abc import Sequence

from acceptance.limits.tiers import ComparisonRule, Limit
from acceptance.loads.profiles import Profile
from acceptance.measuring.measure import runtime_s
from acceptance.planning.assumed_throughput import AssumedThroughput
from acceptance.planning.records import PlannedStep, Volumes
from acceptance.settings.run import Settings
from acceptance.statistics.interim_analyses import UNJUDGED_S, AnalysisPlan, plan_for

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
) -> PlannedStep:
    """One profile measured on a class, in turn with the baseline where there is one; `asked`: what it is judged by."""
    plan = plan_for(durable=profile.durable, in_turn=baseline is not None)
    first = _first_look(plan, asked)
    last = plan.cap if asked else first
    soonest_s, longest_s = (load_s(profile, plan, look, in_turn=baseline is not None) for look in (first, last))
    own_files_s = 0.0
    if profile.own_files:
        own_files_s = (1 if baseline is None else 2) * test_size / assumed.bandwidth
    beside = "" if baseline is None else f" and {baseline} in turn"
    return PlannedStep(
        what=f"{profile.name} on {storage_class}{beside}",
        about_s=END_S + own_files_s + soonest_s,
        longer_s=longest_s - soonest_s,
        pods=1,
    )


def load_s(profile: Profile, plan: AnalysisPlan, look: int, *, in_turn: bool) -> float:
    """How long it takes until a look, given in counted seconds of load on the class that is judged."""
    if not in_turn:
        return profile.ramp_s + runtime_s(profile, look)
    begun = plan.segments[: plan.rounds[plan.looks.index(look)]]
    return 2 * sum(profile.ramp_s + runtime_s(profile, segment_s) for segment_s in begun)


def _first_look(plan: AnalysisPlan, asked: Sequence[Limit | ComparisonRule]) -> int:
    """The first that can decide all that is asked; what nobody judges is loaded for a while, and ended at a look."""
    if not asked:
        return next((look for look in plan.looks if look >= UNJUDGED_S), plan.cap)
    return plan.seconds[0] if any(each.metric.is_of_the_rare for each in asked) else plan.looks[0]

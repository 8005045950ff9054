"""How long a profile is measured, from its own ramp and the plan of looks, and its volumes take to be ready."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from acceptance.limits.limit import Limit
from acceptance.loads.profiles import Profile
from acceptance.measuring.measure import runtime_s
from acceptance.planning.assumed_throughput import AssumedThroughput
from acceptance.planning.records import PlannedStep, Volumes
from acceptance.settings.run import Settings
from acceptance.statistics.interim_analyses import LONGEST_S, UNJUDGED_S, AnalysisPlan, plan_for, unjudged_plan
from acceptance.trials.neighbours.trial import capacity_plan, neighbours_plan, shares_asked
from acceptance.trials.price.trial import REST_S
from acceptance.trials.snapshots.many import PIECE, PIECES
from acceptance.trials.speed.under_load import judged_plan, shares_of

END_S = 2.0
"""For the pod of a load to start and to be away."""
SNAPSHOT_S = 5.0
"""For a piece to be written and one snapshot to be ready."""


def prepared(settings: Settings, classes: tuple[str, ...], *, assumed: AssumedThroughput) -> PlannedStep:
    """Volumes of these classes, made and written together; there until the run is over."""
    size = settings.test_size if settings.cluster_kind == "host" else settings.volume_size
    seconds = assumed.claim_s + len(classes) * settings.test_size / assumed.bandwidth
    return PlannedStep(
        what=f"volumes to load, test file written in full: {', '.join(classes)}",
        about_s=seconds,
        volumes=tuple(
            Volumes(storage_class=storage_class, number=1, size=size, lasts="run") for storage_class in classes
        ),
        pods=len(classes),
    )


def measured(
    profile: Profile,
    storage_class: str,
    *,
    baseline: str | None,
    asked: Sequence[Limit],
    test_size: int,
    assumed: AssumedThroughput,
    unjudged_s: float = UNJUDGED_S,
    load_time_s: float = 0.0,
    longest_s: float = LONGEST_S,
) -> PlannedStep:
    """One profile measured on a class, and then in turn with the baseline where there is one.

    `asked`: what it is judged by; `load_time_s`: how long each load lasts at the least; `longest_s`: what is judged
    and stays open.
    """
    limits = [each for each in asked if each.section == "limits"]
    rules = [each for each in asked if each.section == "comparison"]
    unjudged_s = max(unjudged_s, load_time_s)

    def plan_of(*, judged: bool, in_turn: bool) -> AnalysisPlan:
        if judged:
            return plan_for(durable=profile.durable, in_turn=in_turn, longest_s=longest_s).at_least(load_time_s)
        return unjudged_plan(unjudged_s, in_turn=in_turn)

    plan = plan_of(judged=bool(asked), in_turn=False)
    first = _first_look(plan, limits) if asked else plan.cap
    loads_s = [load_s(profile, plan, each, in_turn=False) for each in _looks(plan, first, judged=bool(limits))]
    if baseline is not None:
        plan = plan_of(judged=bool(rules), in_turn=True)
        first = _first_look(plan, rules) if rules else _unjudged_look(plan, unjudged_s)
        for number, look in enumerate(_looks(plan, first, judged=bool(rules))):
            loads_s[number] += END_S + load_s(profile, plan, look, in_turn=True)
    soonest_s, whole_s, longest_load_s = loads_s
    files = 0 if not profile.own_files else 1 if baseline is None else 3
    beside = "" if baseline is None else f", then in turn with {baseline}"
    return PlannedStep(
        what=f"{profile.name} on {storage_class}{beside}",
        about_s=END_S + files * test_size / assumed.bandwidth + soonest_s,
        longer_s=longest_load_s - soonest_s,
        goes_on_s=longest_load_s - whole_s,
        pods=1,
    )


def _looks(plan: AnalysisPlan, first: int, *, judged: bool) -> tuple[int, int, int]:
    """The first that can decide, that after a minute, and the last; the first alone where nothing is judged."""
    return (first, max(first, plan.whole_s), plan.cap) if judged else (first, first, first)


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


def priced(
    profile: Profile, storage_class: str, *, seconds: int, test_size: int, assumed: AssumedThroughput
) -> PlannedStep:
    """The same with the storage's pods watched, and a rest before and after."""
    load = sustained(profile, storage_class, seconds=seconds, test_size=test_size, assumed=assumed)
    return replace(
        load,
        what=f"{profile.name} on {storage_class}, {seconds // 60} min, and what the storage's pods take",
        about_s=load.about_s + 2 * REST_S,
    )


def under_load(
    profile: Profile,
    storage_class: str,
    *,
    limits: Sequence[Limit],
    unjudged_s: float,
    longest_s: float,
) -> PlannedStep:
    """One profile on a class: what it can do, and the latency at shares of that."""
    judged, unjudged, shares = judged_plan(longest_s), unjudged_plan(unjudged_s, in_turn=False), shares_of(limits)
    named = len({limit.at["of_capacity"] for limit in limits})
    judged_loads = named + 1  # and the capacity

    def seconds(plan: AnalysisPlan, look: int) -> float:
        return END_S + load_s(profile, plan, look, in_turn=False)

    longer_s = judged_loads * (seconds(judged, judged.cap) - seconds(judged, judged.looks[0]))
    return PlannedStep(
        what=f"{profile.name} on {storage_class}, latency at {len(shares)} shares of the capacity",
        about_s=judged_loads * seconds(judged, judged.looks[0])
        + (len(shares) - named) * seconds(unjudged, unjudged.cap),
        longer_s=longer_s,
        goes_on_s=longer_s,
        pods=1,
    )


def beside_neighbours(
    profile: Profile,
    storage_class: str,
    *,
    limits: Sequence[Limit],
    settings: Settings,
    assumed: AssumedThroughput,
) -> PlannedStep:
    """One profile on a class: what it can do, shares of that alone, and the same beside volumes that load at full."""
    plan, count = neighbours_plan(settings.longest), settings.noisy_neighbours
    first, loads = capacity_plan(), 2 * len(shares_asked(limits))
    capacity_s = END_S + load_s(profile, first, first.cap, in_turn=False)
    soonest_s, longest_s = (END_S + load_s(profile, plan, each, in_turn=False) for each in (plan.looks[0], plan.cap))
    made_s = assumed.claim_s + assumed.pod_s + count * settings.test_size / assumed.bandwidth + assumed.gone_s
    return PlannedStep(
        what=f"{profile.name} on {storage_class} alone, and beside {count} volumes at full load",
        about_s=capacity_s + loads * soonest_s + made_s,
        longer_s=loads * (longest_s - soonest_s),
        goes_on_s=loads * (longest_s - soonest_s),
        volumes=(Volumes(storage_class=storage_class, number=count, size=settings.volume_size),),
        pods=1 + count,
        sets=1,
    )


def with_snapshots(
    profile: Profile, storage_class: str, *, settings: Settings, assumed: AssumedThroughput
) -> PlannedStep:
    """Two volumes filled alike, snapshots of the one, one after the other, and both loaded in turn."""
    plan, count = (
        plan_for(durable=profile.durable, in_turn=True, longest_s=settings.longest),
        settings.operations_at_once,
    )
    soonest_s, whole_s, longest_s = (
        END_S + load_s(profile, plan, look, in_turn=True) for look in _looks(plan, plan.looks[0], judged=True)
    )
    made_s = 2 * (assumed.claim_s + settings.test_size / assumed.bandwidth) + assumed.pod_s
    return PlannedStep(
        what=f"{count} snapshots of a volume of {storage_class}, {profile.name} on it in turn with one without",
        about_s=made_s + count * SNAPSHOT_S + soonest_s + 2 * assumed.gone_s,
        longer_s=longest_s - soonest_s,
        goes_on_s=longest_s - whole_s,
        volumes=(
            Volumes(
                storage_class=storage_class,
                number=2,
                size=settings.volume_size,
                # What is written over is held once more: pieces by each snapshot, and by the last all that is loaded.
                beside=count * PIECES * PIECE + settings.test_size,
            ),
        ),
        pods=4,
    )


def load_s(profile: Profile, plan: AnalysisPlan, look: int, *, in_turn: bool) -> float:
    """How long it takes until a look, given in counted seconds of load on the class that is judged."""
    if not in_turn:
        return profile.ramp_s + runtime_s(profile, look)
    begun = plan.segments[: plan.rounds[plan.looks.index(look)]]
    return 2 * sum(profile.ramp_s + runtime_s(profile, segment_s) for segment_s in begun)


def _first_look(plan: AnalysisPlan, asked: Sequence[Limit]) -> int:
    """The first that can decide all that is asked."""
    rare = any(each.metric.is_of_the_rare for each in asked)
    return next(look for look in plan.looks if look >= plan.seconds[0]) if rare else plan.looks[0]


def _unjudged_look(plan: AnalysisPlan, unjudged_s: float) -> int:
    """Without a limit it is loaded for a while, and ended at a look."""
    return next((look for look in plan.looks if look >= unjudged_s), plan.cap)

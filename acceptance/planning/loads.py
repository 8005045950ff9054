"""The duration of a profile's measurement, from its ramp and its interim analyses, and of preparing its volumes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from acceptance.limits.limit import Limit
from acceptance.loads.profiles import Profile
from acceptance.measuring.measure import runtime_s
from acceptance.planning.assumed_throughput import AssumedThroughput
from acceptance.planning.records import PlannedStep, Volumes
from acceptance.settings.run import Settings
from acceptance.statistics.interim_analyses import LONGEST_S, UNJUDGED_S, AnalysisPlan, plan_for, unjudged_plan
from acceptance.trials.neighbours.trial import capacity_plan, neighbours_plan, requested_shares
from acceptance.trials.price.trial import REST_S
from acceptance.trials.snapshots.many import PIECE, PIECES
from acceptance.trials.speed.under_load import judged_plan, shares_of

END_S = 2.0
"""Time (s) for the pod of a load to start and to be deleted."""
SNAPSHOT_S = 5.0
"""Time (s) until a piece is written and one snapshot is ready."""


def plan_preparation(settings: Settings, classes: tuple[str, ...], *, speeds: AssumedThroughput) -> PlannedStep:
    """Plan volumes of these classes, created and written at the same time, which exist until the run is over."""
    size = settings.test_size if settings.cluster_kind == "host" else settings.volume_size
    seconds = speeds.claim_s + len(classes) * settings.test_size / speeds.bandwidth
    return PlannedStep(
        description=f"volumes to load, test file written in full: {', '.join(classes)}",
        about_s=seconds,
        volumes=tuple(
            Volumes(storage_class=storage_class, number=1, size=size, lasts="run") for storage_class in classes
        ),
        pods=len(classes),
    )


def plan_measurement(
    profile: Profile,
    storage_class: str,
    *,
    baseline: str | None,
    limits_and_rules: Sequence[Limit],
    test_size: int,
    speeds: AssumedThroughput,
    unjudged_s: float = UNJUDGED_S,
    load_time_s: float = 0.0,
    longest_s: float = LONGEST_S,
) -> PlannedStep:
    """Plan one profile measured on a class, and then in turn with the baseline if there is one.

    `limits_and_rules`: what it is judged by; `load_time_s`: the minimum duration of each load; `longest_s`: the maximum
    duration of loads that are judged and remain undecided.
    """
    limits = [limit for limit in limits_and_rules if limit.section == "limits"]
    rules = [rule for rule in limits_and_rules if rule.section == "comparison"]
    unjudged_s = max(unjudged_s, load_time_s)

    def plan_of(*, is_judged: bool, in_turn: bool) -> AnalysisPlan:
        if is_judged:
            plan = plan_for(durable=profile.durable, in_turn=in_turn, longest_s=longest_s).at_least(load_time_s)
            return plan if in_turn else plan.in_visits()
        return unjudged_plan(unjudged_s, in_turn=in_turn)

    plan = plan_of(is_judged=bool(limits_and_rules), in_turn=False)
    first = _first_look(plan, limits) if limits_and_rules else plan.cap
    loads_s = [load_s(profile, plan, look, in_turn=False) for look in _looks(plan, first, is_judged=bool(limits))]
    if baseline is not None:
        plan = plan_of(is_judged=bool(rules), in_turn=True)
        first = _first_look(plan, rules) if rules else _unjudged_look(plan, unjudged_s)
        for number, look in enumerate(_looks(plan, first, is_judged=bool(rules))):
            loads_s[number] += END_S + load_s(profile, plan, look, in_turn=True)
    soonest_s, whole_s, longest_load_s = loads_s
    files = 0 if not profile.own_files else 1 if baseline is None else 3
    beside = "" if baseline is None else f", then in turn with {baseline}"
    return PlannedStep(
        description=f"{profile.name} on {storage_class}{beside}",
        about_s=END_S + files * test_size / speeds.bandwidth + soonest_s,
        longer_s=longest_load_s - soonest_s,
        goes_on_s=longest_load_s - whole_s,
        pods=1,
        together="visits",
    )


def _looks(plan: AnalysisPlan, first: int, *, is_judged: bool) -> tuple[int, int, int]:
    """Return the first analysis that can decide, that after a minute, and the last; only the first if not judged."""
    return (first, max(first, plan.whole_s), plan.cap) if is_judged else (first, first, first)


def plan_sustained_load(
    profile: Profile, storage_class: str, *, seconds: int, test_size: int, speeds: AssumedThroughput
) -> PlannedStep:
    """Plan one profile on a class without a pause."""
    writing_s = test_size / speeds.bandwidth if profile.own_files else 0.0
    return PlannedStep(
        description=f"{profile.name} on {storage_class} without a pause, {seconds // 60} min",
        about_s=END_S + writing_s + profile.ramp_s + runtime_s(profile, seconds),
        pods=1,
    )


def plan_resource_overhead(
    profile: Profile, storage_class: str, *, seconds: int, test_size: int, speeds: AssumedThroughput
) -> PlannedStep:
    """Plan a sustained load while the storage's pods are observed, with idle time before and after."""
    load = plan_sustained_load(profile, storage_class, seconds=seconds, test_size=test_size, speeds=speeds)
    return replace(
        load,
        description=f"{profile.name} on {storage_class}, {seconds // 60} min, and the resource overhead of the storage",
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
    """Plan one profile on a class: its capacity, and the latency at shares of the capacity."""
    long_plan, short_plan, shares = judged_plan(longest_s), unjudged_plan(unjudged_s, in_turn=False), shares_of(limits)
    judged_shares = len({limit.at["of_capacity"] for limit in limits})
    judged_loads = judged_shares + 1  # and the capacity

    def seconds(plan: AnalysisPlan, look: int) -> float:
        return END_S + load_s(profile, plan, look, in_turn=False)

    longer_s = judged_loads * (seconds(long_plan, long_plan.cap) - seconds(long_plan, long_plan.looks[0]))
    return PlannedStep(
        description=f"{profile.name} on {storage_class}, latency at {len(shares)} shares of the capacity",
        about_s=judged_loads * seconds(long_plan, long_plan.looks[0])
        + (len(shares) - judged_shares) * seconds(short_plan, short_plan.cap),
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
    speeds: AssumedThroughput,
) -> PlannedStep:
    """Plan one profile on a class: its capacity, shares of it alone, and the same next to volumes at full load."""
    plan, count = neighbours_plan(settings.longest), settings.noisy_neighbours
    first, loads = capacity_plan(), 2 * len(requested_shares(limits))
    capacity_s = END_S + load_s(profile, first, first.cap, in_turn=False)
    soonest_s, longest_s = (END_S + load_s(profile, plan, look, in_turn=False) for look in (plan.looks[0], plan.cap))
    made_s = speeds.claim_s + speeds.pod_s + count * settings.test_size / speeds.bandwidth + speeds.gone_s
    return PlannedStep(
        description=f"{profile.name} on {storage_class} alone, and next to {count} volumes at full load",
        about_s=capacity_s + loads * soonest_s + made_s,
        longer_s=loads * (longest_s - soonest_s),
        goes_on_s=loads * (longest_s - soonest_s),
        volumes=(Volumes(storage_class=storage_class, number=count, size=settings.volume_size),),
        pods=1 + count,
        sets=1,
    )


def with_snapshots(
    profile: Profile, storage_class: str, *, settings: Settings, speeds: AssumedThroughput
) -> PlannedStep:
    """Plan two volumes with the same data, snapshots of one, one after the other, and load on both in turn."""
    plan, count = (
        plan_for(durable=profile.durable, in_turn=True, longest_s=settings.longest),
        settings.operations_at_once,
    )
    soonest_s, whole_s, longest_s = (
        END_S + load_s(profile, plan, look, in_turn=True) for look in _looks(plan, plan.looks[0], is_judged=True)
    )
    made_s = 2 * (speeds.claim_s + settings.test_size / speeds.bandwidth) + speeds.pod_s
    return PlannedStep(
        description=f"{count} snapshots of a volume of {storage_class}, {profile.name} on it in turn with one without",
        about_s=made_s + count * SNAPSHOT_S + soonest_s + 2 * speeds.gone_s,
        longer_s=longest_s - soonest_s,
        goes_on_s=longest_s - whole_s,
        volumes=(
            Volumes(
                storage_class=storage_class,
                number=2,
                size=settings.volume_size,
                # Overwritten data is kept once more: pieces by each snapshot, and all that is loaded by the last one.
                beside=count * PIECES * PIECE + settings.test_size,
            ),
        ),
        pods=4,
    )


def load_s(profile: Profile, plan: AnalysisPlan, look: int, *, in_turn: bool) -> float:
    """Return the time (s) until an interim analysis, given in counted seconds of load on the judged class."""
    if not in_turn:
        ends = [0, *(end for end in plan.visits if end < look), look]
        visits_s = (profile.ramp_s + runtime_s(profile, end - begin) for begin, end in pairwise(ends))
        return sum(visits_s) + END_S * (len(ends) - 2)
    segments_s = plan.segments[: plan.rounds[plan.looks.index(look)]]
    return 2 * sum(profile.ramp_s + runtime_s(profile, segment_s) for segment_s in segments_s)


def _first_look(plan: AnalysisPlan, limits: Sequence[Limit]) -> int:
    """Return the first interim analysis that can decide all limits."""
    rare = any(limit.metric.is_of_the_rare for limit in limits)
    return next(look for look in plan.looks if look >= plan.seconds[0]) if rare else plan.looks[0]


def _unjudged_look(plan: AnalysisPlan, unjudged_s: float) -> int:
    """Return the analysis at which a load without a limit ends."""
    return next((look for look in plan.looks if look >= unjudged_s), plan.cap)

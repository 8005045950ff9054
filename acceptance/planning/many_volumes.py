"""The duration of scale runs, ramps and control operations: growth, windows, rates, rounds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from acceptance.limits.limit import Limit
from acceptance.loads.profiles import Profile
from acceptance.planning.assumed_throughput import AssumedThroughput
from acceptance.planning.records import PlannedStep, Volumes
from acceptance.results.operations import OPERATIONS, Operation
from acceptance.statistics.step_analyses import rate_windows_s, step_windows_s
from acceptance.trials.operations.plan import GROWN_SIZE, VOLUME_SIZE, OperationSettings
from acceptance.trials.ramps.ramp_down import DOWN_TIMES
from acceptance.trials.ramps.runner import RampSettings
from acceptance.trials.scaling.runner import ScaleSettings
from acceptance.trials.scaling.steps import LEAD_PER_POD_S, LEAD_S, SPARE_PER_POD_S, SPARE_S

END_S = 2.0
"""Time (s) until all pods have reported their last result."""


def plan_scale_run(
    storage_class: str,
    *,
    profiles: Sequence[Profile],
    limits: Sequence[Limit],
    settings: ScaleSettings,
    nodes: int,
    speeds: AssumedThroughput,
) -> PlannedStep:
    """Plan a scale run of one class, with the runs at a set rate and on half of the nodes if they are required.

    All verdicts are taken to be decided at their first interim analysis; undecided ones take longer.
    """
    rate_limited_profiles = [profile for profile in profiles if _asks(limits, profile, "rate_limited")]
    apart = [profile for profile in profiles if _asks(limits, profile, "node_scaling")] if nodes > 1 else []
    most = max(settings.steps[-1], settings.rate_pods if rate_limited_profiles else 0)
    sizes = [settings.steps[-1], *([most] if most > settings.steps[-1] else [])]
    seconds = sum(_growth_s(later - earlier, settings, speeds) for earlier, later in pairwise([0, *sizes]))
    first_s = step_windows_s(settings.window_s)[0]
    seconds += sum(_window_s(profile, pods, window_s=first_s) for pods in settings.steps for profile in profiles)
    rate_s = rate_windows_s(settings.window_s)[0]
    seconds += sum(_window_s(profile, most, window_s=rate_s) for profile in rate_limited_profiles) + speeds.gone_s
    sets, apart_s = [most], step_windows_s(settings.window_s)[-1]
    for part in (nodes // 2, 2 * (nodes // 2)) if apart else ():
        there = part * max(1, settings.steps[-1] // nodes)
        seconds += _growth_s(there, settings, speeds) + sum(
            _window_s(profile, there, window_s=apart_s) for profile in apart
        )
        seconds += speeds.gone_s
        sets.append(there)
    # One set after the other; if there are more nodes than volumes, the last set is the largest.
    volumes = Volumes(
        storage_class=storage_class, number=max(sets), size=settings.volume_size, total=sum(sets), evenly=True
    )
    names = ", ".join(profile.name for profile in profiles)
    steps = ", ".join(map(str, settings.steps))
    at_rate = f", then {most} at a set rate" if rate_limited_profiles else ""
    return PlannedStep(
        description=f"{names} on {steps} volumes of {storage_class} at the same time{at_rate}",
        about_s=seconds,
        volumes=(volumes,),
        pods=sum(sets),
        sets=len(sets),
    )


def plan_ramp(
    storage_class: str, settings: RampSettings, *, rate_per_s: float, nodes: int, speeds: AssumedThroughput
) -> PlannedStep:
    """Plan a ramp up to the goal at the rate, and down again."""
    seconds = (1 + 1 / DOWN_TIMES) * settings.goal / rate_per_s + speeds.claim_s + speeds.pod_s + speeds.gone_s
    rate = f"{60 * rate_per_s:g} a minute"
    return PlannedStep(
        description=f"ramp to {settings.goal} pods with a volume of {storage_class} each, {rate}, and back",
        about_s=seconds,
        volumes=(Volumes(storage_class=storage_class, number=settings.goal, size=settings.volume_size),),
        pods=settings.goal,
        sets=1 if settings.form == "set" else max(nodes, 1),
    )


COPIES: tuple[Operation, ...] = ("restore", "clone")


def plan_operations(storage_class: str, settings: OperationSettings, *, speeds: AssumedThroughput) -> PlannedStep:
    """Plan rounds of control operations: the volumes, their snapshots and one set of copies at a time, or all expanded.

    If many are requested at the same time, each is taken to last as long as one alone; queueing takes longer.
    """
    operations, number = settings.all_operations, settings.at_once
    copies = [copy for copy in COPIES if copy in operations]
    there = number * max(1 + bool(copies), GROWN_SIZE // VOLUME_SIZE if "expand" in operations else 1)
    round_s = speeds.claim_s + 2 * speeds.gone_s + len(copies) * (speeds.claim_s + speeds.gone_s)
    round_s += sum(speeds.claim_s for kind in operations if kind in ("snapshot", "snapshots_of_one", "expand"))
    often = f"{settings.rounds} times " if settings.rounds > 1 else ""
    names = ", ".join(operation for operation in OPERATIONS if operation in operations)
    return PlannedStep(
        description=f"{often}{number} at the same time on {storage_class}: {names}",
        about_s=settings.rounds * round_s,
        volumes=(
            Volumes(
                storage_class=storage_class,
                number=there,
                size=VOLUME_SIZE,
                total=settings.rounds * number * (1 + len(copies)),
                beside=number * VOLUME_SIZE if {"snapshot", "snapshots_of_one"} & operations else 0,
            ),
        ),
        pods=settings.rounds * number,
    )


def _asks(limits: Sequence[Limit], profile: Profile, kind: str) -> bool:
    return any((limit.profile, limit.rule) == (profile.name, kind) for limit in limits)


def _growth_s(pods: int, settings: ScaleSettings, speeds: AssumedThroughput) -> float:
    """Return the time to add `pods` pods and write each test file in full; all write at the same time."""
    return speeds.claim_s + pods * settings.test_size / speeds.bandwidth if pods else 0.0


def _window_s(profile: Profile, pods: int, *, window_s: float) -> float:
    lead_s, spare_s = LEAD_S + LEAD_PER_POD_S * pods, SPARE_S + SPARE_PER_POD_S * pods
    return lead_s + profile.ramp_s + window_s + spare_s + END_S

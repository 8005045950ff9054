"""How long scale runs, ramps and control operations take: growth, windows, rates, rounds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from acceptance.limits.limit import Limit
from acceptance.loads.profiles import Profile
from acceptance.planning.assumed_throughput import AssumedThroughput
from acceptance.planning.records import PlannedStep, Volumes
from acceptance.results.operations import OPERATIONS, Operation
from acceptance.statistics.step_analyses import rate_windows_s, step_windows_s
from acceptance.trials.operations.plan import GROWN, VOLUME_SIZE, OperationSettings
from acceptance.trials.ramps.ramp_down import DOWN_TIMES
from acceptance.trials.ramps.runner import RampSettings
from acceptance.trials.scaling.runner import ScaleSettings
from acceptance.trials.scaling.steps import LEAD_PER_POD_S, LEAD_S, SPARE_PER_POD_S, SPARE_S

END_S = 2.0
"""For all pods to have told their last result."""


def scaled(
    storage_class: str,
    *,
    profiles: Sequence[Profile],
    limits: Sequence[Limit],
    settings: ScaleSettings,
    nodes: int,
    assumed: AssumedThroughput,
) -> PlannedStep:
    """The steps of a scale run of one class, with the run at a set rate and that on half of the nodes where asked.

    All decided at their first look: what is not takes longer.
    """
    limited = [profile for profile in profiles if _asks(limits, profile, "rate_limited")]
    apart = [profile for profile in profiles if _asks(limits, profile, "node_scaling")] if nodes > 1 else []
    most = max(settings.steps[-1], settings.rate_pods if limited else 0)
    sizes = [settings.steps[-1], *([most] if most > settings.steps[-1] else [])]
    seconds = sum(_growth_s(later - earlier, settings, assumed) for earlier, later in pairwise([0, *sizes]))
    first_s = step_windows_s(settings.window_s)[0]
    seconds += sum(_window_s(profile, pods, window_s=first_s) for pods in settings.steps for profile in profiles)
    rate_s = rate_windows_s(settings.window_s)[0]
    seconds += sum(_window_s(each, most, window_s=rate_s) for each in limited) + assumed.gone_s
    sets, apart_s = [most], step_windows_s(settings.window_s)[-1]
    for part in (nodes // 2, 2 * (nodes // 2)) if apart else ():
        there = part * max(1, settings.steps[-1] // nodes)
        seconds += _growth_s(there, settings, assumed) + sum(_window_s(each, there, window_s=apart_s) for each in apart)
        seconds += assumed.gone_s
        sets.append(there)
    # One set after the other; on more nodes than there are volumes the last is the largest.
    volumes = Volumes(
        storage_class=storage_class, number=max(sets), size=settings.volume_size, made=sum(sets), evenly=True
    )
    names = ", ".join(profile.name for profile in profiles)
    steps = ", ".join(map(str, settings.steps))
    at_rate = f", then {most} at a set rate" if limited else ""
    return PlannedStep(
        what=f"{names} on {steps} volumes of {storage_class} at once{at_rate}",
        about_s=seconds,
        volumes=(volumes,),
        pods=sum(sets),
        sets=len(sets),
    )


def ramped(
    storage_class: str, settings: RampSettings, *, rate_per_s: float, nodes: int, assumed: AssumedThroughput
) -> PlannedStep:
    """A ramp up to the goal at the rate, and down again."""
    seconds = (1 + 1 / DOWN_TIMES) * settings.goal / rate_per_s + assumed.claim_s + assumed.pod_s + assumed.gone_s
    rate = f"{60 * rate_per_s:g} a minute"
    return PlannedStep(
        what=f"ramp to {settings.goal} pods with a volume of {storage_class} each, {rate}, and back",
        about_s=seconds,
        volumes=(Volumes(storage_class=storage_class, number=settings.goal, size=settings.volume_size),),
        pods=settings.goal,
        sets=1 if settings.form == "set" else max(nodes, 1),
    )


COPIES: tuple[Operation, ...] = ("restore", "clone")


def operated(storage_class: str, settings: OperationSettings, *, assumed: AssumedThroughput) -> PlannedStep:
    """Rounds of control operations: the volumes, their snapshots and one set of copies at a time; or all of them grown.

    Where many are asked for at once, each takes as long as one alone; what queues, takes longer.
    """
    done, number = settings.done, settings.at_once
    copies = [copy for copy in COPIES if copy in done]
    there = number * max(1 + bool(copies), GROWN // VOLUME_SIZE if "expand" in done else 1)
    round_s = assumed.claim_s + 2 * assumed.gone_s + len(copies) * (assumed.claim_s + assumed.gone_s)
    round_s += sum(assumed.claim_s for each in done if each in ("snapshot", "snapshots_of_one", "expand"))
    often = f"{settings.rounds} times " if settings.rounds > 1 else ""
    names = ", ".join(operation for operation in OPERATIONS if operation in done)
    return PlannedStep(
        what=f"{often}{number} at once on {storage_class}: {names}",
        about_s=settings.rounds * round_s,
        volumes=(
            Volumes(
                storage_class=storage_class,
                number=there,
                size=VOLUME_SIZE,
                made=settings.rounds * number * (1 + len(copies)),
                beside=number * VOLUME_SIZE if {"snapshot", "snapshots_of_one"} & done else 0,
            ),
        ),
        pods=settings.rounds * number,
    )


def _asks(limits: Sequence[Limit], profile: Profile, kind: str) -> bool:
    return any((limit.profile, limit.rule) == (profile.name, kind) for limit in limits)


def _growth_s(pods: int, settings: ScaleSettings, assumed: AssumedThroughput) -> float:
    """So many more pods, each with its test file written in full; all write at the same time."""
    return assumed.claim_s + pods * settings.test_size / assumed.bandwidth if pods else 0.0


def _window_s(profile: Profile, pods: int, *, window_s: float) -> float:
    lead_s, spare_s = LEAD_S + LEAD_PER_POD_S * pods, SPARE_S + SPARE_PER_POD_S * pods
    return lead_s + profile.ramp_s + window_s + spare_s + END_S

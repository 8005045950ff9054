"""The way up: more and more pods are requested, at a steady rate, until the goal is reached or something ends it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from acceptance.cluster.stateful_sets import scale_set
from acceptance.cluster.workspace import Workspace
from acceptance.trials import Say
from acceptance.trials.ramps.conditions import Stop
from acceptance.trials.ramps.observer import Observer
from acceptance.trials.ramps.sets import RampSets

# Pods are requested in at most one request in this many s; what only time shows is polled as often.
STEP_S = 1.0


@dataclass(frozen=True, kw_only=True)
class RampUp:
    """A finished way up. Times in s by the observer's clock; `asked_s`: when each pod was requested, in order."""

    stop: Stop
    began_s: float
    ended_s: float
    asked_s: list[float]


def ramp_up(
    workspace: Workspace, sets: RampSets, observer: Observer, *, goal: int, rate_per_s: float, say: Say
) -> RampUp:
    """Request pods until something ends it; that is checked at each change and each second.

    Raises EnvironmentFailure if the ramp cannot be watched any more or its image is of no use, ApiError and
    ApiUnreachable if pods cannot be requested.
    """
    began_s, last_s = observer.now_s(), -math.inf
    asked_s: list[float] = []
    while True:
        now_s = observer.now_s()
        target = min(goal, 1 + math.floor((now_s - began_s) * rate_per_s + 1e-9))
        if target > len(asked_s) and now_s - last_s >= STEP_S and not observer.conditions.is_on_hold:
            set_pods(workspace, sets, len(asked_s), target)
            asked_s += [now_s] * (target - len(asked_s))
            last_s = now_s
        with observer.condition:
            observer.raise_problem()
            observer.notice_full_nodes()
            now_s = observer.now_s()
            # A change that no watch has reported yet must not look as if it had not happened.
            stop = None if observer.is_behind else observer.conditions.find_stop(now_s)
            if stop is not None:
                if stop.kind == "stuck" and observer.refusal:
                    stop = replace(stop, reason=f"{stop.reason}; last refusal: {observer.refusal}")
                return RampUp(stop=stop, began_s=began_s, ended_s=now_s, asked_s=asked_s)
            next_s = max(began_s + len(asked_s) / rate_per_s, last_s + STEP_S)
            observer.condition.wait(min(max(next_s - now_s, 0.0), STEP_S) if len(asked_s) < goal else STEP_S)
        say(f"ramp: {len(asked_s)} of {goal} pods requested, {observer.conditions.running} run")


def set_pods(workspace: Workspace, sets: RampSets, before: int, now: int) -> None:
    """Change the number of pods from `before` to `now`: one request for each set that changes."""
    for plan, was, is_now in zip(sets.plans, sets.parts(before), sets.parts(now), strict=True):
        if was != is_now:
            scale_set(workspace.api, plan, pods=is_now)

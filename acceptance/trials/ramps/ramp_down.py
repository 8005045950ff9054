"""Ramp-down: pods are told to end faster than they came, each claim follows its pod, until all is gone."""

from __future__ import annotations

import math

from acceptance.cluster.objects import SHOWN
from acceptance.cluster.ownership import label_volume
from acceptance.cluster.resources import CLAIMS
from acceptance.cluster.stateful_sets import claim_of
from acceptance.cluster.workspace import Workspace
from acceptance.results.ramps import RampDownRecord
from acceptance.trials import Say
from acceptance.trials.ramps.observer import Observer
from acceptance.trials.ramps.ramp_up import STEP_S, set_pods
from acceptance.trials.ramps.sets import RampSets

# Nothing is judged while pods are told to end, only what takes longer; and ending asks for less than starting.
DOWN_TIMES = 2


def ramp_down(
    workspace: Workspace,
    sets: RampSets,
    observer: Observer,
    *,
    pods: int,
    rate_per_s: float,
    timeout_s: float,
    say: Say,
) -> RampDownRecord:
    """Have none of `pods` any more, nor their claims, volumes and attachments. `rate_per_s`: that of the way up.

    Claims are deleted by the suite, each when its pod is gone: StatefulSets do so themselves only from Kubernetes 1.32
    on for sure. `timeout_s`: how long all may take to be gone after the last pod was told to end. Raises what
    `ramp_up` raises.
    """
    way = _RampDown(workspace, sets, observer, pods)
    began_s, last_s = observer.now_s(), -math.inf
    told_s = began_s
    with observer.changed:
        observer.deleted.clear()
    while True:
        now_s = observer.now_s()
        wanted = max(0, pods - 1 - math.floor((now_s - began_s) * DOWN_TIMES * rate_per_s + 1e-9))
        if way.pods > wanted and now_s - last_s >= STEP_S:
            way.lower(wanted)
            last_s = told_s = now_s
        way.delete_claims()
        with observer.changed:
            observer.raise_problem()
            now_s, remaining = observer.now_s(), observer.remaining
            if not way.pods and (not remaining or now_s - told_s > timeout_s):
                return RampDownRecord(
                    scale_down_s=told_s - began_s,
                    cleanup_s=None if remaining else now_s - told_s,
                    timeout_s=timeout_s,
                    remaining=_some(observer.left),
                )
            if not observer.deleted:
                next_s = max(began_s + (pods - way.pods) / (DOWN_TIMES * rate_per_s), last_s + STEP_S)
                observer.changed.wait(min(max(next_s - now_s, 0.0), STEP_S) if way.pods else STEP_S)
        say(f"ramp down: {way.pods} of {pods} pods not yet told to end, {remaining} objects left")


def _some(left: list[str]) -> list[str]:
    return left[:SHOWN] + [f"{len(left) - SHOWN} more"] * (len(left) > SHOWN)


class _RampDown:
    """How far down it is: `pods` are still asked for."""

    def __init__(self, workspace: Workspace, sets: RampSets, observer: Observer, pods: int) -> None:
        self.pods = pods
        self._workspace = workspace
        self._sets = sets
        self._observer = observer
        self._doomed: set[str] = set()
        self._told: set[str] = set()

    def lower(self, pods: int) -> None:
        """Ask for fewer. A pod that is not there, for want of room or quota, may have a claim all the same."""
        set_pods(self._workspace, self._sets, self.pods, pods)
        with self._observer.changed:
            doomed = {self._sets.name(number) for number in range(pods, self.pods)}
            self._observer.deleted += [name for name in doomed if name not in self._observer.timeline.live]
            self._doomed |= doomed
        self.pods = pods

    def delete_claims(self) -> None:
        """Delete the claims of the pods that are gone, and at the end those that never had one, or came late."""
        with self._observer.changed:
            there = self._observer.volumes.claims
            # One that is gone and was not told to end is made again, and needs its claim.
            names = {claim_of(pod) for pod in self._observer.deleted if pod in self._doomed}
            self._observer.deleted.clear()
            if not self.pods and not self._observer.timeline.live:
                names |= there
            names &= there - self._told
            retained = self._observer.volumes.retained(names)
        for volume in retained:
            label_volume(self._workspace.api, volume, run_id=self._workspace.run_id)
        for name in sorted(names):
            self._workspace.api.delete(CLAIMS, name, namespace=self._workspace.namespace)
        self._told |= names

"""Ramp-down: pods are asked to end faster than they came, each claim follows its pod, until everything is deleted."""

from __future__ import annotations

import math

from acceptance.cluster.objects import MAX_NAMES
from acceptance.cluster.ownership import label_volume
from acceptance.cluster.resources import CLAIMS
from acceptance.cluster.stateful_sets import claim_of
from acceptance.cluster.workspace import Workspace
from acceptance.results.ramps import RampDownRecord
from acceptance.trials import Say
from acceptance.trials.ramps.observer import Observer
from acceptance.trials.ramps.ramp_up import STEP_S, set_pods
from acceptance.trials.ramps.sets import RampSets

# Nothing is judged while pods are asked to end, only what takes longer; and ending takes fewer requests than starting.
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
    """Delete all of `pods`, with their claims, volumes and attachments. `rate_per_s`: that of the way up.

    Claims are deleted by the suite, each when its pod is deleted: StatefulSets do so themselves for sure only from
    Kubernetes 1.32 on. `timeout_s`: how long it may take until all are deleted after the last pod was asked to end.
    Raises what `ramp_up` raises.
    """
    way = _RampDown(workspace, sets, observer, pods)
    began_s, last_s = observer.now_s(), -math.inf
    told_s = began_s
    with observer.condition:
        observer.deleted_names.clear()
    while True:
        now_s = observer.now_s()
        target = max(0, pods - 1 - math.floor((now_s - began_s) * DOWN_TIMES * rate_per_s + 1e-9))
        if way.pods > target and now_s - last_s >= STEP_S:
            way.lower(target)
            last_s = told_s = now_s
        way.delete_claims()
        with observer.condition:
            observer.raise_problem()
            now_s, remaining = observer.now_s(), observer.remaining
            if not way.pods and (not remaining or now_s - told_s > timeout_s):
                return RampDownRecord(
                    scale_down_s=told_s - began_s,
                    cleanup_s=None if remaining else now_s - told_s,
                    timeout_s=timeout_s,
                    remaining=_shorten(observer.remaining_names),
                )
            if not observer.deleted_names:
                next_s = max(began_s + (pods - way.pods) / (DOWN_TIMES * rate_per_s), last_s + STEP_S)
                observer.condition.wait(min(max(next_s - now_s, 0.0), STEP_S) if way.pods else STEP_S)
        say(f"ramp down: {way.pods} of {pods} pods still requested, {remaining} objects left")


def _shorten(names: list[str]) -> list[str]:
    return names[:MAX_NAMES] + [f"{len(names) - MAX_NAMES} more"] * (len(names) > MAX_NAMES)


class _RampDown:
    """The state of the way down: `pods` are still requested."""

    def __init__(self, workspace: Workspace, sets: RampSets, observer: Observer, pods: int) -> None:
        self.pods = pods
        self._workspace = workspace
        self._sets = sets
        self._observer = observer
        self._doomed_names: set[str] = set()
        self._deleted_claims: set[str] = set()

    def lower(self, pods: int) -> None:
        """Request fewer pods. A pod that does not exist, for want of room or quota, may have a claim all the same."""
        set_pods(self._workspace, self._sets, self.pods, pods)
        with self._observer.condition:
            doomed_names = {self._sets.name(number) for number in range(pods, self.pods)}
            self._observer.deleted_names += [name for name in doomed_names if name not in self._observer.timeline.live]
            self._doomed_names |= doomed_names
        self.pods = pods

    def delete_claims(self) -> None:
        """Delete the claims of the deleted pods, and at the end those that never had one, or came late."""
        with self._observer.condition:
            there = self._observer.volumes.claims
            # A deleted pod that was not asked to end is created again, and needs its claim.
            names = {claim_of(pod) for pod in self._observer.deleted_names if pod in self._doomed_names}
            self._observer.deleted_names.clear()
            if not self.pods and not self._observer.timeline.live:
                names |= there
            names &= there - self._deleted_claims
            volumes = self._observer.volumes.retained_volumes(names)
        for volume in volumes:
            label_volume(self._workspace.api, volume, run_id=self._workspace.run_id)
        for name in sorted(names):
            self._workspace.api.delete(CLAIMS, name, namespace=self._workspace.namespace)
        self._deleted_claims |= names

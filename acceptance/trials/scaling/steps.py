"""A step of a scale run: all load pods run one profile over the same window."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acceptance.cluster.resources import PODS
from acceptance.loads.fio.rate_limit import job_file
from acceptance.loads.profiles import Profile
from acceptance.measuring.windows import correct_clock
from acceptance.text.errors import EnvironmentFailure, StorageFailure
from acceptance.trials.scaling.load_plan import STEP
from acceptance.trials.scaling.load_set import LoadSet
from acceptance.trials.scaling.loaded_volume import LoadedVolume
from acceptance.trials.scaling.pod_log import StepLog

# From the patch of a pod until it begins: pods see it within some tenths of a second, and the patches take their time.
LEAD_S, LEAD_PER_POD_S = 1.5, 0.05
# The beginning is put off for all if one has not seen it this long before: now and then a kubelet overlooks one.
PUT_OFF_S = 0.8
# Loads begin within a second of each other, and fio's first second only gives the point to count from; it comes later
# on a machine that is busy with all of them.
SPARE_S, SPARE_PER_POD_S = 3.0, 0.2
# Beyond its time: for a pod that begins late, and for a fio that waits for its last writes.
JOIN_S, END_S = 30.0, 60.0
# A constant difference of clocks is corrected, whatever its size; a clock that moves is not known well enough.
CLOCK_MOVED_S = 1.0


@dataclass(frozen=True, kw_only=True)
class Step:
    """The run on the first `pods` of the set; `number` rises from 1 on.

    `rate` of each volume, in IOPS or B/s; None: as fast as it goes. `more_s`: load beyond the window and what the
    number of pods requires.
    """

    number: int
    profile: Profile
    pods: int
    window_s: float
    rate: float | None = None
    more_s: float = 0.0

    @property
    def spare_s(self) -> float:
        """The load beyond the window, for volumes that do not begin and end together."""
        return SPARE_S + SPARE_PER_POD_S * self.pods + self.more_s

    @property
    def runtime_s(self) -> int:
        """The seconds of load that are required of every pod, after the profile's ramp."""
        return math.ceil(self.window_s + self.spare_s)


def run_step(load_set: LoadSet, step: Step) -> list[LoadedVolume]:
    """Run the step on its pods of the set; return the load of each volume, by the suite's own clock.

    Raises StorageFailure or EnvironmentFailure, naming the pod, if one does not begin or does not end well, or if its
    clock moved meanwhile.
    """
    load_set.expect(step.profile.jobs)
    pods = load_set.pods[: step.pods]
    offsets = {pod: load_set.log(pod).offset_s or 0.0 for pod in pods}
    _gather(load_set, step, offsets)
    load_set.wait(
        f"to begin step {step.number} ({step.profile.name})",
        lambda pod: load_set.log(pod).number == step.number,
        pods=pods,
        timeout_s=JOIN_S,
        failure=EnvironmentFailure,
    )
    load_set.wait(
        f"to end step {step.number} ({step.profile.name})",
        lambda pod: _log(load_set, pod).status is not None,
        pods=pods,
        progress=lambda: _progress(load_set, step, pods),
        timeout_s=math.ceil(step.profile.ramp_s) + END_S,
        failure=StorageFailure,
    )
    return [_volume(load_set, pod, step, barrier_offset_s=offsets[pod]) for pod in pods]


def _gather(load_set: LoadSet, step: Step, offsets: Mapping[str, float]) -> None:
    """Pass the start barrier: announce the beginning to all pods, and put it off for all until every pod has seen it.

    Raises EnvironmentFailure, naming the pods that never do.
    """
    until_s = load_set.now_s() + JOIN_S

    def at_barrier(pod: str) -> bool:
        return load_set.log(pod).at_barrier == step.number

    while not all(map(at_barrier, offsets)):
        begin_s = _tell(load_set, step, offsets)
        left_s = begin_s - load_set.now_s() - PUT_OFF_S
        try:
            load_set.wait(
                f"to join the start barrier of step {step.number} ({step.profile.name})",
                at_barrier,
                pods=list(offsets),
                timeout_s=max(left_s, 0.1),
                failure=_NotAtBarrier,
            )
        except _NotAtBarrier:
            if load_set.now_s() > until_s:
                raise


class _NotAtBarrier(EnvironmentFailure):
    """Some pod has not seen the step yet."""


def _tell(load_set: LoadSet, step: Step, offsets: Mapping[str, float]) -> float:
    """Announce the same beginning to each pod, by its own clock; return that moment by the suite's clock."""
    workspace = load_set.workspace
    # Half a second before a full one: pods check at full seconds, and estimates of offsets are off by some tenths.
    begin_s = math.ceil(load_set.now_s() + LEAD_S + LEAD_PER_POD_S * len(offsets)) - 0.5
    job, rate = job_file(step.profile, is_limited=step.rate is not None), math.floor(step.rate or 0)
    for pod in offsets:
        annotation = f"{step.number} {job} {step.runtime_s}s {math.ceil(begin_s - offsets[pod])} {rate}"
        workspace.api.patch(PODS, pod, {"metadata": {"annotations": {STEP: annotation}}}, namespace=workspace.namespace)
    return begin_s


def _log(load_set: LoadSet, pod: str) -> StepLog:
    return load_set.log(pod).step or StepLog(jobs=())


def _progress(load_set: LoadSet, step: Step, pods: Sequence[str]) -> str:
    """Return the seconds of load that all pods have shown, in words, so that one that stands still shows."""
    seconds = [len(_log(load_set, pod).samples) for pod in pods]
    return (
        f"{step.profile.name} on {len(seconds)} volumes of {load_set.plan.storage_class}"
        f"{' at a set rate' if step.rate else ''}: {min(seconds)} of {step.runtime_s} s"
    )


def _volume(load_set: LoadSet, pod: str, step: Step, *, barrier_offset_s: float) -> LoadedVolume:
    log, node = _log(load_set, pod), load_set.node(pod)
    name = f"{step.profile.name}-{load_set.plan.set_name}-{step.pods}-{step.number}-{pod}"
    load_set.workspace.keep_output(name, log.pieces())
    offset_s = barrier_offset_s if log.offset_s is None else log.offset_s
    if abs(offset_s - barrier_offset_s) > CLOCK_MOVED_S:
        raise EnvironmentFailure(
            f"the clock of node {node} (pod {pod}) moved by {offset_s - barrier_offset_s:+.1f} s relative to "
            "this machine's clock within a step, so the suite cannot tell in which seconds all volumes were loaded; "
            f"expected at most {CLOCK_MOVED_S:.0f} s; keep the clocks of the nodes in sync with chrony or ntpd and "
            "run again"
        )
    head = [] if log.head is None else [log.head]
    return LoadedVolume(
        pod=pod,
        node=node,
        offset_s=offset_s,
        samples=correct_clock(log.samples, offset_s=offset_s),
        head=correct_clock(head, offset_s=offset_s),
    )

"""The faults of a load pod, so that a step ends as soon as it cannot succeed, naming the pod."""

from __future__ import annotations

import time
from dataclasses import replace

from acceptance.cluster.api import Api
from acceptance.cluster.events import recent_events
from acceptance.cluster.pod_states import cpu_limit_problem, describe_pod, main_restarts, no_room, taken_away
from acceptance.cluster.pods import start_problem
from acceptance.cluster.resources import Object
from acceptance.cluster.stateful_sets import SetPlan
from acceptance.cluster.waiting import describe_events
from acceptance.measuring.load_script import KILLED_STATUS
from acceptance.measuring.space_check import explain_refusal
from acceptance.text.errors import AcceptanceError, EnvironmentFailure, StorageFailure
from acceptance.trials.scaling.pod_log import PodLog

NO_ROOM_FOR_S = 15.0
# A pod that waits may wait for its claim, about which the watch of pods reports nothing: query one now and then.
ASK_EVERY_S = 10.0


class PodFaults:
    """The faults of the pods of one set. `deleted_names`: the names of those that were deleted."""

    def __init__(self, api: Api, plan: SetPlan) -> None:
        self._api = api
        self._plan = plan
        self._no_room_since: dict[str, float] = {}
        self._looked_at: dict[str, str] = {}
        self._queried_s = time.monotonic()
        self.deleted_names: set[str] = set()

    def of(self, pod: str, obj: Object | None, log: PodLog) -> AcceptanceError | None:
        """Return the error that keeps the pod from doing its part, or None."""
        where = f"pod {pod} on StorageClass {self._plan.pod.classes}"
        if pod in self.deleted_names:
            return EnvironmentFailure(
                f"{where} was deleted by someone else during the run; see the API server's audit log"
            )
        if obj is None:
            return None
        if (fault := taken_away(obj, subject=where) or cpu_limit_problem(obj)) is not None:
            return fault
        return self._no_room(where, obj) or self._start_fault(pod, obj) or self._in_load(where, obj, log)

    def events(self, pod: str) -> str:
        """Return recent events of the pod, as the tail of an error message."""
        return describe_events(lambda: recent_events(self._api, namespace=self._plan.namespace, name=pod))

    def _no_room(self, where: str, obj: Object) -> AcceptanceError | None:
        name = obj["metadata"]["name"]
        why = no_room(obj)
        if not why:
            self._no_room_since.pop(name, None)
            return None
        since = self._no_room_since.setdefault(name, time.monotonic())
        if time.monotonic() - since < NO_ROOM_FOR_S:
            return None
        return EnvironmentFailure(f"{where} has no room on any node: {why}")

    def _start_fault(self, pod: str, obj: Object) -> AcceptanceError | None:
        """Check a pod when it has changed, and now and then: perhaps only its claim shows what keeps it."""
        if obj["status"].get("phase") not in ("Pending", "Failed"):
            return None
        version = obj["metadata"]["resourceVersion"]
        if self._looked_at.get(pod) == version:
            if time.monotonic() - self._queried_s < ASK_EVERY_S:
                return None
            self._queried_s = time.monotonic()
        self._looked_at[pod] = version
        ordinal = int(pod.rpartition("-")[2])
        return start_problem(self._api, replace(self._plan.pod, name=pod, claims=(self._plan.claim(ordinal),)), obj)

    def _in_load(self, where: str, obj: Object, log: PodLog) -> AcceptanceError | None:
        if main_restarts(obj) or log.has_restarted:
            return EnvironmentFailure(f"{where} was stopped from outside the suite and restarted: {describe_pod(obj)}")
        if log.cut_off:
            return EnvironmentFailure(
                f"the log of {where} broke off, and the node rotated it before the suite could continue reading; let "
                "nodes keep more of it (the kubelet's containerLogMaxSize, 10Mi by default)"
            )
        if log.refusal_status is not None:
            required_bytes = int(self._plan.pod.environment["SIZE"])
            return explain_refusal(log.refusal_status, log.output, where=f"the volume of {where}", space=required_bytes)
        unreadable = log.prefill.unreadable or (log.step.unreadable if log.step is not None else None)
        if unreadable is not None:
            return EnvironmentFailure(f"the load of {where} cannot be measured: {unreadable}")
        if log.unwritten is not None:
            why = log.prefill.error or log.prefill.messages
            return StorageFailure(f"the volume of {where} cannot be written in full (status {log.unwritten}): {why}")
        if log.over:
            idle_s = self._plan.pod.environment["IDLE_S"]
            return EnvironmentFailure(
                f"{where} gave up: no new step within {idle_s} s; find out what delayed the suite or the API server, "
                "and run again"
            )
        step = log.step
        if step is not None and (step.status or step.error):
            failure = EnvironmentFailure if step.status == KILLED_STATUS else StorageFailure
            why = "fio was killed, most likely by the OOM killer: " if failure is EnvironmentFailure else ""
            suffix = f"; {step.error}" if step.error else ""
            return failure(f"{where} failed in step {log.number}: {why}status {step.status}, {step.messages}{suffix}")
        return None


def state_of(obj: Object | None, log: PodLog) -> str:
    """Return the pod's state and the progress of its load, in words."""
    if obj is None:
        return "not created yet"
    load = "no output yet"
    if log.over:
        load = "gave up waiting for a new step"
    elif log.step is not None and log.step.status is None:
        load = f"in step {log.number}, {len(log.step.samples)} s of load seen"
    elif log.at_barrier is not None and log.at_barrier != log.number:
        load = f"waits for step {log.at_barrier} to begin"
    elif log.ready:
        load = (
            "waits at the start barrier"
            if log.number is None
            else f"step {log.number} is over, waits at the start barrier"
        )
    elif log.prefill_bytes:
        load = f"{log.prefill_bytes // 1024**2} MiB of the test file written"
    return f"{describe_pod(obj)}, {load}"

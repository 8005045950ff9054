"""The load pods of a scale run: created, extended, watched and listened to, removed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from acceptance.cluster.claims import require_no_unclaimed_volumes, wait_bound
from acceptance.cluster.lifetime import Lifetime
from acceptance.cluster.objects import metadata
from acceptance.cluster.pod_states import main_runs
from acceptance.cluster.resources import CONFIG_MAPS, PODS, Object
from acceptance.cluster.stateful_sets import create_set, remove_set, scale_set
from acceptance.cluster.watching import Change, Watch
from acceptance.cluster.workspace import Workspace
from acceptance.process.undoing import Undoing
from acceptance.text.errors import AcceptanceError, EnvironmentFailure, StorageFailure
from acceptance.trials import Say
from acceptance.trials.scaling.load_plan import LoadPlan
from acceptance.trials.scaling.pod_faults import PodFaults, state_of
from acceptance.trials.scaling.pod_listening import Listener
from acceptance.trials.scaling.pod_log import PodLog

# Pods are checked when they print something and when they change; now and then for what only time shows.
LOOK_EVERY_S = 0.5


class LoadSet:
    """Load pods with a volume each, in a `with` block: at its end they and their claims are deleted.

    `pods` are the names of those that should exist. `keep`: keep all if the block fails, so that the user can inspect
    them.
    """

    def __init__(self, workspace: Workspace, plan: LoadPlan, *, say: Say, keep: bool = False) -> None:
        self.workspace = workspace
        self.plan = plan
        self.say = say
        self.pods: list[str] = []
        self.condition = threading.Condition()
        self._set = plan.set_plan(workspace)
        self._live: dict[str, Object] = {}
        self._listener = Listener(workspace.api, namespace=workspace.namespace, condition=self.condition)
        self._faults = PodFaults(workspace.api, self._set)
        self._undo = Undoing()
        self._keep = keep

    def __enter__(self) -> Self:
        """Create the set and watch it. Raises ApiError, ApiUnreachable."""
        workspace, name = self.workspace, self._set.name
        body = {"metadata": metadata(name, run_id=workspace.run_id), "data": self.plan.files()}
        workspace.api.create(CONFIG_MAPS, body, namespace=workspace.namespace)
        with self._undo as undoing:
            lifetime = undoing.enter(Lifetime(workspace.api, self._set.pod))
            undoing.callback(lambda: self._remove(lifetime))
            create_set(workspace.api, self._set, owner=lifetime.owner)
            undoing.callback(self._listener.close)
            self._watch = undoing.enter(
                Watch(
                    workspace.api,
                    PODS,
                    namespace=workspace.namespace,
                    labels=self._set.selector,
                    on_change=self._take_change,
                )
            )
            self._undo = undoing.passed_on()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Raise StorageFailure for what stays, unless the block failed: then that is a note of its error."""
        self._undo.__exit__(kind, error, trace)

    def grow(self, pods: int) -> None:
        """Grow the set to `pods` pods, each with its test file written in full.

        Raises StorageFailure and EnvironmentFailure, naming the pod, if one does not come so far.
        """
        before = len(self.pods)
        self.pods = [self._set.pod_name(number) for number in range(pods)]
        require_no_unclaimed_volumes(self.workspace.api, storage_classes=[self.plan.storage_class])
        scale_set(self.workspace.api, self._set, pods=pods)
        self.wait("to be ready", self._is_ready, progress=self._progress)
        for number in range(before, pods):
            wait_bound(self.workspace.api, self._set.claim(number), timeout_s=self.workspace.timeout_s)

    def log(self, pod: str) -> PodLog:
        """Return the log of the pod so far; empty before it runs."""
        return self._listener.log(pod)

    def expect(self, jobs: Sequence[str]) -> None:
        """Set the fio jobs whose results the next step will print."""
        self._listener.expect(jobs)

    def now_s(self) -> float:
        """Return the seconds since the epoch, by the clock that all pods' clocks are compared with."""
        return self._listener.now_s()

    def node(self, pod: str) -> str:
        """Return the node that the pod runs on."""
        return str(self._live[pod]["spec"]["nodeName"])

    def state(self, pod: str) -> str:
        """Return the pod's state in words."""
        return state_of(self._live.get(pod), self.log(pod))

    def wait(
        self,
        goal: str,
        is_done: Callable[[str], bool],
        *,
        pods: Sequence[str] | None = None,
        progress: Callable[[], str] = str,
        timeout_s: float | None = None,
        failure: type[AcceptanceError] = StorageFailure,
    ) -> None:
        """Wait until `is_done` of every one of `pods`, all if it is None; woken by what pods print and by the watch,
        never by querying the API server.

        `progress` returns the progress in words, which is reported whenever it changes. Raises what is wrong with a pod
        as soon as it shows; `failure`, naming the pods that are not done, if nothing changed for `timeout_s` (default:
        the run's).
        """
        timeout_s = self.workspace.timeout_s if timeout_s is None else timeout_s
        names = self.pods if pods is None else pods
        last: tuple[str, int] | None = None
        moved_at = time.monotonic()
        while True:
            with self.condition:
                missing = [pod for pod in names if not is_done(pod)]
                now = (progress(), len(missing))
                if missing and now == last:
                    self.condition.wait(LOOK_EVERY_S)
            self._raise_faults()
            if not missing:
                return
            if now != last:
                last, moved_at = now, time.monotonic()
                if now[0]:
                    self.say(now[0])
            elif time.monotonic() - moved_at > timeout_s:
                self._give_up(f"{len(names)} load pods", goal, missing, timeout_s, failure)

    def _give_up(
        self, subject: str, goal: str, missing: list[str], timeout_s: float, failure: type[AcceptanceError]
    ) -> None:
        states = "; ".join(f"{pod}: {self.state(pod)}" for pod in missing)
        events = "".join(self._faults.events(pod) for pod in missing[:3])
        raise failure(
            f"waited {timeout_s:.0f} s without progress for {subject} on StorageClass "
            f"{self.plan.storage_class} {goal}; not yet: {states}{events}"
        )

    def _raise_faults(self) -> None:
        if self._watch.error is not None:
            raise EnvironmentFailure(f"the load pods can no longer be watched: {self._watch.error}")
        for pod in self.pods:
            fault = self._faults.of(pod, self._live.get(pod), self.log(pod))
            if fault is not None:
                raise fault

    def _is_ready(self, pod: str) -> bool:
        return self.log(pod).ready and self.log(pod).offset_s is not None

    def _progress(self) -> str:
        logs = [self.log(pod) for pod in self.pods]
        written_bytes = sum(self.plan.test_size if log.ready else log.prefill_bytes for log in logs)
        return (
            f"{self.plan.storage_class}: {sum(pod in self._live for pod in self.pods)} of {len(logs)} load pods "
            f"created, {sum(log.ready for log in logs)} ready, {written_bytes // 1024**2} MiB written"
        )

    def _take_change(self, change: Change) -> None:
        with self.condition:
            if change.kind == "deleted":
                self._live.pop(change.name, None)
                self._faults.deleted_names.add(change.name)
            else:
                self._live[change.name] = change.item
            self.condition.notify_all()
        if change.kind != "deleted" and main_runs(change.item):
            self._listener.follow(change.name)
        else:
            self._listener.leave(change.name)

    def _remove(self, lifetime: Lifetime) -> None:
        if self._keep and self._undo.error is not None:
            lifetime.keep()
        else:
            remove_set(self.workspace.api, self._set, pods=len(self.pods), timeout_s=self.workspace.timeout_s)

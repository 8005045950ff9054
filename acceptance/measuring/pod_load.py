"""A load in a pod: started, followed second by second while it runs, and ended."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from types import TracebackType

from acceptance.cluster.api_faults import ApiError, ApiUnreachable, retrying
from acceptance.cluster.followed_log import FollowedLog
from acceptance.cluster.pod_manifest import MAIN, PodPlan
from acceptance.cluster.pod_states import describe_pod, main_runs, taken_away
from acceptance.cluster.pods import lost_node, wait_ended, wait_load_over
from acceptance.cluster.resources import PODS
from acceptance.cluster.workspace import Workspace
from acceptance.loads.fio.samples import Sample
from acceptance.measuring.load import Watch
from acceptance.measuring.load_log import LoadLog, Output, WatchedSamples
from acceptance.measuring.load_script import STOPPED_STATUS
from acceptance.process.undoing import Undoing
from acceptance.text.errors import AcceptanceError, EnvironmentFailure, StorageFailure

# fio prints once a second; silence means a lost connection.
SILENCE_S = 20
LATE_S = 5.0
"""The time (s) within which a log is complete after its container was first observed to have ended: containerd may
report the end before it has read the container's last lines, and a busy node then ends the log without them."""


class PodLoad:
    """The load of a pod, read from the pod's log, for the duration of the block; `log` is its output so far."""

    def __init__(
        self, workspace: Workspace, plan: PodPlan, *, new_output: Callable[[], Output], timeout_s: float
    ) -> None:
        self._workspace = workspace
        self._plan = plan
        self._timeout_s = timeout_s
        self._node_is_lost = False
        self._ended_at: float | None = None
        self._undo = Undoing()
        self._followed_log = FollowedLog(
            workspace.api, plan.name, namespace=plan.namespace, container=MAIN, silence_s=SILENCE_S
        )
        self.log = LoadLog(new_output=new_output)

    def __enter__(self) -> PodLoad:
        self._undo.callback(self._end)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Delete the pod and wait until its load is over, but not until the pod no longer exists.

        Its volumes stay attached for the next pod. Raises StorageFailure if the load does not end; if another error is
        being raised, adds a note to it instead.
        """
        self._undo.__exit__(kind, error, trace)

    def _end(self) -> None:
        self._delete()
        if not self.log.over and not self._node_is_lost:
            wait_load_over(self._workspace.api, self._plan, timeout_s=self._workspace.timeout_s)

    def follow(self, watch: Watch) -> tuple[list[Sequence[Sample]], bool]:
        """Read the load's output until it has ended or `watch` ends it; return the samples of each segment.

        The second value is True if `watch` ended it; the pod is deleted then. After a lost connection, reading
        continues from the same place in the log. Raises EnvironmentFailure if the cluster or a user ended the pod
        before the load was over, or if the node has cut off its log, StorageFailure for any other end.
        """
        watched_samples = WatchedSamples(watch)
        try:
            enough = retrying(timeout_s=self._timeout_s, first_pause_s=0.5)(self._read_on, watched_samples)
        except (ApiError, ApiUnreachable) as error:
            raise self._unread(error) from error
        self.log.close()
        if not enough and (not self.log.over or self.log.exit_status == STOPPED_STATUS):  # by another process
            self._explain_the_end()
        return watched_samples.samples(self.log), enough

    def _read_on(self, watched_samples: WatchedSamples) -> bool:
        enough = False
        try:
            for piece in self._followed_log.pieces():
                self.log.feed(piece)
                if not enough and watched_samples.enough(self.log):
                    enough = True
                    self._delete()  # and read on: the load itself reports its end first
                if self.log.over:
                    break
        except (ApiError, ApiUnreachable) as error:
            # A kubelet that has just started knows no pods yet; the caller explains a pod that no longer exists.
            unknown = isinstance(error, ApiError) and error.status == 404
            if not enough and not unknown:
                raise
        enough = enough or watched_samples.enough(self.log)
        if not enough and not self.log.over and self._may_say_more():
            raise ApiUnreachable(f"the log of pod {self._plan.name} ended before its load did")  # and it is read again
        return enough

    def _unread(self, error: AcceptanceError) -> EnvironmentFailure:
        """Return the error for a log that could not be read in time, which names the node if the node is the cause."""
        pod = self._workspace.api.find(PODS, self._plan.name, namespace=self._plan.namespace)
        why = None if pod is None else lost_node(self._workspace.api, pod)
        self._node_is_lost = why is not None
        where = f"the load of pod {self._plan.name} on StorageClass {self._plan.classes}"
        return EnvironmentFailure(f"{where} could not be followed to its end: {why or error}")

    def _may_say_more(self) -> bool:
        """Return whether the pod runs, or was first observed to have ended at most LATE_S ago."""
        pod = self._workspace.api.find(PODS, self._plan.name, namespace=self._plan.namespace)
        if pod is None or main_runs(pod):
            return pod is not None
        self._ended_at = time.monotonic() if self._ended_at is None else self._ended_at
        return time.monotonic() - self._ended_at < LATE_S

    def _delete(self) -> None:
        self._workspace.api.delete(PODS, self._plan.name, namespace=self._plan.namespace, grace_s=1)

    def _explain_the_end(self) -> None:
        """Raise the error for a load that did not report its end, from the state of the pod."""
        pod = wait_ended(self._workspace.api, self._plan, timeout_s=self._workspace.timeout_s)
        where = f"the load of pod {self._plan.name} on StorageClass {self._plan.classes}"
        if (removal_error := taken_away(pod, subject=where)) is not None:
            raise removal_error
        messages = self.log.segments[-1].messages if self.log.segments else self.log.before
        raise StorageFailure(f"{where} broke off: {messages} ({describe_pod(pod)})")

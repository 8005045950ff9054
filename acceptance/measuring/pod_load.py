"""A load in a pod: begun, followed second by second while it runs, and ended."""

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
from acceptance.measuring.load_log import LoadLog, Output, Watched
from acceptance.measuring.load_script import STOPPED
from acceptance.process.undoing import Undoing
from acceptance.text.errors import AcceptanceError, EnvironmentFailure, StorageFailure

# fio speaks once a second; silence means a connection that is gone.
SILENCE_S = 20
LATE_S = 5.0
"""within which a log has all that was printed, once its container was first seen to have ended: containerd may tell of
that before it has read the container's last lines, and a busy node then ends the log without them"""


class PodLoad:
    """The load of a pod, read from the pod's log, for as long as the block; `log` is what it printed so far."""

    def __init__(
        self, workspace: Workspace, plan: PodPlan, *, new_output: Callable[[], Output], timeout_s: float
    ) -> None:
        self._workspace = workspace
        self._plan = plan
        self._timeout_s = timeout_s
        self._node_is_lost = False
        self._ended_at: float | None = None
        self._undo = Undoing()
        self._printed = FollowedLog(
            workspace.api, plan.name, namespace=plan.namespace, container=MAIN, silence_s=SILENCE_S
        )
        self.log = LoadLog(new_output=new_output)

    def __enter__(self) -> PodLoad:
        self._undo.callback(self._end)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Have the pod go, and see that its load is over; that the pod is gone is not waited for.

        Its volumes stay attached for the pod that follows. Raises StorageFailure when the load does not end, unless
        another error is on its way, which is then told of it.
        """
        self._undo.__exit__(kind, error, trace)

    def _end(self) -> None:
        self._delete()
        if not self.log.over and not self._node_is_lost:
            wait_load_over(self._workspace.api, self._plan, timeout_s=self._workspace.timeout_s)

    def follow(self, watch: Watch) -> tuple[list[Sequence[Sample]], bool]:
        """Take what the load prints, until it has ended or `watch` finds it enough: the samples of each segment.

        The second value says whether `watch` ended it; the pod is then asked to go. A connection that breaks is
        taken up again where the log was left. Raises EnvironmentFailure when the cluster or someone ended the pod
        before the load was over or the node has cut its log off, StorageFailure when something else did.
        """
        watched = Watched(watch)
        try:
            enough = retrying(timeout_s=self._timeout_s, first_pause_s=0.5)(self._read_on, watched)
        except (ApiError, ApiUnreachable) as error:
            raise self._unread(error) from error
        self.log.close()
        if not enough and (not self.log.over or self.log.ended == STOPPED):  # told to end, and not by this run
            self._explain_the_end()
        return watched.samples(self.log), enough

    def _read_on(self, watched: Watched) -> bool:
        enough = False
        try:
            for piece in self._printed.pieces():
                self.log.feed(piece)
                if not enough and watched.enough(self.log):
                    enough = True
                    self._delete()  # and read on: the load itself tells soonest that it is over
                if self.log.over:
                    break
        except (ApiError, ApiUnreachable) as error:
            # A kubelet that has just started knows no pods yet; a pod that is gone is explained by whoever called.
            unknown = isinstance(error, ApiError) and error.status == 404
            if not enough and not unknown:
                raise
        enough = enough or watched.enough(self.log)
        if not enough and not self.log.over and self._may_say_more():
            raise ApiUnreachable(f"the log of pod {self._plan.name} ended before its load did")  # and is read again
        return enough

    def _unread(self, error: AcceptanceError) -> EnvironmentFailure:
        """The log could not be read for so long: because of its node, where that is what is wrong."""
        pod = self._workspace.api.find(PODS, self._plan.name, namespace=self._plan.namespace)
        why = None if pod is None else lost_node(self._workspace.api, pod)
        self._node_is_lost = why is not None
        where = f"the load of pod {self._plan.name} on StorageClass {self._plan.classes}"
        return EnvironmentFailure(f"{where} could not be followed to its end: {why or error}")

    def _may_say_more(self) -> bool:
        """Whether the pod runs, or was seen to have ended no longer than LATE_S ago."""
        pod = self._workspace.api.find(PODS, self._plan.name, namespace=self._plan.namespace)
        if pod is None or main_runs(pod):
            return pod is not None
        self._ended_at = time.monotonic() if self._ended_at is None else self._ended_at
        return time.monotonic() - self._ended_at < LATE_S

    def _delete(self) -> None:
        self._workspace.api.delete(PODS, self._plan.name, namespace=self._plan.namespace, grace_s=1)

    def _explain_the_end(self) -> None:
        """Nobody said that the load is over: the pod's state must tell why."""
        pod = wait_ended(self._workspace.api, self._plan, timeout_s=self._workspace.timeout_s)
        where = f"the load of pod {self._plan.name} on StorageClass {self._plan.classes}"
        if (taken := taken_away(pod, what=where)) is not None:
            raise taken
        said = self.log.segments[-1].messages if self.log.segments else self.log.before
        raise StorageFailure(f"{where} broke off: {said} ({describe_pod(pod)})")

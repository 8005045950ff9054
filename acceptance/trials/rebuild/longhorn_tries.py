"""Tries of Longhorn to rebuild a replica: which of them failed, and when no more are waited for. Pure.

Source: longhorn-manager 1.10, `startRebuilding` in controller/engine_controller.go, `replenishReplicas` and
`createReplica` in controller/volume_controller.go. A replica whose rebuild fails is marked with `failedAt`. One that
was complete before is taken up again under the same name: immediately, then after 1, 2 and 3 minutes. One that was
created for the rebuild never is, nor is one that failed six times: it is deleted, another one is created. Longhorn
itself never ends.
"""

from __future__ import annotations

from acceptance.text.errors import StorageFailure
from acceptance.trials.rebuild.longhorn_objects import NO_REASON, LonghornView, failure_of, is_rebuilt, rebuilt_since

MOST_RETRIES = 5
"""`FailedReplicaMaxRetryCount`: a replica that fails with that count (`rebuildRetryCount`) is deleted; one that is
created for a rebuild has it from the beginning."""
MOST_FAILURES = MOST_RETRIES + 1
"""The number of failures that end the test, of whatever replicas: as many as Longhorn grants one of them."""


class LonghornTries:
    """The tries since the trigger, poll after poll; `before`: the volume at the trigger."""

    def __init__(self, before: LonghornView) -> None:
        self._before = before
        self._going: set[str] = set()
        self._retries: dict[str, int] = {}
        self._last_counts: dict[str, int] = {}
        self.failures: list[str] = []

    def see(self, view: LonghornView) -> None:
        """Count what has failed since the poll before. Raises StorageFailure if that was the last try that is waited
        for.

        A failure shows in several objects, one after the other, and is counted once: a try is known by Longhorn's own
        count (`rebuildRetryCount`), and, because that is not raised after every failure, by being seen to run.
        """
        going: set[str] = set()
        for replica in sorted(self._retries.keys() | rebuilt_since(view, self._before)):
            if replica not in view.replica_names:
                self._see_gone(view, replica)
                continue
            why, retries = failure_of(view, replica, before=self._before), view.retries(replica)
            number = self._retries.get(replica, retries)
            has_stopped = replica in self._going and not is_rebuilt(view, replica) and view.modes.get(replica) != "RW"
            if retries > number or has_stopped:
                self._count(view, replica, why, number=number)
            if why:
                self._count(view, replica, why, number=retries)
            elif is_rebuilt(view, replica):
                going.add(replica)
                self._last_counts.pop(replica, None)
            self._retries[replica] = retries
        self._going = going

    def _see_gone(self, view: LonghornView, replica: str) -> None:
        """Count a deleted replica as failed if its rebuild was running, or if it had no try left."""
        number = self._retries.pop(replica)
        if replica in self._going or number >= MOST_RETRIES:
            self._count(view, replica, None, number=number)

    def _count(self, view: LonghornView, replica: str, why: str | None, *, number: int) -> None:
        if self._last_counts.get(replica) == number:
            return
        self._last_counts[replica] = number
        self.failures.append(f"replica {replica}: {why or view.failure_reason(replica) or NO_REASON}")
        if len(self.failures) >= MOST_FAILURES:
            raise StorageFailure(
                f"{len(self.failures)} rebuilds of a replica of Longhorn volume {view.name} failed in a row, and the "
                f"suite waits for no more; the last failure: {self.failures[-1]}"
            )

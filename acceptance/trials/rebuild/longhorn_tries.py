"""Tries of Longhorn to rebuild a replica: which of them failed, and when it is given up. Pure.

Source: longhorn-manager 1.10, `startRebuilding` in controller/engine_controller.go and `replenishReplicas` in
controller/volume_controller.go. A replica whose rebuild fails is marked with `failedAt`, and taken up again under the
same name: at once, then after 1, 2 and 3 minutes.
"""

from __future__ import annotations

from acceptance.text.errors import StorageFailure
from acceptance.trials.rebuild.longhorn_objects import NO_REASON, LonghornView, failure_of, is_rebuilt, rebuilt_since

MOST_RETRIES = 5
"""`FailedReplicaMaxRetryCount`: a replica that fails once more is deleted, and another one is begun from nothing"""


class LonghornTries:
    """What was seen of them since the trigger, look after look; `before`: the volume at the trigger."""

    def __init__(self, before: LonghornView) -> None:
        self._before = before
        self._going: set[str] = set()
        self._retries: dict[str, int] = {}
        self._told: dict[str, int] = {}
        self.failures: list[str] = []

    def see(self, view: LonghornView) -> None:
        """Count what has failed since the look before. Raises StorageFailure when Longhorn gives a replica up.

        A failure shows in several objects, one after the other, and is counted once: a try is known by Longhorn's own
        count (`rebuildRetryCount`), and, as that is not raised after every failure, by being seen to go on.
        """
        going: set[str] = set()
        for replica in sorted(self._retries.keys() | rebuilt_since(view, self._before)):
            if replica not in view.replica_names:
                self._see_gone(view, replica)
                continue
            why, retries = failure_of(view, replica, before=self._before), view.retries(replica)
            number = self._retries.get(replica, retries)
            stopped = replica in self._going and not is_rebuilt(view, replica) and view.modes.get(replica) != "RW"
            if retries > number or stopped:
                self._count(view, replica, why, number=number)
            if why:
                self._count(view, replica, why, number=retries)
            elif is_rebuilt(view, replica):
                going.add(replica)
                self._told.pop(replica, None)
            self._retries[replica] = retries
        self._going = going

    def _see_gone(self, view: LonghornView, replica: str) -> None:
        """One that is deleted failed if it was on its way, or had no try left."""
        number = self._retries.pop(replica)
        if replica in self._going or number >= MOST_RETRIES:
            self._count(view, replica, None, number=number)

    def _count(self, view: LonghornView, replica: str, why: str | None, *, number: int) -> None:
        if self._told.get(replica) == number:
            return
        self._told[replica] = number
        said = why or view.why_failed(replica) or NO_REASON
        self.failures.append(f"replica {replica}: {said}")
        if number >= MOST_RETRIES:
            raise StorageFailure(
                f"the rebuild of replica {replica} of Longhorn volume {view.name} failed: {said}; Longhorn gives the "
                f"replica up, having tried {MOST_RETRIES} more times after it had failed for the first time"
            )

"""The used bytes of the pool before and after volumes that no longer exist: what they took must be given back."""

from __future__ import annotations

import time
from collections.abc import Callable

from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import StorageFailure
from acceptance.text.quantities import format_quantity

SHOWN_WITHIN_S = 60.0
"""The age in s that the report of a pool may have."""
LEAST_BYTES = 1024**2
"""The least bytes that a volume must take to be told from the pool's own changes."""
QUIET_SHARE = 0.1
"""The share of a volume's bytes by which the pool may change without the suite; more: other writers use it."""
KEPT_MOST = 0.5
"""The share of one volume's bytes that may remain."""


class PoolGrowth:
    """The used bytes of a pool that `used_bytes` reports, compared with what one unwritten volume takes of it.

    `unknown`: why the space cannot be judged; None if it can.
    """

    def __init__(self, used_bytes: Callable[[], int], *, timeout_s: float) -> None:
        self._used_bytes = used_bytes
        self._timeout_s = timeout_s
        self._before = self._changed_bytes = self._volume_bytes = 0
        self.unknown: str | None = "the pool was not read"

    def begin(self, *, settle_s: float) -> None:
        """Note the used bytes before there is any volume, and by how much they change in `settle_s` by themselves."""
        self._changed_bytes = self._changes(settle_s)

    def note_volume(self) -> None:
        """Note the used bytes once there is one unwritten volume."""
        self._volume_bytes = self._shown()
        volume = _bytes(self._volume_bytes)
        if self._volume_bytes < LEAST_BYTES:
            self.unknown = f"the pool does not show an unwritten volume ({volume})"
        elif self._changed_bytes > QUIET_SHARE * self._volume_bytes:
            changes = _bytes(self._changed_bytes)
            self.unknown = f"other writers use the pool: it changed by {changes}, and a volume takes {volume}"
        else:
            self.unknown = None

    def _changes(self, settle_s: float) -> int:
        """Return by how many bytes the used space changes in `settle_s`, without the suite.

        Earlier volumes of the suite may still be deleted: it is read until it is quiet, for a while.
        """
        began_s = quiet_since = time.monotonic()
        readings: list[int] = []

        def is_over(used_bytes: int) -> bool:
            nonlocal quiet_since
            readings.append(used_bytes)
            now_s = time.monotonic()
            if max(readings) - min(readings) >= LEAST_BYTES and now_s - began_s < SHOWN_WITHIN_S:
                readings[:] = [used_bytes]
                quiet_since = now_s
            return now_s - quiet_since >= settle_s

        self._before = wait_for(
            "the pool to be quiet",
            look=self._used_bytes,
            ready=is_over,
            state=_bytes,
            timeout_s=SHOWN_WITHIN_S + settle_s + self._timeout_s,
        )
        return max(readings) - min(readings)

    def _shown(self) -> int:
        """Return the bytes that the new volume takes, once two readings agree, or the report's age has passed."""
        began_s, readings = time.monotonic(), [0]

        def is_steady(used_bytes: int) -> bool:
            readings.append(used_bytes)
            shows = used_bytes - self._before >= LEAST_BYTES and readings[-2] == used_bytes
            return shows or time.monotonic() - began_s >= SHOWN_WITHIN_S

        used_bytes = wait_for(
            "the pool to report a new volume",
            look=self._used_bytes,
            ready=is_steady,
            state=_bytes,
            timeout_s=SHOWN_WITHIN_S + self._timeout_s,
        )
        return max(used_bytes - self._before, 0)

    def require_reclaimed(self, volumes: str) -> str:
        """Wait until the pool has reclaimed the space of the volumes, and return what it reports, in words.

        Raises StorageFailure if it keeps over half of what one volume takes. Decides nothing if the space cannot be
        judged.
        """
        if self.unknown is not None:
            return f"space not judged: {self.unknown}"
        most_bytes = KEPT_MOST * self._volume_bytes
        try:
            used_bytes = wait_for(
                "the pool to reclaim the space",
                look=self._used_bytes,
                ready=lambda used_bytes: used_bytes - self._before <= most_bytes,
                state=_bytes,
                timeout_s=self._timeout_s,
            )
        except StorageFailure:
            used_bytes = self._used_bytes()
            raise StorageFailure(
                f"the pool keeps the space of {volumes}: {_bytes(self._before)} used before, {_bytes(used_bytes)} used "
                f"{self._timeout_s:.0f} s after the last PV was deleted; one unwritten volume takes "
                f"{_bytes(self._volume_bytes)}"
            ) from None
        return f"the pool had {_bytes(self._before)} used before and {_bytes(used_bytes)} used afterwards"


def _bytes(value: int) -> str:
    return format_quantity(value, unit="B")

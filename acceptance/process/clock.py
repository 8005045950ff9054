"""Times by a clock that does not jump, so that the difference of two is the time between them."""

from __future__ import annotations

import time

_EPOCH_S = time.time() - time.monotonic()


def now_s() -> float:
    """Return seconds since the epoch, by the clock of this machine at the start of the process."""
    return _EPOCH_S + time.monotonic()

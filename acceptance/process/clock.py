"""Moments by a clock that does not jump, so that what is between two of them is the time that passed."""

from __future__ import annotations

import time

_EPOCH_S = time.time() - time.monotonic()


def now_s() -> float:
    """Seconds since the epoch, as the clock of this machine had it when the process began."""
    return _EPOCH_S + time.monotonic()

"""A plugin of a run of the suite: growth of memory is told from minutes of load and few readings, not from 30 min.

Noise would be taken for growth too often so; what the lab's pods do is without noise.
"""

from __future__ import annotations

import pytest

from acceptance.statistics import growth
from acceptance.trials.price import record_of, trial

REST_S = 30.0
LOAD_MIN = 3


def pytest_configure(config: pytest.Config) -> None:
    """Six parts of almost half a minute: in each a kubelet looks at a pod that works."""
    growth.PARTS, growth.LEAST_S, growth.FEWEST = 6, 120.0, 1
    record_of.WARMING = 0.0
    trial.measure_price.__kwdefaults__["rest_s"] = REST_S

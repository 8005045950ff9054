"""A plugin of a run of the suite: a folder of very many entries grows for 40 s, not for 5 min as on a slow network."""

from __future__ import annotations

import pytest

from acceptance.trials.features import entries

FILL_S = 40


def pytest_configure(config: pytest.Config) -> None:
    """The pod that makes the entries asks for the time when it begins."""
    entries.FILL_S = FILL_S

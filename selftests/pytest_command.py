"""The command by which tests start pytest as a process of its own, as the suite's users do."""

from __future__ import annotations

import sys

WITHOUT = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:timeout")
"""Plugins of the tests' own environment, which users do not have, and which take long to load."""
PYTEST_MODULE = ("pytest", *WITHOUT)
PYTEST = (sys.executable, "-m", *PYTEST_MODULE)

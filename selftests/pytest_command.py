"""How tests start pytest as a process of its own, as the suite's users do."""

from __future__ import annotations

import sys

PYTEST = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:timeout")
"""without plugins of the tests' own environment, which users do not have, and which take long to load"""

"""Trials on volumes, one subject a folder. Each trial ends in a record of its observations."""

from collections.abc import Callable

Say = Callable[[str], None]
"""Reports to the user what is going on."""

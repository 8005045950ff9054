"""What is done to volumes, one subject a folder; each trial ends in a record of what was seen."""

from collections.abc import Callable

Say = Callable[[str], None]
"""Tells whoever waits what is going on."""

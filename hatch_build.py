"""What the wheel holds beside its packages: under one name, for `fixtures`, `tests` and `profiles` are names of others.

An editable installation (`make venv`) has none of it, but reads the checkout: copies would grow old.
"""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

INSIDE = ("deploy", "fixtures", "profiles", "tests", "workloads", "thresholds.yaml")


class WheelContents(BuildHookInterface[Any]):
    """Put them into the package `storage_acceptance`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add them to a wheel that is not editable."""
        if version != "editable":
            build_data["force_include"].update({name: f"storage_acceptance/{name}" for name in INSIDE})

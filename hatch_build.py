"""Further files of the wheel: under one name, because others use the names `fixtures`, `tests` and `profiles`.

An editable installation (`make venv`) has none of them, but reads the checkout: copies would become outdated.
"""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

INSIDE = ("deploy", "fixtures", "presets", "profiles", "tests", "workloads", "thresholds.yaml")


class WheelContents(BuildHookInterface[Any]):
    """A build hook that puts them into the package `storage_acceptance`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add them to a wheel that is not editable."""
        if version != "editable":
            build_data["force_include"].update({name: f"storage_acceptance/{name}" for name in INSIDE})

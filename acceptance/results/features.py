"""Observed capabilities of a class: the models behind `capabilities` in `results.json`.

They import no model of the results that holds them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from acceptance.results.file_operations import OperationRecord
from acceptance.results.model import Frozen

FORMER_NAMES = {
    "clone-beside": "clone-on-same-node",
    "entries": "directory-listing",
    "group-policy": "fs-group-change-policy",
    "modification": "volume-attributes-class",
    "one-pod": "read-write-once-pod",
    "restore-beside": "restore-on-same-node",
    "rights": "file-permissions",
    "shared": "read-write-many",
    "statistics": "volume-stats",
}
"""Names of capabilities in earlier results, target files and options, which are still read."""


def current_name(value: Any) -> Any:
    """Return the present name of a capability; anything else as it is."""
    return FORMER_NAMES.get(value, value) if isinstance(value, str) else value


Capability = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$"), BeforeValidator(current_name)]
"""The name of a capability of volumes in results and options; `trials/features/` declares each capability."""
CapabilityStatus = Literal["seen", "missing", "failed", "not_tried"]


class CapabilityRecord(Frozen):
    """One capability of one class."""

    storage_class: str
    capability: Capability
    status: CapabilityStatus = Field(
        description="seen: the class did what it must; missing: the class does not have it; failed: the class has it, "
        "and it did not do what it must; not_tried: nothing is known",
    )
    how: str = Field(description="how the suite found that out, in words")
    operations: list[OperationRecord] = Field(
        default=[], description="the outcome of each operation on files; empty for other capabilities"
    )

"""What who ran the suite declares of the storage: no measurement can show it, and no verdict comes from it."""

from __future__ import annotations

from pydantic import Field

from acceptance.results.model import Frozen


class Declaration(Frozen):
    """A statement of whoever hands the results over."""

    product: str
    version: str
    vendor: str | None = None
    run_by: str = Field(description="who ran the suite, and for whom")
    contact: str | None = None
    hardware: list[str] = Field(default=[], description="nodes, disks, network, one a line")
    settings: list[str] = Field(default=[], description="of the storage, where they differ from its defaults")
    preconditions: list[str] = Field(default=[], description="what was done before the run, such as filling the disks")
    remarks: list[str] = Field(default=[])
    logo: str | None = Field(default=None, description="a picture as a data URI: PNG or JPEG")

"""The declaration of the person who ran the suite: facts about the storage that are not measured or judged."""

from __future__ import annotations

from pydantic import Field

from acceptance.results.model import Frozen


class Declaration(Frozen):
    """The statements of the person who hands over the results."""

    product: str
    version: str
    vendor: str | None = None
    run_by: str = Field(description="who ran the suite, and for whom")
    contact: str | None = None
    hardware: list[str] = Field(default=[], description="nodes, disks and network, one line each")
    settings: list[str] = Field(default=[], description="settings of the storage that differ from its defaults")
    preconditions: list[str] = Field(default=[], description="actions before the run, such as filling the disks")
    remarks: list[str] = Field(default=[])
    logo: str | None = Field(default=None, description="a picture as a data URI: PNG or JPEG")

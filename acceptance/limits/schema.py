"""The schema of a file of limits, as pydantic models: structure, metrics and units, each value by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, create_model

from acceptance.limits.declared import SECTIONS
from acceptance.limits.limit import Limit
from acceptance.limits.sections import Section, SectionSettings
from acceptance.limits.values import Entry, Sentence


def _test_name(text: str) -> str:
    if re.fullmatch(r"[^\s:]+\.py(::[^\s:\[]+)*", text) is None:
        raise ValueError(
            f"expected a test file, or a test in it, as pytest names them (tests/test_a.py::test_b), found {text!r}"
        )
    return text


def _address(text: str) -> str:
    if re.fullmatch(r"https?://[^\s/]+(/\S*)?", text) is None:
        raise ValueError(f"expected an address such as https://example.com/guide, found {text!r}")
    return text


class TierHead(Entry):
    """The keys of a tier that are no sections."""

    description: str = ""
    extends: str | None = None
    requires: list[Annotated[str, AfterValidator(_test_name)]] = Field(default_factory=list)

    def section_setting(self, section: Section, setting: str) -> Any:
        """Return a setting of a whole section; None if the tier does not set it."""
        return getattr(getattr(self, section.key), setting, None)

    def own(self, settings: SectionSettings) -> Iterator[Limit]:
        """Yield the limits that this tier sets itself."""
        for section in SECTIONS:
            yield from section.read(getattr(self, section.key), settings)


_SECTION_FIELDS: dict[str, Any] = {section.key: section.field for section in SECTIONS}
TierEntry = create_model(
    "TierEntry",
    __base__=TierHead,
    __doc__="One tier; limits and comparison rules by profile and metric, scaling limits by profile.",
    **_SECTION_FIELDS,
)


class SourceEntry(Entry):
    """Where limits come from: `{about: Amazon's guide, address: https://...}`."""

    about: Sentence
    address: Annotated[str, AfterValidator(_address)] = ""


class FileHead(Entry):
    """The content of a file; of its tiers, the keys that are no sections."""

    version: Literal[1]
    sources: dict[str, SourceEntry] = Field(default_factory=dict)
    tiers: dict[str, TierHead]


_TIERS: Any = dict[str, TierEntry]  # type: ignore[valid-type]
FileEntry = create_model("FileEntry", __base__=FileHead, __doc__="The whole file.", tiers=(_TIERS, Field(min_length=1)))

"""The notes of a release: its section of CHANGELOG.md, if the tag, the package and that section agree."""

from __future__ import annotations

import re

from acceptance.text.errors import WrongUsage


def notes(changelog: str, *, tag: str, version: str) -> str:
    """Return the section of the version. Raise WrongUsage if tag and version differ, or it has no date of release."""
    if tag != f"v{version}":
        raise WrongUsage(f"expected the tag v{version}, for the version in acceptance/__init__.py, found {tag}")
    sections = re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]
    own_sections = [section for section in sections if re.match(rf"{re.escape(version)}\b", section)]
    if len(own_sections) != 1:
        raise WrongUsage(f"expected one section of CHANGELOG.md for {version}, found {len(own_sections)}")
    heading, _, text = own_sections[0].partition("\n")
    if not re.fullmatch(r"[\w.-]+, \d{1,2} [A-Z][a-z]+ \d{4}", heading):
        raise WrongUsage(f"expected `## {version}, DAY MONTH YEAR` in CHANGELOG.md, found `## {heading}`")
    return text.strip() + "\n"

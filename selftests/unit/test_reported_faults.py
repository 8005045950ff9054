"""The public reports that docs/coverage.md lists: counted as the page says, each once, with a test or a reason."""

from __future__ import annotations

import re

import pytest

from selftests.unit.docs_pages import PAGES
from storage_acceptance.command_line import COMMANDS

SECTION = PAGES["docs/coverage.md"].partition("\n## Faults that users reported\n")[2].partition("\n## ")[0]
LINK = re.compile(r"\[([\w.-]+/[\w.-]+)#(\d+)\]\(https://github\.com/([\w.-]+/[\w.-]+)/(?:issues|pull)/(\d+)\)")


def rows_below(heading: str) -> list[tuple[str, str, str]]:
    """The rows of the table below a heading: fault, reports, and the test or the reason."""
    table = SECTION.partition(f"\n### {heading}\n")[2].partition("\n### ")[0]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if line.startswith("| ")]
    return [(fault, reports, last) for fault, reports, last in cells[1:]]


CAUGHT, MISSED = rows_below("Caught"), rows_below("Not caught")


def reports_in(rows: list[tuple[str, str, str]]) -> list[tuple[str, str]]:
    return [(repository, number) for _, reports, _ in rows for repository, number, _, _ in LINK.findall(reports)]


def test_the_page_counts_its_reports() -> None:
    caught, missed = reports_in(CAUGHT), reports_in(MISSED)
    assert f"**{len(caught)} of {len(caught) + len(missed)}**" in SECTION
    assert len(caught) >= 120 and len(caught) + len(missed) >= 164


def test_each_report_is_listed_once() -> None:
    reports = reports_in([*CAUGHT, *MISSED])
    assert [report for report in set(reports) if reports.count(report) > 1] == []


@pytest.mark.parametrize("row", [*CAUGHT, *MISSED], ids=lambda row: row[0][:40])
def test_each_row_has_reports_whose_links_lead_to_them(row: tuple[str, str, str]) -> None:
    _, reports, last = row
    assert LINK.sub("", reports).replace(",", "").split() == [] and LINK.search(reports)
    assert [found.group(0) for found in LINK.finditer(reports) if found[1] != found[3] or found[2] != found[4]] == []
    assert last


@pytest.mark.parametrize("row", CAUGHT, ids=lambda row: row[0][:40])
def test_what_is_caught_names_a_test_or_a_command(row: tuple[str, str, str]) -> None:
    """That the tests exist is asked of the whole page elsewhere (`test_docs_content.py`)."""
    commands = {command.name for command in COMMANDS}
    assert re.search(r"`test_\w+\.py::test_\w+`", row[2]) or set(re.findall(r"`([\w-]+)`", row[2])) & commands

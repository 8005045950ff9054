"""The behaviours of the Kubernetes storage e2e: one file of them, docs/coverage.md beside it, and the tests named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from acceptance.report.e2e_coverage import KnownBehaviour, known_behaviours

ROOT = Path(__file__).parents[2]
SECTION = (
    (ROOT / "docs" / "coverage.md").read_text().partition("## The Kubernetes storage e2e")[2].partition("\n## ")[0]
)
# By what docs/coverage.md calls a suite, where that is not what the e2e calls it.
CALLED = {
    "volumegroupsnapshottable": "volume-group-snapshot",
    "multiVolume": "multivolume",
    "volume-lifecycle-performance": "volumePerf",
    "pvc-deletion-performance": "pvcDeletionPerf",
    "read-write-once-pod": "ReadWriteOncePod",
}
SUITES = list(dict.fromkeys(behaviour.suite for behaviour in known_behaviours()))


def rows_of(suite: str) -> str:
    """The rows of a suite in the table, the first with its name, further ones without."""
    found, here = [], False
    for line in SECTION.splitlines():
        name = re.match(r"\| ([-\w]+)(?:,| \()", line)
        if name:
            here = name[1] == CALLED.get(suite, suite) or f"{suite}:" in line
        if here and line.startswith("|"):
            found.append(line)
    return "\n".join(found)


def of(suite: str) -> list[KnownBehaviour]:
    return [behaviour for behaviour in known_behaviours() if behaviour.suite == suite]


def test_there_are_22_suites_and_87_behaviours() -> None:
    assert (len(SUITES), len(known_behaviours())) == (22, 87)
    assert "22 suites, 87 behaviors" in SECTION


@pytest.mark.parametrize("suite", [each for each in SUITES if each != "volume-modify-stress"])
def test_the_page_counts_as_the_file_does(suite: str) -> None:
    assert f"{CALLED.get(suite, suite)} ({len(of(suite))})" in rows_of(suite)


def test_the_page_counts_the_stress_of_volume_modify_in_its_row() -> None:
    assert f"its stress ({len(of('volume-modify-stress'))})" in rows_of("volume-modify")


@pytest.mark.parametrize("suite", SUITES)
def test_the_page_names_the_tests_that_the_file_names(suite: str) -> None:
    named = {name for each in of(suite) for name in (*each.tests, *each.in_part) if name != "discover"}
    on_page = set(re.findall(r"`(test_\w+\.py(?:::\w+)?)`", rows_of(suite)))
    # Beyond the behaviours of the e2e, as the page says there.
    assert on_page - named <= {"test_snapshots_in_use.py::test_snapshot_of_a_volume_in_use_is_crash_consistent"}
    assert named <= on_page


@pytest.mark.parametrize(
    "name",
    sorted(
        {name for behaviour in known_behaviours() for name in (*behaviour.tests, *behaviour.in_part)} - {"discover"}
    ),
)
def test_each_test_that_the_file_names_is_there(name: str) -> None:
    file, _, test = name.partition("::")
    text = (ROOT / "tests" / file).read_text()
    assert not test or f"def {test}(" in text

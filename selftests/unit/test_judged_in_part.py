"""A tier that was judged in part: what the command line, and each file of the run, report of it.

On directories of this host, by tests of one's own that load nothing.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from acceptance.results.completeness import missing
from acceptance.results.document import Results
from selftests.pytest_command import WITHOUT
from selftests.unit.docs_pages import ROOT
from selftests.warm_start import run_module

REQUIRED = "test_own.py::test_it_holds"
OF_A_CLUSTER = "tests/test_provisioning.py::test_data_survives_a_new_pod_on_the_same_node"
LIMITS = """\
version: 1
tiers:
  baseline:
    description: for a test of the suite
    {requires}
    provisioning:
      bind_time: {{at_most: 60s, because: the test wants it so}}
    {limits}
"""
OF_LOAD = "limits: {random-read-iops: {read.iops: {at_least: 1, because: the test wants it so}}}"
OWN_TESTS = """\
import pytest
from acceptance.public import NotTried, Unsupported

def test_it_holds(storage_class):
    "The class holds."

def test_another(storage_class):
    "The class does another thing."

def test_lacks(storage_class):
    "The class lacks something."
    raise Unsupported("capability 'x': none")

@pytest.mark.parametrize("error", [NotTried("no consent")])
def test_not_tried(storage_class, error):
    "Nothing is known."
    raise error
"""

CLOSE = """\
from acceptance.public import Requirement, Verdict

def test_close_to(storage_class, accept):
    "The class is near its limit."
    about = {"id": "x", "storage_class": storage_class.name, "requirement": Requirement(rule="r"), "limit": "l"}
    accept(Verdict(**about, measured=None, low=None, high=None, status="inconclusive", reason="so so"))
"""


@dataclass(frozen=True, kw_only=True)
class Ended:
    """A run that has ended."""

    status: int
    output: str
    folder: Path

    @property
    def results(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "results.json").read_text())
        return found

    @property
    def suite(self) -> ElementTree.Element:
        """The suite of `junit.xml`."""
        return next(iter(ElementTree.parse(self.folder / "junit.xml").getroot()))

    @property
    def properties(self) -> dict[str | None, str | None]:
        """Of the suite of `junit.xml`."""
        return {each.get("name"): each.get("value") for each in self.suite.findall("properties/property")}

    def gauge(self, name: str, **labels: str) -> float:
        """The one value of a gauge with these labels."""
        text = (self.folder / "metrics.prom").read_text()
        lines = [line for line in text.splitlines() if line.startswith(f"storage_acceptance_{name}{{")]
        (found,) = [line for line in lines if all(f'{key}="{value}"' in line for key, value in labels.items())]
        return float(found.split()[-1])


def ended(folder: Path, *words: str, limits: str = "", requires: str = "", **environment: str) -> Ended:
    """Run the suite in the folder, on a directory of it."""
    (folder / "disk").mkdir(exist_ok=True)
    (folder / "test_own.py").write_text(OWN_TESTS)
    (folder / "limits.yaml").write_text(LIMITS.format(limits=limits, requires=requires))
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("STORAGE_", "PYTEST_", "KUBE"))}
    own = ("--storage-cluster=host", "--storage-class=disk", "--storage-thresholds=limits.yaml", "test_own.py")
    variables = kept | {"PYTHONPATH": str(ROOT)} | environment
    command = ("storage_acceptance", "run", *WITHOUT, *own, *words)
    done = run_module(*command, folder=folder, environment=variables)
    return Ended(status=done.returncode, output=done.stdout + done.stderr, folder=folder / "reports/latest")


def test_all_that_reads_a_run_is_told_of_a_part(tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    run = ended(tmp_path, "-k", "holds", limits=OF_LOAD, GITHUB_STEP_SUMMARY=str(summary))
    results = run.results
    assert (run.status, results["overall"], results["run"]["exit_status"]) == (7, "partial", 7), run.output
    assert (results["tier_limits"], results["tier_limits_applying"], results["tier_limits_judged"]) == (2, 2, 0)
    assert (results["run"]["complete"], results["run"]["deselected"]) == (True, 3)
    assert (run.properties["overall"], run.properties["complete"]) == ("partial", "True")
    assert (run.properties["tier_limits_judged"], run.properties["tier_limits_applying"]) == ("0", "2")
    assert (run.properties["passed"], run.properties["not_selected"]) == ("1", "3")
    for name in ("overall", "class_overall"):
        assert [run.gauge(name, status=each) for each in ("pass", "partial")] == [0, 1]
    assert (run.gauge("judged_limits"), run.gauge("applying_limits"), run.gauge("complete")) == (0, 2, 1)
    assert re.search(r"^overall: partial: .* 0 of 2 limits and rules", run.output, re.MULTILINE)
    assert re.search(r"^exit status 7: ", run.output, re.MULTILINE)
    assert "1 passed, 0 failed, 0 inconclusive, 0 skipped, 3 not selected; 0 of 2" in run.output
    assert summary.read_text().startswith("## Storage acceptance: ⚠️ partial\n")
    page = (run.folder / "report.html").read_text()
    assert 'class="verdict verdict-partial"' in page and "0 of 2 limits and rules" in page
    assert "1 of 1 tests passed, none failed; 3 not selected." in page


@pytest.mark.parametrize(("partial_as", "status"), [("pass", 0), ("fail", 1)])
def test_a_part_can_be_accepted_or_refused_and_stays_one(partial_as: str, status: int, tmp_path: Path) -> None:
    run = ended(tmp_path, f"--storage-partial={partial_as}", "-k", "holds")
    assert (run.status, run.results["overall"], run.results["run"]["exit_status"]) == (status, "partial", status)
    assert run.properties["overall"] == "partial" and run.gauge("overall", status="partial") == 1
    assert re.search(r"^overall: partial: ", run.output, re.MULTILINE)


def test_a_required_test_that_was_left_out_leaves_a_part(tmp_path: Path) -> None:
    run = ended(tmp_path, "-k", "another", requires=f"requires: [{REQUIRED}]")
    assert (run.status, run.results["overall"]) == (7, "partial"), run.output
    assert REQUIRED in run.output


@pytest.mark.parametrize(
    ("requires", "status", "overall", "left_out"),
    [("", 0, "pass", []), (f"requires: [{OF_A_CLUSTER}]", 7, "partial", [OF_A_CLUSTER])],
)
def test_a_directory_leaves_out_what_is_required_of_volumes(
    requires: str, status: int, overall: str, left_out: list[str], tmp_path: Path
) -> None:
    """A limit that a directory has nothing of does not apply there. A required test that is skipped is not passed."""
    words = ("tests/test_provisioning.py", "-k", "holds or same_node or in_time")
    run = ended(tmp_path, *words, requires=requires)
    assert (run.status, run.results["overall"]) == (status, overall), run.output
    assert (run.results["tier_limits"], run.results["tier_limits_applying"]) == (1, 0)
    assert missing(Results.model_validate(run.results)).required_tests == left_out


def test_a_run_that_ends_before_its_first_test_is_an_error_in_junit(tmp_path: Path) -> None:
    """As where the API server does not answer; here the host has no fio, which is known sooner."""
    run = ended(tmp_path, limits=OF_LOAD, PATH=str(tmp_path))
    assert run.status == 10, run.output
    (error,) = run.results["errors"]
    (case,) = run.suite.iter("testcase")
    told = case.find("error")
    assert told is not None and told.get("message") == error
    assert [run.suite.get(name) for name in ("tests", "errors", "failures")] == ["1", "1", "0"]
    assert (run.results["run"]["complete"], run.properties["complete"], run.gauge("complete")) == (False, "False", 0)


def test_what_is_too_close_to_call_is_not_told_as_failed(tmp_path: Path) -> None:
    (tmp_path / "test_close.py").write_text(CLOSE)
    run = ended(tmp_path, "test_close.py", "-k", "close_to")
    assert (run.status, run.results["overall"]) == (6, "inconclusive"), run.output
    assert "FAIL" not in run.output and re.search(r"\b1 inconclusive\b", run.output.splitlines()[-1])
    assert re.search(r"^INCONCLUSIVE +so so", run.output, re.MULTILINE)


def test_a_run_in_which_nothing_was_judged_says_so(tmp_path: Path) -> None:
    for words in (("-k", "lacks"), ("-k", "nothing-has-this-name")):
        run = ended(tmp_path, *words)
        assert (run.status, run.results["overall"]) == (5, "inconclusive")
        assert re.search(r"^exit status 5: nothing was judged", run.output, re.MULTILINE)


def test_what_a_class_lacks_does_not_apply_and_what_was_not_tried_does(tmp_path: Path) -> None:
    """Here of tests without a limit, by the same way as of those with one."""
    verdicts = {
        verdict["test"]: verdict
        for verdict in ended(tmp_path, "-k", "test_lacks or test_not_tried").results["verdicts"]
    }
    told = {test.partition("::")[2].partition("[")[0]: each for test, each in verdicts.items()}
    assert {name: (each["status"], each["applies"]) for name, each in told.items()} == {
        "test_lacks": ("skipped", False),
        "test_not_tried": ("skipped", True),
    }

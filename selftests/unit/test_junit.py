"""`junit.xml`: what GitLab, Jenkins and GitHub's readers of it take, whole after each test."""

from __future__ import annotations

from collections import Counter
from configparser import ConfigParser
from datetime import datetime
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from fixtures.junit import follow_verdicts
from selftests.pytest_command import PYTEST_MODULE
from selftests.unit.compared_runs import judged
from selftests.warm_start import run_module

ROOT = Path(__file__).parents[2]
PLUGIN = """
from datetime import UTC, datetime
from pathlib import Path

import pytest

from acceptance.results.recorder import Recorder
from acceptance.results.run_folder import RunFolder
from fixtures.reporters import take_over
from fixtures.run import RUN, Run


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    recorder = Recorder(run_id="r", started=datetime.now(UTC), settings={"tier": "baseline"}, tier_limits=0)
    folder = RunFolder(Path(config.rootpath), run_id="r")
    folder.make()
    take_over(config, page=folder.report, junit=folder.junit)
    config.stash[RUN] = Run(id="r", folder=folder, recorder=recorder)


def pytest_collection_finish(session):
    if (Path(session.config.rootpath) / "interrupt").exists():
        session.config.stash[RUN].recorder.tests = [each.nodeid for each in session.items]
"""
TESTS = """
import os
from pathlib import Path
import shutil
import signal

import pytest

HERE = Path(__file__).parent


def keep(name):
    shutil.copyfile(HERE / "junit.xml", HERE / name)


def test_passes(record_property, record_testsuite_property):
    record_testsuite_property("own", "kept")
    keep("after-0.xml")
    if (HERE / "obstruct").exists():
        (HERE / "junit.xml").unlink()
        (HERE / "junit.xml").mkdir()
    record_property("measured", 1204.5)
    record_property("reason", "a | <b> & \\x1b[2J \\x00 \\ud800 é 读")


def test_fails(record_property):
    keep("after-1.xml")
    pytest.fail("fail: write.iops is 1 IOPS: too slow ]]> \\x08", pytrace=False)


def test_is_skipped():
    keep("after-2.xml")
    pytest.skip("no cluster")


def test_cannot_be_set_up(unknown):
    pass


def test_is_killed():
    keep("after-4.xml")
    if (HERE / "kill").exists():
        os.kill(os.getpid(), signal.SIGKILL)
    if (HERE / "interrupt").exists():
        # What a shell starts in the background ignores it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.kill(os.getpid(), signal.SIGINT)
"""
# What Jenkins reads (xunit-plugin, junit-10.xsd), and `file` and `line` beside it, which GitLab and GitHub use.
ATTRIBUTES = {
    "testsuites": {"name", "time", "tests", "failures", "disabled", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "time", "skipped", "timestamp", "hostname", "id", "package"},
    "testcase": {"name", "classname", "time", "status", "assertions", "file", "line"},
    "properties": set(),
    "property": {"name", "value"},
    "skipped": {"type", "message"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
}
CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"properties", "testcase", "system-out", "system-err"},
    "testcase": {"skipped", "error", "failure", "system-out", "system-err", "properties"},
    "properties": {"property"},
}


def made(folder: Path) -> Path:
    """The folder, with the tests above and the suite's own family of JUnit."""
    (folder / "test_it.py").write_text(TESTS, encoding="utf-8")
    (folder / "a_run.py").write_text(PLUGIN, encoding="utf-8")
    suite = ConfigParser()
    suite.read(ROOT / "tox.ini")
    (folder / "pytest.ini").write_text(f"[pytest]\njunit_family = {suite['pytest']['junit_family']}\n")
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where these tests have run to their end."""
    folder = made(tmp_path_factory.mktemp("session"))
    assert run(folder) == 1
    return folder


def run(folder: Path) -> int:
    """Run them; the exit status."""
    plugins = ("a_run", "fixtures.outward", "fixtures.reporters", "fixtures.junit")
    words = [word for plugin in plugins for word in ("-p", plugin)]
    junit = f"--junitxml={folder}/junit.xml"
    variables = {"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{folder}:{ROOT}"}
    return run_module(*PYTEST_MODULE, *words, junit, str(folder), folder=folder, environment=variables).returncode


def read(path: Path) -> Element:
    """The suite in the file."""
    (suite,) = ElementTree.parse(path).getroot()
    return suite


def names(path: Path) -> list[str]:
    return [each.get("name", "") for each in read(path).iter("testcase")]


def properties(element: Element) -> dict[str | None, str | None]:
    return {each.get("name"): each.get("value") for each in element.findall("properties/property")}


def test_after_each_test_the_file_holds_all_before(folder: Path) -> None:
    assert names(folder / "after-0.xml") == [] and properties(read(folder / "after-0.xml"))["run"] == "r"
    assert names(folder / "after-1.xml") == ["test_passes"]
    assert names(folder / "after-2.xml") == ["test_passes", "test_fails"]
    assert len(names(folder / "after-4.xml")) == 4
    assert len(names(folder / "junit.xml")) == 5
    assert properties(read(folder / "after-4.xml"))["complete"] == "False"
    assert properties(read(folder / "junit.xml"))["complete"] == "True"
    assert [each.name for each in folder.glob(".*")] == []


def test_a_run_that_is_killed_leaves_what_it_had(tmp_path: Path) -> None:
    folder = made(tmp_path)
    (folder / "kill").touch()
    assert run(folder) == -9
    assert len(names(folder / "junit.xml")) == 4
    assert "storage_class" in properties(read(folder / "junit.xml"))


def test_a_run_that_is_interrupted_is_not_complete_though_it_has_an_exit_status(tmp_path: Path) -> None:
    folder = made(tmp_path)
    (folder / "interrupt").touch()
    assert run(folder) == pytest.ExitCode.INTERRUPTED
    assert properties(read(folder / "junit.xml"))["complete"] == "False"


def test_a_file_that_cannot_be_written_leaves_no_other(tmp_path: Path) -> None:
    folder = made(tmp_path)
    (folder / "obstruct").touch()
    run(folder)
    assert (folder / "junit.xml").is_dir()
    assert [each.name for each in folder.glob(".*")] == []


def test_it_has_what_its_readers_know_and_no_more(folder: Path) -> None:
    root = ElementTree.parse(folder / "junit.xml").getroot()
    for element in root.iter():
        assert set(element.attrib) <= ATTRIBUTES[element.tag], element.tag
        assert {child.tag for child in element} <= CHILDREN.get(element.tag, set()), element.tag
    (suite,) = root
    found = Counter(child.tag for case in suite.iter("testcase") for child in case if child.tag != "properties")
    assert found == {"failure": 1, "skipped": 1, "error": 1}
    counted = [suite.get(name) for name in ("tests", "failures", "skipped", "errors")]
    assert counted == ["5", "1", "1", "1"]
    assert datetime.fromisoformat(suite.get("timestamp") or "").tzinfo is not None
    for case in suite.iter("testcase"):
        assert (case.get("classname"), case.get("file")) == ("test_it", "test_it.py")
        assert float(case.get("time") or "") >= 0


def test_what_was_measured_and_why_it_failed_can_be_read(folder: Path) -> None:
    passed, failed, *_ = read(folder / "junit.xml").iter("testcase")
    assert properties(passed)["measured"] == "1204.5"
    assert properties(passed)["reason"] == r"a | <b> & \x1b[2J \x00 \ud800 é 读"
    failure = failed.find("failure")
    assert failure is not None
    assert failure.get("message") == r"fail: write.iops is 1 IOPS: too slow ]]> \x08"


def test_the_suite_says_of_which_run_it_is(folder: Path) -> None:
    (listed,) = read(folder / "junit.xml").findall("properties")
    assert len(listed) == len({each.get("name") for each in listed})
    of_suite = properties(read(folder / "junit.xml"))
    assert of_suite["own"] == "kept"
    assert (of_suite["run"], of_suite["tier"], of_suite["overall"]) == ("r", "baseline", "inconclusive")


def test_a_verdict_that_became_inconclusive_at_the_end_is_a_failure_of_its_test() -> None:
    """Its test had passed long before."""
    passed = judged("pass")
    changed = passed.model_copy(update={"status": "inconclusive", "reason": "not steady", "low": 1.0})
    listed = "".join(
        f'<property name="{name}" value="{getattr(passed, name)}"/>' for name in ("id", "status", "reason", "low")
    )
    case = f'<testcase name="a"><properties>{listed}</properties></testcase>'
    root = ElementTree.fromstring(f'<testsuites><testsuite tests="2" failures="1">{case}</testsuite></testsuites>')
    follow_verdicts(root, [passed])
    assert root.find(".//failure") is None
    follow_verdicts(root, [changed])
    (suite,) = root
    (found,) = suite.iter("testcase")
    failure = found.find("failure")
    assert failure is not None and failure.get("message") == "inconclusive: not steady"
    told = properties(found)
    assert (told["status"], told["reason"], told["low"]) == ("inconclusive", "not steady", "1.0")
    assert suite.get("failures") == "2"

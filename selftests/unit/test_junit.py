"""`junit.xml`: what GitLab, Jenkins and GitHub's readers of it take, made of the verdicts as they are now."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from acceptance.report.junit import EndedTest, Ending, junit_text
from acceptance.results.document import Verdict
from selftests.unit.compared_runs import judged, run_of

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
TEST = "tests/test_it.py::test_it[a::b-c]"


def ended(*endings: Ending, test: str = TEST, **more: Any) -> EndedTest:
    return EndedTest(id=test, file=test.partition("::")[0], seconds=1.5, endings=endings, **more)


def suite(*cases: EndedTest, verdicts: tuple[Verdict, ...] = (), exit_status: int | None = 0, **more: Any) -> Element:
    """The suite of the document that these make."""
    results = run_of(verdicts=[verdict.model_copy(update={"test": TEST}) for verdict in verdicts], **more)
    (found,) = ElementTree.fromstring(junit_text(results, cases, exit_status=exit_status).encode())
    return found


def properties(element: Element) -> dict[str | None, str | None]:
    return {each.get("name"): each.get("value") for each in element.findall("properties/property")}


def test_it_has_what_its_readers_know_and_no_more() -> None:
    kinds = ("failure", "skipped", "error")
    cases = [ended(Ending(kind=kind, message="m <&>", text="]]>"), test=f"a.py::{kind}", line=3) for kind in kinds]
    found = suite(ended(), *cases, verdicts=(judged(),))
    for element in found.iter():
        assert set(element.attrib) <= ATTRIBUTES[element.tag], element.tag
        assert {child.tag for child in element} <= CHILDREN.get(element.tag, set()), element.tag
    assert Counter(child.tag for case in found.iter("testcase") for child in case if child.tag != "properties") == {
        "failure": 1,
        "skipped": 1,
        "error": 1,
    }
    assert [found.get(name) for name in ("tests", "failures", "skipped", "errors")] == ["4", "1", "1", "1"]
    assert float(found.get("time") or "") == pytest.approx(6.0)
    assert datetime.fromisoformat(found.get("timestamp") or "").tzinfo is not None


@pytest.mark.parametrize(
    ("test", "classname", "name"),
    [
        (TEST, "tests.test_it", "test_it[a::b-c]"),
        ("test_it.py::TestIt::test_it[/dev/x]", "test_it.TestIt", "test_it[/dev/x]"),
        ("tests/broken.py", "tests.broken", "tests/broken.py"),
    ],
)
def test_tests_have_the_names_that_pytest_gives_them(test: str, classname: str, name: str) -> None:
    (case,) = suite(ended(test=test)).iter("testcase")
    assert (case.get("classname"), case.get("name")) == (classname, name)


def test_each_verdict_of_a_test_is_told_as_it_is_now() -> None:
    """With what the test told of itself, but for what was told of a verdict when it was made."""
    told = (("status", "pass"), ("low", "1"), ("mine", "kept"))
    (case,) = suite(ended(properties=told), verdicts=(judged(low=900.0), judged(metric="write.p99"))).iter("testcase")
    listed = [(each.get("name"), each.get("value")) for each in case.iter("property")]
    assert [value for name, value in listed if name == "metric"] == ["write.iops", "write.p99"]
    assert [value for name, value in listed if name == "low"] == ["900.0", "900.0"] and ("mine", "kept") in listed
    (alone,) = suite(ended(properties=told)).iter("testcase")
    assert properties(alone) == dict(told)


@pytest.mark.parametrize(("status", "failures"), [("pass", 0), ("skipped", 0), ("inconclusive", 1), ("fail", 1)])
def test_a_test_that_passed_fails_with_what_became_of_its_verdict(status: Any, failures: int) -> None:
    found = suite(ended(), verdicts=(judged(status, reason="not steady"),))
    assert [each.get("message") for each in found.iter("failure")] == [f"{status}: not steady"] * failures
    assert found.get("failures") == str(failures)
    failed = Ending(kind="failure", message="as it was")
    assert [each.get("message") for each in suite(ended(failed), verdicts=(judged(status),)).iter("failure")] == [
        "as it was"
    ]


@pytest.mark.parametrize(
    ("status", "errors"), [(None, 0), (0, 0), (5, 0), (6, 0), (7, 0), (1, 1), (2, 1), (4, 1), (10, 1)]
)
def test_a_run_that_did_not_come_to_its_end_has_an_error(status: int | None, errors: int) -> None:
    """Readers take a suite without either for a success."""
    found = suite(exit_status=status, errors=["the lab broke"] if errors else [])
    assert [each.get("message") for each in found.iter("error")] == ["the lab broke"] * errors
    assert found.get("tests") == found.get("errors") == str(errors)
    failed = Ending(kind="failure", message="m")
    assert suite(ended(failed), exit_status=status).get("errors") == "0"


def test_the_suite_says_of_which_run_it_is() -> None:
    of_suite = properties(suite(ended(), verdicts=(judged(),)))
    assert (of_suite["storage_class"], of_suite["overall"], of_suite["passed"]) == ("fast", "pass", "1")
    assert of_suite["run"] and of_suite["verdict"]

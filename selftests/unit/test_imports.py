"""Files of other tools: read whatever they hold, grouped by what they ask, never hidden, judged only where asked."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from acceptance.__main__ import main
from acceptance.judging.imports import judge_import
from acceptance.report.summary import render_summary
from acceptance.results import junit_file
from acceptance.results.checksums import check
from acceptance.results.document import Results
from acceptance.results.importing import MESSAGE, all_imports, read_import
from acceptance.results.imports import ImportRecord
from acceptance.results.run_folder import RunFolder
from acceptance.settings.imports import named_import, named_imports
from acceptance.text.errors import EnvironmentFailure, WrongUsage
from selftests.unit.compared_runs import class_of, cluster, judged, run_of

FILES = Path(__file__).parent / "junit_files"
GOOD, BAD = FILES / "csi-sanity-good.xml", FILES / "csi-sanity-bad.xml"


def case(name: str, inside: str = "") -> str:
    return f'<testcase name="{name}" classname="Kubernetes e2e suite">{inside}</testcase>'


def e2e(*cases: str, failures: int = 0, properties: str = "") -> str:
    """As e2e.test of 1.34 names its tests; no file that it wrote."""
    head = f'<testsuite name="Kubernetes e2e suite" failures="{failures}" timestamp="2026-11-24T15:00:00">'
    return f"<testsuites>{head}{properties}{''.join(cases)}</testsuite></testsuites>"


def named(rest: str, *, pattern: str = "Dynamic PV (default fs)") -> str:
    return f"[It] External Storage [Driver: csi.example.com] [Testpattern: {pattern}] {rest}"


def record(folder: Path, text: str, **more: str) -> ImportRecord:
    (folder / "junit_01.xml").write_text(text, encoding="utf-8")
    return read_import(folder / "junit_01.xml", **more)  # type: ignore[arg-type]


def wrong(folder: Path, text: str) -> str:
    with pytest.raises(WrongUsage) as found:
        record(folder, text)
    return str(found.value)


def test_a_real_file_of_csi_sanity_is_counted_as_it_counted() -> None:
    """`SUCCESS! -- 73 Passed | 0 Failed | 1 Pending | 29 Skipped`, `FAIL! -- 71 Passed | 2 Failed | ...`"""
    good, bad = read_import(GOOD), read_import(BAD)
    assert good.counts_in_words == "73 passed, 0 failed, 30 skipped"
    assert bad.counts_in_words == "71 passed, 2 failed, 30 skipped"
    assert good.tool == bad.tool == "csi-sanity" and good.doubts == bad.doubts == [] and good.failures == []
    assert [(failure.suite, failure.behaviour) for failure in bad.failures] == [
        ("Node Service NodeExpandVolume", "should work if node-expand is called after node-publish"),
        ("ExpandVolume", "should work"),
    ]
    assert "Code: 14" in bad.failures[0].message and bad.failures[0].message.count("rpc error") == 1
    assert (bad.made, bad.made_from) == ("2026-11-24T15:45:31", "timestamp")


def test_tests_of_the_e2e_are_grouped_by_what_they_ask_whatever_their_tags(tmp_path: Path) -> None:
    found = record(
        tmp_path,
        e2e(
            case("[SynchronizedBeforeSuite]"),
            case(named("volumes should store data [sig-storage]")),
            case(
                named("volumes should store data [sig-storage]", pattern="Dynamic PV (xfs)"), "<failure>full</failure>"
            ),
            case(named("subPath [Slow] should fail if subpath file is outside the volume [LinuxOnly]")),
            case(named("topology should provision a volume"), '<skipped message="skipped"/>'),
            case("[It] [sig-storage] PVC Protection should hold"),
            failures=1,
        ),
    )
    assert (found.tool, found.drivers) == ("kubernetes-e2e", ["csi.example.com"])
    assert [
        (behaviour.suite, behaviour.behaviour, behaviour.passed, behaviour.failed, behaviour.skipped)
        for behaviour in found.behaviours
    ] == [
        ("volumes", "should store data", 1, 1, 0),
        ("subPath", "should fail if subpath file is outside the volume", 1, 0, 0),
        ("topology", "should provision a volume", 0, 0, 1),
        ("outside the storage suites", "PVC Protection should hold", 1, 0, 0),
    ]
    assert [(failure.variant, failure.message) for failure in found.failures] == [("Dynamic PV (xfs)", "full")]


def test_a_failure_outside_of_tests_is_a_failure(tmp_path: Path) -> None:
    found = record(tmp_path, e2e(case("[SynchronizedBeforeSuite]", "<error>no nodes</error>"), failures=1))
    assert (found.failed, found.failures[0].message) == (1, "no nodes")


BOMB = '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>' + e2e(case("&b;"))
OUTSIDE = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + e2e(case("&x;"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "found none (no element found"),
        ("PASS\n", "found none (syntax error"),
        ("<html></html>", "found XML of <html>"),
        (e2e(case("a"))[:-20], "found none ("),
        ("<testsuites></testsuites>", "found XML without a <testsuite>"),
        (e2e(), "found one without a single test"),
        (BOMB, "a document type or an entity"),
        (OUTSIDE, "a document type or an entity"),
        (e2e("<a>" * 40 + "</a>" * 40), "nested deeper than 32"),
        ('<?xml version="1.0" encoding="no-such"?><testsuites/>', "found none (unknown encoding"),
    ],
)
def test_what_is_no_such_file_is_wrong_usage(text: str, told: str, tmp_path: Path) -> None:
    message = wrong(tmp_path, text)
    assert told in message and "expected a JUnit file" in message and "junit_01.xml" in message


def test_what_is_too_large_is_wrong_usage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(junit_file, "MOST_CASES", 1)
    assert "more than 1 tests" in wrong(tmp_path, e2e(case("a"), case("b")))
    monkeypatch.setattr(junit_file, "LARGEST_B", 10)
    assert "bytes, more than 10" in wrong(tmp_path, e2e(case("a")))


def test_a_message_is_fit_to_be_shown_and_short(tmp_path: Path) -> None:
    said = "&lt;script&gt;alert(1)&lt;/script&gt; password=geheim-und-lang\n::error::x " + "x" * 90_000
    found = record(tmp_path, e2e(case("[It] a should work", f"<failure>{said}</failure>"), failures=1))
    (failure,) = found.failures
    assert len(failure.message) <= MESSAGE + 4 and "geheim" not in failure.message and "\n" not in failure.message
    page = render_summary(run_of(verdicts=[judged()]).model_copy(update={"imports": [found]}))
    assert "<script>" not in page and "&lt;script&gt;" in page


@pytest.mark.parametrize(
    ("head", "cases", "contradicts"),
    [
        ("", '<testcase name="a"><failure/></testcase>', False),  # merged by a driver's CI, without counts
        ('failures=""', '<testcase name="a"><failure/></testcase>', False),
        ('failures="0"', '<testcase name="a"><failure/></testcase>', True),
        ('failures="1" errors="1" tests="2"', '<testcase name="a"><failure/><error/></testcase>', False),
        ('failures="1" errors="0" tests="1"', '<testcase name="a"><failure/><error/></testcase>', False),
        ('failures="2" errors="1" tests="3"', '<testcase name="a"><failure/><error/></testcase>', True),
        ('failures="1"', '<testcase name="a"/>', True),
    ],
)
@pytest.mark.parametrize(
    "whole", ["<testsuites><testsuite {}>{}</testsuite></testsuites>", "<testsuite {}>{}</testsuite>"]
)
def test_counts_of_a_head_contradict_only_if_they_are_stated(
    head: str, cases: str, contradicts: bool, whole: str, tmp_path: Path
) -> None:
    assert bool(record(tmp_path, whole.format(head, cases)).doubts) is contradicts


def test_counts_of_one_suite_say_nothing_of_another_and_those_of_the_whole_file_do(tmp_path: Path) -> None:
    states = '<testsuite failures="0"><testcase name="a"/></testsuite>'
    alone = '<testsuite><testcase name="b"><error/></testcase></testsuite>'
    assert not record(tmp_path, f"<testsuites>{states}{alone}</testsuites>").doubts
    assert not record(tmp_path, f'<testsuites errors="1">{alone}</testsuites>').doubts
    assert record(tmp_path, f'<testsuites errors="2">{alone}</testsuites>').doubts


@pytest.mark.parametrize("kind", ["gztar", "tar", "zip"])
def test_an_archive_is_to_be_unpacked(kind: str, tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "junit_01.xml").write_text(e2e(case("[It] a should work")), encoding="utf-8")
    archive = shutil.make_archive(str(tmp_path / "fetched"), kind, tmp_path / "results")
    with pytest.raises(WrongUsage, match="unpack it"):
        read_import(Path(archive))


def test_failures_that_the_tests_of_a_file_do_not_show_are_doubts(tmp_path: Path) -> None:
    cut = record(tmp_path, e2e(case("[It] a should work"), failures=2))
    assert cut.doubts == ["the head of the file states 2 failures and errors, but its tests have 0"]
    aborted = '<properties><property name="SuiteSucceeded" value="false"/></properties>'
    whole = record(tmp_path, e2e(case("[It] a should work"), properties=aborted))
    assert whole.doubts == ["the tool reports that the suite failed, but no test in it failed"]
    assert judge_import(whole, storage_class="fast", failures="fail").status == "inconclusive"


def test_a_failure_fails_only_where_that_is_asked_and_is_counted_anyway() -> None:
    good, bad = read_import(GOOD), read_import(BAD)
    shown = judge_import(bad, storage_class="fast", failures="show")
    assert shown.status == "skipped" and "71 passed, 2 failed" in shown.reason
    assert "not by this suite" in shown.reason
    failed = judge_import(bad, storage_class="fast", failures="fail")
    assert failed.status == "fail" and "NodeExpandVolume" in failed.reason
    assert (failed.measured, failed.unit, shown.measured) == (2.0, "count", None)
    assert judge_import(good, storage_class="fast", failures="fail").status == "pass"


def test_what_another_tool_found_is_data(tmp_path: Path) -> None:
    good, bad = read_import(GOOD), read_import(BAD)
    skipped = record(tmp_path, e2e(case("[It] a should work", "<skipped/>")))
    cut = good.model_copy(update={"doubts": ["the head counts 2"]})
    first = bad.failures[0].model_dump(include={"suite", "behaviour", "message"})
    for found, failures, code, more in (
        (bad, "show", "shown", {}),
        (bad, "fail", "failed", {"first": first}),
        (cut, "fail", "doubtful", {"doubts": ["the head counts 2"]}),
        (skipped, "fail", "nothing_ran", {}),
        (good, "fail", "passed", {}),
    ):
        verdict = judge_import(found, storage_class="fast", failures=failures)  # type: ignore[arg-type]
        counts = {"passed": found.passed, "failed": found.failed, "skipped": found.skipped}
        assert verdict.outcome is not None and verdict.outcome.code == f"imports.{code}"
        assert verdict.outcome.facts == {"name": found.name, "tool": found.tool, **counts, **more}
        asked = verdict.requirement
        assert (asked.operator, asked.bound, asked.unit) == ("at_most", 0, "count")


def test_nothing_passes_where_nothing_ran(tmp_path: Path) -> None:
    found = record(tmp_path, e2e(case("[It] a should work", "<skipped/>")))
    assert judge_import(found, storage_class="fast", failures="fail").status == "inconclusive"


def test_names_of_files(tmp_path: Path) -> None:
    (tmp_path / "a:b.xml").write_text("")
    assert named_import(f"{tmp_path}/a:b.xml") == (tmp_path / "a:b.xml", "")
    assert named_import(f"{tmp_path}/a:b.xml:night") == (tmp_path / "a:b.xml", "night")
    with pytest.raises(ValueError, match="there is no such file"):
        named_imports([f"{tmp_path}/none.xml"])
    with pytest.raises(WrongUsage, match="found 2 named csi-sanity"):
        all_imports([(GOOD, ""), (BAD, "")], added_to="run")
    assert [each.file for each in all_imports([(GOOD, ""), (BAD, "by night")], added_to="run")] == [
        "imported/csi-sanity.xml",
        "imported/by-night.xml",
    ]


def with_imports(*files: Path) -> Results:
    results = run_of(verdicts=[judged()], where=cluster(class_of()))
    return results.model_copy(update={"imports": [read_import(file, name=file.stem) for file in files]})


def test_the_file_is_evidence_of_the_run(tmp_path: Path) -> None:
    folder, results = RunFolder(tmp_path, run_id="r1"), with_imports(BAD)
    folder.make()
    (found,) = results.imports
    folder.keep_import(BAD, name=found.file, sha256=found.sha256)
    folder.write_results(results)
    assert check(folder.path).problems == [] and f"{found.sha256}  {found.file}" in folder.checksums.read_text()
    kept = folder.path / found.file
    kept.write_bytes(kept.read_bytes().replace(b"failures", b"Failures"))
    assert check(folder.path).problems == [f"{found.file}: changed"]
    with pytest.raises(EnvironmentFailure, match="changed after it was read"):
        folder.keep_import(GOOD, name=found.file, sha256=found.sha256)


def test_the_report_tells_failures_on_its_first_screen_and_whose_verdicts_they_are() -> None:
    page = render_summary(with_imports(GOOD, BAD))
    first = page.partition('<nav aria-label="Subjects">')[0]
    assert "Failed tests of other tools" in first and "2 failed of 73 tests that ran" in first
    assert "Other tools ran the tests below" in page and "Storage e2e tests of Kubernetes" not in page
    assert "Failed tests of other tools" not in render_summary(with_imports(GOOD))


def test_what_the_e2e_ran_stands_beside_what_was_asked_here(tmp_path: Path) -> None:
    imported = record(
        tmp_path,
        e2e(case(named("volumes should store data")), case(named("volumes should allow exec of files on the volume"))),
    )
    asked = judged(test="tests/test_provisioning.py::test_data_survives_a_new_pod_on_the_same_node[fast]")
    page = render_summary(run_of(verdicts=[asked]).model_copy(update={"imports": [imported]}))
    row = page.partition("Coverage of the storage e2e")[2].partition("<bdi>volumes</bdi>")[2].partition("</tr>")[0]
    assert [part.partition("<")[0] for part in row.split('class="number">')[1:]] == ["2", "1", "1"]


def test_a_report_takes_a_file_afterwards_and_leaves_the_run_as_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = RunFolder(tmp_path, run_id="r1")
    folder.make()
    folder.write_results(run_of(verdicts=[judged()]))
    page = tmp_path / "page.html"
    words = ["report", str(folder.path), "-o", str(page), "--import", f"{BAD}:sanity of Tuesday"]
    assert main(words) == 0
    told = page.read_text()
    assert "<bdi>sanity of Tuesday</bdi>: 71 passed, 2 failed" in told and "not part of the run" in told
    assert check(folder.path).problems == [] and not (folder.path / "imported").exists()
    page.unlink()
    for text, told in (("nowhere.xml", "there is no such file"), (str(FILES / "README.md"), "expected a JUnit file")):
        assert main([*words[:-1], text]) == 4
        assert told in capsys.readouterr().err and not page.exists()

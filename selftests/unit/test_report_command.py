"""`python -m acceptance report`: renders again, one run or several beside each other, and verifies."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest

from acceptance.__main__ import main
from acceptance.report.side_by_side import SideBySide, render_side_by_side
from acceptance.results.checksums import checksums
from acceptance.results.document import Estimate, Results
from acceptance.results.run_folder import RunFolder
from selftests.unit.compared_runs import NOW, class_of, cluster, estimate, judged, measured, named, run_of
from selftests.unit.drawn import latencies


def kept(folder: Path, results: Results) -> Path:
    """The folder of a run."""
    made = RunFolder(folder, run_id=results.run.id)
    made.make()
    made.write_fio("load", ["{}"])
    made.write_results(results)
    return made.path


def night(number: int, iops: float, **more: object) -> Results:
    return run_of(
        measured({"write.iops": iops, "write.latency.mean": 0.01}),
        verdicts=[judged(measured=iops, low=iops / 1.1, high=iops * 1.1)],
        run_id=f"night-{number}",
        started=NOW + timedelta(days=number),
        **more,  # type: ignore[arg-type]
    )


def test_results_of_an_older_suite_have_no_curve_and_all_else_is_shown(tmp_path: Path) -> None:
    """Its file holds what every run must tell, and nothing that was added later."""
    run = night(1, 1000)
    curve = {"write": latencies((50.0, 0.001), (90.0, 0.002))}
    drawn = [
        measurement.model_copy(update={"series": {"write.iops": [900.0, 1100.0]}}) for measurement in run.measurements
    ]
    newer = [each.model_copy(update={"distribution": curve}) for each in drawn]
    file = kept(tmp_path, run.model_copy(update={"measurements": newer})) / "results.json"
    pages = []
    for measurements in (newer, drawn):
        older = run.model_copy(update={"measurements": measurements}).model_dump_json(exclude_defaults=True)
        file.write_text(json.dumps({"schema_version": 2, **json.loads(older)}))
        assert main(["report", str(file.parent), "-o", str(tmp_path / "page.html")]) == 0
        pages.append((tmp_path / "page.html").read_text(encoding="utf-8"))
    curves = [page.count("latency by percentile, logarithmic scales") for page in pages]
    assert curves == [1, 0]
    for page in pages:
        assert "because pass" in page and "write.iops in each second" in page


class Cells(HTMLParser):
    """The texts of all cells, row by row."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._in_cell = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        self._in_cell = self._in_cell or tag in ("td", "th")

    def handle_endtag(self, tag: str) -> None:
        self._in_cell = self._in_cell and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.rows[-1][-1] = " ".join(f"{self.rows[-1][-1]} {data}".split())


def row(html: str, name: str) -> list[str]:
    (found,) = (each for each in Cells(html).rows if each[0] == name)
    return found[1:]


def side_by_side(*runs: Results) -> str:
    return str(render_side_by_side([named(run, run.run.id) for run in runs]))


def test_one_run_is_rendered_again_and_where_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = kept(tmp_path, night(1, 1000))
    page = tmp_path / "again.html"
    assert main(["report", str(folder), "-o", str(page)]) == 0
    assert capsys.readouterr().out == f"report: {page}\n"
    html = page.read_text(encoding="utf-8")
    assert "because pass" in html and "<script" not in html and "Content-Security-Policy" in html
    assert not re.search(r"(src|href)=.?(https?:|//)", html)


def test_the_default_is_a_file_here_and_never_the_runs_own_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = kept(tmp_path, night(1, 1000))
    monkeypatch.chdir(folder)
    (folder / "report.html").write_text("rows of tests")
    assert main(["report", "results.json"]) == 0
    assert (folder / "storage-report.html").is_file()
    for own in ("report.html", "results.json"):
        assert main(["report", ".", "-o", str(folder / own)]) == 4
        assert "is the run's own file, which cannot be created again; name another file" in capsys.readouterr().err
    assert (folder / "report.html").read_text() == "rows of tests"


def test_a_page_that_cannot_be_written_is_an_environment_that_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = kept(tmp_path, night(1, 1000))
    assert main(["report", str(folder), "-o", str(tmp_path / "none" / "page.html")]) == 10
    assert "page.html cannot be written: No such file or directory" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["report"], ["report", "here", "--verify", "there"]])
def test_results_or_verify_and_not_both(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 4
    assert "expected results to render, or --verify FOLDER, found both or none" in capsys.readouterr().err


def test_three_runs_stand_side_by_side(tmp_path: Path) -> None:
    folders = [kept(tmp_path, night(number, iops)) for number, iops in ((1, 1000.0), (2, 1500.0), (3, 980.0))]
    page = tmp_path / "three.html"
    assert main(["report", *map(str, folders), "-o", str(page)]) == 0
    html = page.read_text(encoding="utf-8")
    assert row(html, "sync-write-iops write.iops") == [
        "1,000 IOPS 909.1 IOPS to 1,100 IOPS",
        "1,500 IOPS best 1,364 IOPS to 1,650 IOPS 50 % faster: better 31 % to 72 %",
        "980 IOPS 890.9 IOPS to 1,078 IOPS 2.0 % slower: within noise 14 % slower to 12 % faster",
    ]
    assert row(html, "sync-write-iops write.iops at least 750 IOPS") == [
        "pass 1,000 IOPS",
        "pass 1,500 IOPS",
        "pass 980 IOPS",
    ]
    assert html.count("fast passes tier baseline") == 3
    assert html.count("<svg") == 1 and "1.5x as good as column 1, of one metric." in html
    assert "2026-11-22 07:15" in html and "night-3" in html


def test_who_is_best_is_said_only_where_it_is_sure() -> None:
    def marks(*values: float | Estimate) -> list[str]:
        runs = [run_of(measured({"write.iops": value})) for value in values]
        (only,) = SideBySide([named(run) for run in runs]).rows
        return [cell.mark if cell else "none" for cell in only.cells]

    assert marks(1000, 1500, 990) == ["", "best", ""]
    assert marks(1000, 1500, 1480) == ["", "among the best", "among the best"]
    assert marks(1000, 1010, 990) == ["", "", ""]
    assert marks(1500, 1000) == ["best", ""]
    # What nobody knows how sure it is may be the best too, and is no reason to call it so.
    assert marks(1000, estimate(9000, by=None)) == ["", ""]
    # Nor is storage that did nothing, and who is beside it and nobody else.
    assert marks(12716, 0, 3815) == ["", "", ""]
    assert marks(12716, 3815, 0, 12716) == ["", "", "", ""]


def test_what_a_run_lacks_is_shown_as_missing_and_one_that_was_killed_as_incomplete() -> None:
    killed = run_of(run_id="killed", complete=False, errors=["ended by a signal"])
    html = side_by_side(night(1, 1000), killed, run_of(measured({"write.iops": 9.0}, profile="other"), run_id="other"))
    assert row(html, "sync-write-iops write.iops")[1:] == ["not measured", "not measured"]
    assert row(html, "sync-write-iops write.iops at least 750 IOPS")[1:] == ["not judged", "not judged"]
    assert "the run is not complete" in html and "ended by a signal" in html
    assert row(html, "complete run disturbs") == ["yes", "no", "yes"]


def test_what_is_not_the_same_is_named_before_any_figure() -> None:
    first = night(1, 1000, where=cluster(class_of(replicas="3")))
    second = night(2, 1000, where=cluster(class_of(replicas="2")), settings={"test_size": 4 << 30})
    html = side_by_side(first, second)
    assert row(html, "parameter replicas") == ["3", "2"]
    assert row(html, "test file disturbs") == ["1Gi", "4Gi"]
    assert html.index("Not the same load or machine:") < html.index("Figures")
    assert "Differences between the runs" not in side_by_side(first, first)


def test_a_verdict_that_some_column_does_not_meet_comes_first_and_says_why() -> None:
    def run(first: str, second: str) -> Results:
        return run_of(
            measured({"write.iops": 9.0}),
            verdicts=[judged(first), judged(second, metric="cpu.use", limit=f"{second}: at most 40 %CPU")],  # type: ignore[arg-type]
        )

    html = side_by_side(run("pass", "pass"), run("pass", "fail"))
    assert html.index("because fail") < html.index("at least 750 IOPS")
    assert row(html, "sync-write-iops pass: at most 40 %CPU") == [
        "pass 1,000 IOPS pass: at most 40 %CPU",
        "fail 1,000 IOPS fail: at most 40 %CPU because fail",
    ]


def test_two_classes_of_one_run_are_two_columns() -> None:
    run = run_of(measured({"write.iops": 9.0}), measured({"write.iops": 90.0}, storage_class="slow"))
    assert [column.storage_class for column in SideBySide([named(run), named(run)]).columns] == ["fast", "slow"] * 2


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "存储", "تخزين", "a" * 300])
def test_names_in_any_script_are_only_text(name: str) -> None:
    run = run_of(measured({"write.iops": 9.0}, storage_class=name), verdicts=[judged(storage_class=name)])
    html = side_by_side(run, run)
    assert "<script" not in html
    assert (name if "<" not in name else "&lt;script&gt;") in html


def verify(folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, Sequence[str]]:
    status = main(["report", "--verify", str(folder)])
    return status, capsys.readouterr().out.splitlines()


def test_what_is_as_the_run_left_it_is_verified_and_the_digest_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = kept(tmp_path, night(1, 1000))
    (folder / "report.html").write_text("")
    status, told = verify(folder, capsys)
    assert (status, told[0]) == (0, "not covered: report.html")
    assert told[1].endswith("night-1: unchanged: 2 files match SHA256SUMS; the verdicts follow from the figures")
    assert re.fullmatch("SHA-256 of SHA256SUMS: [0-9a-f]{64}", told[2])
    assert "can rewrite SHA256SUMS: compare this digest with one that was signed" in told[3]


def test_a_change_is_told_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = kept(tmp_path, night(1, 1000))
    (folder / "fio" / "load.json").write_text("{} ")
    status, told = verify(folder, capsys)
    assert (status, told[0]) == (1, "not as listed: fio/load.json: changed")
    assert told[-1].endswith("CHANGED: 1 difference from what the run wrote")


def test_missing_files_are_told_from_changed_ones_and_may_be_declared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = kept(tmp_path, night(1, 1000))
    (folder / "fio" / "load.json").unlink()
    status, told = verify(folder, capsys)
    assert (status, told[0]) == (6, "not as listed: fio/load.json: missing")
    assert "INCOMPLETE: missing: 1 of 2 listed files" in told[-1]
    (folder / "OMITTED").write_text("# too large to be sent\nfio/\n")
    status, told = verify(folder, capsys)
    assert status == 0
    assert told[0].startswith("omitted, as OMITTED declares: 1 file;") and "1 of 2 files match" in told[1]
    (folder / "results.json").write_bytes((folder / "results.json").read_bytes() + b" ")
    status, told = verify(folder, capsys)
    assert (status, told[0]) == (1, "not as listed: results.json: changed")


@pytest.mark.parametrize("line", ["results.json", "fio/other.json", "junit.xml", "imported/", "fio"])
def test_only_listed_files_can_be_declared_to_be_left_out_and_never_the_results(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = kept(tmp_path, night(1, 1000))
    (folder / "OMITTED").write_text(f"fio/\n{line}\n")
    assert main(["report", "--verify", str(folder)]) == 4
    assert "OMITTED:2: expected a file that SHA256SUMS lists" in capsys.readouterr().err


def test_results_that_are_missing_are_not_said_to_be_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = kept(tmp_path, night(1, 1000))
    (folder / "results.json").unlink()
    status, told = verify(folder, capsys)
    assert (status, told[0]) == (6, "not as listed: results.json: missing")


def test_a_verdict_that_was_turned_is_found_even_where_the_checksums_were_made_to_fit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = kept(tmp_path, night(1, 400).model_copy(update={"overall": "pass"}))
    status, told = verify(folder, capsys)
    assert status == 1
    assert told[0].startswith(
        "wrong: results.json: verdict fast/sync-write-iops/write.iops/at-least is pass, which does"
    )


def test_results_that_cannot_be_read_are_not_verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = kept(tmp_path, night(1, 1000))
    data = json.loads((folder / "results.json").read_text())
    (folder / "results.json").write_text(json.dumps(data | {"schema_version": 4}))
    status, told = verify(folder, capsys)
    assert status == 1
    assert told[0] == "not as listed: results.json: changed"
    assert "found version 4" in told[1]
    (folder / "SHA256SUMS").unlink()
    assert verify(folder, capsys) == (4, [])


def listed_anew(folder: Path, **changes: object) -> None:
    """Change the results, and make the list fit."""
    path = folder / "results.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    (folder / "SHA256SUMS").write_text(checksums(folder))


def test_untouched_results_of_a_newer_suite_are_not_called_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = kept(tmp_path, night(1, 1000))
    listed_anew(folder, schema_version=4)
    assert main(["report", "--verify", str(folder)]) == 4
    told = capsys.readouterr()
    assert told.out == ""
    assert "night-1: 2 files match SHA256SUMS; this suite cannot check the verdicts: " in told.err
    assert "found version 4" in told.err


def test_a_limit_that_nobody_can_read_is_a_change_and_no_fault_of_the_suite(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = kept(tmp_path, night(1, 1000))
    verdicts = json.loads((folder / "results.json").read_text())["verdicts"]
    listed_anew(folder, verdicts=[verdicts[0] | {"requirement": verdicts[0]["requirement"] | {"bound": None}}])
    status, told = verify(folder, capsys)
    assert status == 1
    assert told[0].endswith("which does not follow from its interval and limit")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"test_size": -1}, "ValueError: expected a size of at least zero bytes, found -1"),
        ({"test_size": "large"}, "TypeError: "),
        (None, "UndefinedError: "),
    ],
)
def test_what_cannot_be_shown_is_the_files_fault(
    changes: dict[str, object] | None, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run_of(settings=changes, where=cluster())
    folder = kept(tmp_path, found if changes else found.model_copy(update={"settings": {}}))
    assert main(["report", str(folder), "-o", str(tmp_path / "page.html")]) == 4
    assert f"{folder}: expected figures, names and settings as a run writes them, found unusable values: {told}" in (
        capsys.readouterr().err
    )
    assert not (tmp_path / "page.html").exists()


def test_results_of_a_suite_that_did_not_count_limits_are_rendered(tmp_path: Path) -> None:
    folder = kept(tmp_path, night(1, 1000))
    path = folder / "results.json"
    data = json.loads(path.read_text())
    for name in ("tier_limits", "tested_with", "trends"):
        data.pop(name)
    path.write_text(json.dumps(data))
    assert main(["report", str(folder), "-o", str(tmp_path / "page.html")]) == 0
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "because pass" in html and "that were not judged" not in html


@pytest.mark.parametrize("own", ["SHA256SUMS", "fio/load.json", "results.json", "report.html", "junit.xml"])
def test_no_page_replaces_what_any_run_wrote(own: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, other = kept(tmp_path, night(1, 1000)), kept(tmp_path, night(2, 1000))
    for run in (folder, other):
        (run / "report.html").write_text("rows of tests")
        (run / "junit.xml").write_text("<testsuites/>")
        before = (run / own).read_bytes()
        assert main(["report", str(folder), "-o", str(run / own)]) == 4
        assert "is the run's own file, which cannot be created again; name another file" in capsys.readouterr().err
        assert (run / own).read_bytes() == before


def test_a_page_in_a_runs_folder_is_written_anew(tmp_path: Path) -> None:
    folder = kept(tmp_path, night(1, 1000))
    (folder / "again.html").write_text("old")
    assert main(["report", str(folder), "-o", str(folder / "again.html")]) == 0
    assert "because pass" in (folder / "again.html").read_text(encoding="utf-8")


def test_no_page_replaces_the_results_it_is_made_of_whatever_they_are_called(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "monday.json"
    path.write_text(night(1, 1000).model_dump_json())
    assert main(["report", str(path), "-o", str(path)]) == 4
    assert "is the run's own" in capsys.readouterr().err

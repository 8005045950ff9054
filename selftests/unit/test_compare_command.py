"""`python -m acceptance compare`: the table people read, and the page with pictures."""

from __future__ import annotations

import math
import random
import re
from datetime import timedelta
from pathlib import Path

import pytest

from acceptance.__main__ import main
from acceptance.report.comparing.between_runs import ONE_RUN_EACH
from acceptance.report.comparing.ratios import as_change, finding_of, quotient
from acceptance.results.document import Estimate, Results
from acceptance.results.file import read_results
from acceptance.results.history_file import append
from acceptance.results.history_series import record_of
from acceptance.results.subjects import SUBJECTS
from acceptance.results.verdicts import OF_ONE_VOLUME
from selftests.unit.compared_runs import NOW, class_of, cluster, estimate, judged, measured, run_of

# of two values that are known to a factor of 1.1 each
VISIBLE = "13 % slower or 14 % faster"


def kept(folder: Path, name: str, results: Results) -> str:
    path = folder / name
    path.mkdir()
    (path / "results.json").write_text(results.model_dump_json(), encoding="utf-8")
    return str(path)


def tuned(folder: Path) -> tuple[str, str]:
    """Before and after the number of replicas was changed."""
    found = []
    for number, (replicas, iops, reads) in enumerate((("3", 1000.0, 5000.0), ("2", 1500.0, 4900.0))):
        run = run_of(
            measured({"write.iops": iops, "write.latency.mean": 1 / iops, "cpu.use": 0.2}),
            measured({"read.iops": reads}, profile="random-read-iops"),
            where=cluster(class_of(replicas=replicas)).model_copy(update={"identity": "0d1e"}),
            settings={"baseline_class": None, "volume_mode": "filesystem"},
            texts={"sync-write-iops": "[job]", "random-read-iops": "[job]"},
            started=NOW + timedelta(days=number),
        )
        found.append(kept(folder, f"run-{number}", run))
    return found[0], found[1]


def compare(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert main(["compare", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def line(lines: list[str], beginning: str) -> list[str]:
    """The cells of the only line that begins so."""
    (found,) = (each for each in lines if each.startswith(beginning))
    return re.split(r" {2,}", found.strip())


def test_before_and_after_as_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = compare(capsys, *tuned(tmp_path))
    assert told[0].startswith("first:  2026-11-21 07:15: run r1, tier baseline, kubeconfig v1.34 with 1 node, suite ")
    assert "changed: parameter replicas: 3, then 2" in told
    assert line(told, "sync-write-iops") == [
        "sync-write-iops", "write.iops", "1,000 IOPS", "1,500 IOPS", "50 % faster", "31 % to 72 %", VISIBLE,
        f"not known: {ONE_RUN_EACH}",
    ]  # fmt: skip
    assert line(told, "random-read-iops")[4:] == ["2.0 % slower", "14 % slower to 12 % faster", VISIBLE, "within noise"]
    assert any(
        each.startswith("1 within noise, 1 not known. Each change is given with its 95% CI: if nothing")
        for each in told
    )
    assert any("With --history HISTORY, compare also covers these differences" in each for each in told)
    assert not any("\x1b" in each or "cpu.use" in each for each in told)


def history(folder: Path, first: str, *, noise: float, nights: int = 20) -> str:
    """Nights of the class as the first run saw it, which differ by so much."""
    source = random.Random(1)
    run = read_results(Path(first))
    for night in range(nights):
        kept = record_of(run, profiles={each.profile: "[job]" for each in run.measurements})
        for measurement in kept.measurements:
            for path, metric in measurement.metrics.items():
                factor = math.exp(source.gauss(0.0, noise))
                measurement.metrics[path] = metric.model_copy(update={"mean": factor * metric.mean})
        append(folder / "history.jsonl", kept.model_copy(update={"run": f"night-{night}"}))
    return str(folder / "history.jsonl")


def test_with_a_history_a_change_beyond_what_nights_differ_by_is_better(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = tuned(tmp_path)
    nights = history(tmp_path, first, noise=0.02)
    told = compare(capsys, first, second, "--history", nights)
    assert line(told, "sync-write-iops")[4:] == ["50 % faster", "31 % to 72 %", VISIBLE, "better"]
    assert line(told, "random-read-iops")[-1] == "within noise"
    assert any("The CIs also cover the differences between unchanged runs of the history" in each for each in told)
    assert line(compare(capsys, second, first, "--history", nights), "sync-write-iops")[-1] == "worse"


def test_with_a_history_of_noisy_nights_the_same_change_is_within_noise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = tuned(tmp_path)
    told = compare(capsys, first, second, "--history", history(tmp_path, first, noise=0.3))
    change, interval, visible, finding = line(told, "sync-write-iops")[4:]
    assert (change, finding) == ("50 % faster", "within noise")
    low, high = interval.split(" to ")
    assert float(low.removesuffix(" % slower")) > 20 and float(high.removesuffix("x faster")) > 2.5
    assert float(visible.partition("x slower")[0]) > 2


def test_a_history_that_is_too_short_or_not_there_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tuned(tmp_path)
    short = history(tmp_path, first, noise=0.02, nights=6)
    told = compare(capsys, first, second, "--history", short)
    assert line(told, "sync-write-iops")[-1] == f"not known: {ONE_RUN_EACH}"
    assert main(["compare", first, second, "--history", str(tmp_path / "none")]) == 4
    assert "expected a history, found no file" in capsys.readouterr().err


def test_the_other_way_round_is_the_inverse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tuned(tmp_path)
    told = compare(capsys, second, first)
    assert line(told, "sync-write-iops")[4:] == [
        "33 % slower",
        "24 % to 42 %",
        VISIBLE,
        f"not known: {ONE_RUN_EACH}",
    ]


def test_a_run_compared_with_itself_is_within_noise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, _ = tuned(tmp_path)
    told = compare(capsys, first, first, "--all")
    findings = [each for each in told if each.startswith(("sync-write-iops", "random-read-iops"))]
    assert len(findings) == 3, "not of cpu.use: slower storage has less of it"
    assert all(finding.rstrip().endswith("within noise") for finding in findings)


def test_the_smallest_change_that_the_pair_could_have_shown_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two values that are known to a factor of 1.1 each: a factor of exp(sqrt(2) ln 1.1) = 1.144."""
    first, second = tuned(tmp_path)
    told = " ".join(compare(capsys, first, second))
    assert "-iops: 13 % slower or 14 % faster. A true change of that size is visible in half of such pairs" in told
    assert "--storage-load-time" not in told
    coarse = kept(tmp_path, "coarse", run_of(measured({"write.iops": estimate(1000.0, by=1.5)})))
    told = " ".join(compare(capsys, coarse, coarse))
    assert "44 % slower or 77 % faster" in told and "repeat both runs with a longer --storage-load time" in told


@pytest.mark.parametrize(("by", "seen"), [(1.143, "within noise"), (1.145, "better")])
def test_a_change_is_seen_from_the_smallest_visible_one_on(by: float, seen: str) -> None:
    before, after = (as_change(estimate(mean)) for mean in (1000.0, 1000.0 * by))
    assert before is not None and after is not None
    change = quotient(after, before)
    assert change.visible == pytest.approx((1 / 1.1443, 1.1443), rel=1e-3)
    assert finding_of(change, metric="write.iops") == seen


def test_what_is_not_the_same_comes_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, _ = tuned(tmp_path)
    other = kept(tmp_path, "other", run_of(measured({"write.iops": 9.0}), settings={"test_size": 4 << 30}))
    told = compare(capsys, first, other)
    assert told.index("not the same: test file: 1Gi, then 4Gi") < told.index("fast")
    assert "missing: random-read-iops: only in the first" in told


def test_what_the_tier_of_either_run_asks_for_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    metrics: dict[str, Estimate | float] = {"write.iops": 9.0, "write.latency.p99": 0.01, "cpu.use": 0.2}
    first, second = (
        kept(tmp_path, name, run_of(measured(metrics, profile="mine"), verdicts=[judged(metric=name, profile="mine")]))
        for name in ("write.latency.p99", "write.iops")
    )
    for told in (compare(capsys, first, second), compare(capsys, second, first)):
        assert [each.split()[1] for each in told if each.startswith("mine")] == ["write.iops", "write.latency.p99"]


def test_a_page_with_the_picture_and_the_same_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    told = compare(capsys, *tuned(tmp_path), "--output", str(page))
    assert told[-1] == f"page: {page}"
    html = page.read_text(encoding="utf-8")
    assert "<svg" in html and "<script" not in html and "Content-Security-Policy" in html
    for figure in (
        "1,500 IOPS",
        "31 % to 72 %",
        "within noise",
        "1 within noise, 1 not known",
        "parameter replicas",
    ):
        assert figure in html


def test_figures_of_any_other_subject_that_both_runs_judged_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever the subject: without a line of its own."""
    others = [argument for argument in SUBJECTS if argument not in OF_ONE_VOLUME]
    runs = []
    for name, seconds in (("one", 30.0), ("two", 45.0)):
        verdicts = [
            judged(
                metric=f"{subject}.time", unit="s", measured=seconds, low=None, high=None, limit=f"{subject} in time"
            )
            for subject in others
        ]
        verdicts = [each.model_copy(update={"subject": of}) for each, of in zip(verdicts, others, strict=True)]
        without = judged(metric="write.latency.p99", measured=None, low=None, high=None, limit="no figure")
        verdicts += [without.model_copy(update={"subject": "rebuild"}), judged(limit="of one volume")]
        runs.append(kept(tmp_path, name, run_of(measured({"write.iops": 1000.0}), verdicts=verdicts)))
    page = tmp_path / "page.html"
    told = compare(capsys, *runs, "-o", str(page))
    html = page.read_text(encoding="utf-8")
    for subject in others:
        about = f"sync-write-iops: {subject} in time"
        assert line(told, about) == [about, "30 s", "45 s"]
        assert f"<td>{about}</td>" in html
    assert "no figure" not in " ".join(told) and "of one volume" not in " ".join(told)


def test_names_from_strangers_are_only_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "[red]\x1b[2J<script>:smile:存储"
    run = run_of(measured({"write.iops": 9.0}, storage_class=name))
    path = kept(tmp_path, "run", run)
    page = tmp_path / "page.html"
    told = compare(capsys, path, path, "-o", str(page))
    assert r"[red]\x1b[2J<script>:smile:存储" in told
    assert "<script" not in page.read_text(encoding="utf-8")


def test_wrong_usage_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tuned(tmp_path)
    assert main(["compare", first, second, "--classes", "fast", "slow"]) == 4
    assert "expected classes to compare" in capsys.readouterr().err
    assert main(["compare", first, str(tmp_path / "none")]) == 4
    assert "expected the results.json of a run, found no such file" in capsys.readouterr().err


def test_a_runs_own_report_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tuned(tmp_path)
    own = Path(second) / "report.html"
    own.write_text("rows of tests")
    assert main(["compare", first, second, "-o", str(own)]) == 4
    assert "is the run's own file, which cannot be created again" in capsys.readouterr().err
    assert own.read_text() == "rows of tests"

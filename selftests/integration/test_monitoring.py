"""Metrics of a real run: Prometheus scrapes them, and answers every query of the dashboard."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from acceptance.report.prometheus.document import metrics_text
from acceptance.results.file import read_results
from embedded_cluster.network import free_ports
from selftests.bounds import RUN_HANGS_S
from selftests.integration.held_loads import held_profiles
from selftests.integration.suite import (
    ROOT,
    SuiteRun,
    finish,
    run_suite,
    started_suite,
    suite_command,
    suite_environment,
)
from selftests.lab.monitoring import Prometheus, node_exporter, prometheus, pushgateway, read, served
from selftests.unit.compared_runs import judged, run_of

DASHBOARD = json.loads((ROOT / "deploy/grafana/dashboard.json").read_text())
QUERIES = [
    pytest.param(target["expr"], id=f"{panel['title']} {target['refId']}")
    for panel in DASHBOARD["panels"]
    for target in panel.get("targets", [])
]
# What a cluster alone has.
_OF_A_CLUSTER = re.compile(r"storage_acceptance_(scaling|ramp|provisioning|rebuild|failover|durability)_")
LOAD = "random-write-latency"
PASSWORD = "sesame-open"
# Two classes in one run; a run that was interrupted; one that left something behind.
NIGHTS = {
    "both.prom": run_of(
        verdicts=[
            judged(storage_class="good"),
            judged("fail", storage_class="bad"),
            judged("inconclusive", storage_class="unsure"),
        ]
    ).model_copy(update={"overall": "fail"}),
    "cut.prom": run_of(verdicts=[judged(storage_class="cut")], tests=["t", "never reached"]),
    "left.prom": run_of(verdicts=[judged(storage_class="left")], errors=["a volume was left"]),
}
CLASSES = {"good", "bad", "unsure", "cut", "left"}


@pytest.fixture(scope="module")
def directories(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """Two directories of this host as candidate and baseline, and limits of which one can never be reached."""
    folder = tmp_path_factory.mktemp("classes")
    limits = folder / "limits.yaml"
    limits.write_text(
        f"""\
version: 1
tiers:
  baseline:
    description: for a test of the suite
    limits:
      {LOAD}:
        write.latency.mean: {{at_most: 10s, because: the test wants it so}}
        write.iops: {{at_least: 1000000000, because: the test wants it so}}
"""
    )
    classes = [folder / "candidate", folder / "baseline"]
    for storage_class in classes:
        storage_class.mkdir()
    return (
        "--storage-cluster=host",
        f"--storage-class={classes[0]}",
        f"--storage-baseline-class={classes[1]}",
        f"--storage-thresholds={limits}",
        held_profiles(folder, LOAD, rate=200),
    )


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with pushgateway(tmp_path_factory.mktemp("pushgateway")) as url:
        yield url


@pytest.fixture(scope="module")
def runs(
    gateway: str, directories: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory
) -> tuple[SuiteRun, Path, SuiteRun]:
    """A run that pushed to the gateway, and the summary that it wrote as the step of a GitHub job; and another one at
    the same time, whose gateway was down."""
    folder, elsewhere = tmp_path_factory.mktemp("run"), tmp_path_factory.mktemp("other-run")
    summary = folder / "summary.md"
    only, passing = ("-k", LOAD, "-m", "data_plane"), ("-k", f"{LOAD} and latency.mean", "-m", "data_plane")
    nobody = f"http://nightly:{PASSWORD}@127.0.0.1:{free_ports(['nobody'])['nobody']}"
    with started_suite(*directories, f"--storage-pushgateway={nobody}", *passing, reports=elsewhere) as other:
        run = run_suite(
            *directories,
            f"--storage-pushgateway={gateway}",
            *only,
            reports=folder / "reports",
            environment={"GITHUB_STEP_SUMMARY": str(summary)},
        )
        unpushed = finish(other, reports=elsewhere)
    assert run.status == 1, run.output
    return run, summary, unpushed


@pytest.fixture(scope="module")
def real_run(runs: tuple[SuiteRun, Path, SuiteRun]) -> tuple[SuiteRun, Path]:
    """The first of them, with its summary."""
    return runs[:2]


@pytest.fixture(scope="module")
def asked(
    real_run: tuple[SuiteRun, Path], gateway: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Prometheus]:
    """A Prometheus that scrapes the gateway, and a run of the main job as it was recorded.

    Its failover is that of another run, for the main job has none. And runs of which nothing is known but verdicts.
    """
    folder = tmp_path_factory.mktemp("prometheus")
    recorded = read_results(Path(__file__).parent / "recorded/make_accept.json")
    (folder / "metrics.prom").write_text(metrics_text(recorded))
    for name, results in NIGHTS.items():
        (folder / name).write_text(metrics_text(results))
    with served(folder) as files:
        targets = [(files, f"/{name}") for name in ("metrics.prom", *NIGHTS)]
        with prometheus([(gateway.removeprefix("http://"), "/metrics"), *targets], folder) as running:
            yield running


def with_variables(expression: str, *, candidate: str) -> str:
    """As Grafana asks it for one class, and for all there is of the rest."""
    query = expression.replace("$candidate", re.escape(candidate).replace("\\", "\\\\"))
    query = re.sub(r"\$(cluster|tier|profile)\b", ".*", query)
    assert "$" not in query
    return query


@pytest.mark.parametrize("expression", QUERIES)
def test_every_query_of_the_dashboard_has_an_answer(
    expression: str, asked: Prometheus, real_run: tuple[SuiteRun, Path]
) -> None:
    of_a_cluster = _OF_A_CLUSTER.search(expression)
    candidate = "replicated" if of_a_cluster else real_run[0].results["settings"]["storage_class"][0]
    assert asked.query(with_variables(expression, candidate=candidate)) != []


def test_a_class_is_not_blamed_for_another_one_of_its_run(asked: Prometheus) -> None:
    """Neither by the alert of docs/monitoring.md nor by the first panel of the dashboard: 2 is fail, 1 inconclusive."""
    page = (ROOT / "docs/monitoring.md").read_text()
    (alert,) = re.findall(r"^    (storage_acceptance\S+ == 1)$", page, re.MULTILINE)
    failed = {each["metric"]["candidate"] for each in asked.query(alert)}
    assert failed & CLASSES == {"bad"}
    (panel,) = [each for each in DASHBOARD["panels"] if each["title"] == "Verdict on the last run"]
    expression = panel["targets"][0]["expr"]
    shown = {name: asked.query(with_variables(expression, candidate=name)) for name in CLASSES}
    values = {name: [each["value"][1] for each in found] for name, found in shown.items()}
    assert values == {"good": ["0"], "bad": ["2"], "unsure": ["1"], "cut": ["1"], "left": ["1"]}


def test_every_variable_of_the_dashboard_has_values(asked: Prometheus) -> None:
    queries = [each["definition"] for each in DASHBOARD["templating"]["list"] if each["type"] == "query"]
    assert len(queries) == 4
    for query in queries:
        metric, label = re.fullmatch(r"label_values\((.*), (\w+)\)", query).groups()  # type: ignore[union-attr]
        assert asked.label_values(label, re.sub(r"\$\w+", ".*", metric)) != [], query


def test_the_gateway_has_the_values_of_the_results(asked: Prometheus, real_run: tuple[SuiteRun, Path]) -> None:
    results = real_run[0].results
    candidate = next(measurement for measurement in results["measurements"] if measurement["role"] == "candidate")
    (sample,) = asked.query('storage_acceptance_iops{role="candidate", bound="mean"}')
    assert float(sample["value"][1]) == pytest.approx(candidate["metrics"]["write.iops"]["mean"], rel=1e-9)
    assert sample["metric"]["job"] == "storage_acceptance"
    assert sample["metric"]["class"] == sample["metric"]["candidate"] == candidate["storage_class"]
    baseline = asked.query('storage_acceptance_latency_seconds{role="baseline", bound="mean", statistic="mean"}')
    assert [each["metric"]["class"] for each in baseline] == [results["settings"]["baseline_class"]]
    host = f'candidate="{candidate["storage_class"]}"'
    failed = asked.query(f'storage_acceptance_verdict{{status="fail", {host}}} == 1')
    assert [each["metric"]["metric"] for each in failed] == ["write.iops"]
    overall = asked.query(f"storage_acceptance_overall{{{host}}} == 1")
    assert [each["metric"]["status"] for each in overall] == ["fail"]


def test_the_file_is_read_by_the_textfile_collector(real_run: tuple[SuiteRun, Path], tmp_path: Path) -> None:
    latest = real_run[0].folder / "latest"
    with node_exporter(latest, tmp_path) as url:
        collected = read(f"{url}/metrics")
    assert "node_textfile_scrape_error 0" in collected
    in_file = {line for line in (latest / "metrics.prom").read_text().splitlines() if not line.startswith("#")}
    in_collector = {line for line in collected.splitlines() if line.startswith("storage_acceptance_")}
    assert {line.partition(" ")[0] for line in in_file} == {line.partition(" ")[0] for line in in_collector}


def test_the_summary_of_the_job_has_verdict_and_reasons(real_run: tuple[SuiteRun, Path]) -> None:
    text = real_run[1].read_text()
    assert text.startswith("## Storage acceptance: ❌ fail\n")
    assert "the test wants it so" in text and "Latency" in text


def test_the_terminal_has_one_table(real_run: tuple[SuiteRun, Path]) -> None:
    run = real_run[0]
    lines = [line for line in run.output.splitlines() if line.startswith(f"  {LOAD}")]
    assert [line.split()[-1] for line in lines] == ["pass", "fail"], lines
    assert re.search(r"\d (µs|ms) ", lines[0]) and " IOPS " in lines[1]
    assert "\x1b" not in run.output


def test_junit_has_verdicts_as_properties(real_run: tuple[SuiteRun, Path]) -> None:
    suite = ElementTree.parse(real_run[0].folder / "latest" / "junit.xml").getroot()[0]
    of_suite = {each.get("name"): each.get("value") for each in suite.findall("properties/property")}
    assert (of_suite["overall"], of_suite["complete"]) == ("fail", "True")
    (failed,) = [each for each in suite.iter("testcase") if each.find("failure") is not None]
    properties = {each.get("name"): each.get("value") for each in failed.findall("properties/property")}
    assert (properties["status"], properties["unit"]) == ("fail", "1/s")
    assert float(properties["low"] or "") <= float(properties["measured"] or "")


def test_a_gateway_that_is_down_leaves_the_verdict_as_it_was(runs: tuple[SuiteRun, Path, SuiteRun]) -> None:
    run = runs[2]
    assert run.status == 0, run.output
    assert run.results["overall"] == "partial"
    (warning,) = run.results["warnings"]
    assert warning.startswith("the Pushgateway did not receive the metrics: http://127.0.0.1:")
    assert re.search(r"^WARNING +the Pushgateway did not receive the metrics", run.output, re.MULTILINE)
    everything = run.output + "".join(path.read_text() for path in (run.folder / "latest").glob("*.*"))
    assert PASSWORD not in everything


def test_what_a_killed_run_found_is_there_whole(directories: tuple[str, ...], reports: Path, tmp_path: Path) -> None:
    (tmp_path / "killer.py").write_text(
        "import os, signal\n"
        "def pytest_runtest_protocol(item):\n"
        "    if 'read_by_a_new_pod' in item.nodeid:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    words = suite_command(
        *("-p", "killer", *directories, "-k", "test_written_data_is_read_back or read_by_a_new_pod"),
        reports=reports,
    )
    killed = subprocess.run(
        words,
        cwd=ROOT,
        env=suite_environment() | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=RUN_HANGS_S,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stdout
    (folder,) = [path for path in reports.iterdir() if not path.is_symlink()]
    (case,) = ElementTree.parse(folder / "junit.xml").getroot().iter("testcase")
    assert case.get("name", "").startswith("test_written_data_is_read_back")
    assert re.search(r"^storage_acceptance_complete{.*} 0.0$", (folder / "metrics.prom").read_text(), re.MULTILINE)

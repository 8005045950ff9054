"""Metrics that a profile never reports: what fio itself leaves out, and that limits on them are refused at once."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from acceptance.limits.file import load_limits
from acceptance.loads.fio.job_file import read_job_file
from acceptance.loads.fio.output import FioOutput
from acceptance.loads.profile_folder import find_profiles, missing_in
from acceptance.loads.profiles import Profile
from acceptance.loads.sysbench.profiles import read_options_file
from acceptance.measuring.metric_values import metric_value
from acceptance.results.metrics import Metric
from acceptance.text.errors import WrongUsage
from selftests.bounds import HANGS_S

ROOT = Path(__file__).parents[2]
BASE = """[global]
filename=${FILE}
size=${SIZE}
runtime=${RUNTIME}
time_based
ioengine=psync
bs=4k
rate_iops=100
rw=randrw
[load]
"""
METRICS = [
    Metric.parse(f"{direction}.{statistic}")
    for direction in ("read", "write", "sync")
    for statistic in ("iops", "latency.mean", "latency.p99")
]
ALL = {metric.path for metric in METRICS}
NO_SYNCS = {"sync.iops", "sync.latency.mean", "sync.latency.p99"}
NO_MEANS = {"read.latency.mean", "write.latency.mean"}
NO_PERCENTILES = {"read.latency.p99", "write.latency.p99"}
LEFT_OUT = {
    "fdatasync=1": set(),
    "": NO_SYNCS,
    "fdatasync=1\ngtod_reduce=1": NO_SYNCS | NO_MEANS | NO_PERCENTILES,
    "fsync=1\ngtod_reduce=1": (NO_SYNCS - {"sync.iops"}) | NO_MEANS | NO_PERCENTILES,
    "fsync=4\ndisable_clat=1": (NO_SYNCS - {"sync.iops"}) | NO_PERCENTILES,
    "fdatasync=1\ndisable_lat=1": NO_MEANS,
    "fdatasync=1\ndisable_clat=1": NO_SYNCS | NO_PERCENTILES,
    "fdatasync=1\nclat_percentiles=0": NO_PERCENTILES | {"sync.latency.p99"},
    "fdatasync=1\nclat_percentiles=0\nlat_percentiles=1": set(),
    "fdatasync=1\ndisable_clat=1\nlat_percentiles=1": NO_SYNCS,
    "fdatasync=1\ndisable_lat=1\nclat_percentiles=0\nlat_percentiles=1": NO_MEANS
    | NO_PERCENTILES
    | {"sync.latency.p99"},
    "gtod_reduce=1\ndisable_lat=0": NO_SYNCS | NO_PERCENTILES,
    "gtod_reduce=1\ndisable_clat=0": NO_SYNCS | NO_MEANS | NO_PERCENTILES,
    "gtod_reduce=1\ndisable_clat=0\nclat_percentiles=1": NO_SYNCS | NO_MEANS,
    "gtod_reduce=1\ngtod_reduce=0": NO_SYNCS | NO_MEANS | NO_PERCENTILES,
    "disable_slat=1\ndisable_bw=1\nfdatasync=1": set(),
    "rw=write\nfdatasync=1": {each for each in ALL if each.startswith("read")},
    "rw=randread\nfdatasync=1": {each for each in ALL if not each.startswith("read")},
    "rwmixread=100": {each for each in ALL if not each.startswith("read")},
    "rwmixwrite=100\nfsync=1": {each for each in ALL if each.startswith("read")},
    "sync=1\nend_fsync=1": NO_SYNCS,
    "sync_file_range=wait_before:1": set(),
}


def profile(folder: Path, options: str) -> Profile:
    folder.mkdir(exist_ok=True)
    (folder / "load.fio").write_text(f"{BASE}{options}\n", encoding="utf-8")
    return read_job_file(folder / "load.fio")


def reported_by_fio(folder: Path, options: str) -> set[str]:
    """Return the metrics that fio shows in seconds of load with these options."""
    job = profile(folder, options).path
    environment = {"FILE": str(folder / "file"), "SIZE": "4m", "RUNTIME": "3s", "PATH": os.environ["PATH"]}
    command = ["fio", "--output-format=json+", "--status-interval=1", "--eta=never", str(job)]
    printed = subprocess.run(command, env=environment, capture_output=True, check=True, timeout=HANGS_S).stdout
    output = FioOutput(jobs=["load"])
    output.feed(printed)
    output.close()
    assert output.error is None and output.samples
    return {metric.path for metric in METRICS if metric_value(metric, output.samples)}


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, set[str]]]:
    """What fio showed with each of the options: little load, so all of them at once."""
    folder = tmp_path_factory.mktemp("loads")
    with ThreadPoolExecutor(len(LEFT_OUT)) as pool:
        numbered = enumerate(LEFT_OUT)
        runs = {options: pool.submit(reported_by_fio, folder / str(number), options) for number, options in numbered}
        yield {options: run.result() for options, run in runs.items()}


@pytest.mark.parametrize("options", LEFT_OUT)
def test_what_is_said_to_be_missing_is_what_fio_leaves_out(
    options: str, shown: dict[str, set[str]], tmp_path: Path
) -> None:
    load = profile(tmp_path, options)
    assert {metric.path for metric in METRICS if load.missing(metric)} == LEFT_OUT[options] == ALL - shown[options]
    assert not any(load.missing(Metric.parse(path)) for path in ("cpu.use", "stall.longest"))


def test_the_reason_names_the_options(tmp_path: Path) -> None:
    load = profile(tmp_path, "gtod_reduce=1 # fast\nfdatasync=1")
    assert load.missing(Metric.parse("read.latency.p99")) == "it reports no such latencies with gtod_reduce=1"
    assert load.missing(Metric.parse("sync.iops")) == "it reports no syncs with gtod_reduce=1"


def test_what_one_section_reports_is_reported(tmp_path: Path) -> None:
    load = profile(tmp_path, "gtod_reduce=1\n[log]\nrw=write\nfdatasync=1\ngtod_reduce=0\n")
    assert not any(load.missing(Metric.parse(path)) for path in ("write.latency.p99", "sync.latency.p99"))
    assert load.missing(Metric.parse("read.latency.mean"))


def test_sysbench_reports_no_latencies_and_no_cpu_time() -> None:
    load = read_options_file(ROOT / "profiles" / "sysbench-random-mixed.sysbench")
    missing = {
        path for path in (*ALL, "cpu.use", "cpu.per_operation", "stall.longest") if load.missing(Metric.parse(path))
    }
    assert missing == {"cpu.use", "cpu.per_operation"} | {path for path in ALL if "latency" in path}


SECTIONS = {
    "limits: {load: {read.latency.mean: {at_most: 1ms, because: b}}}": "limits.load.read.latency.mean",
    "comparison: {load: {read.latency.p99: {not_worse_than_baseline_by: 9%, because: b}}}": (
        "comparison.load.read.latency.p99"
    ),
    "sustained: {load: {sync.latency.p99: {at_most: 1ms, because: b}}}": "sustained.load.sync.latency.p99",
    "latency_under_load: {load: {read.latency.p99: {at_most: 1ms, of_capacity: 50%, because: b}}}": (
        "latency_under_load.load.read.latency.p99"
    ),
    "noisy_neighbors: {load: {read.latency.p99: {at_most: 1ms, of_capacity: 50%, because: b}}}": (
        "noisy_neighbors.load.read.latency.p99"
    ),
    "scaling: {load: {metric: read.iops, latency_growth: {metric: read.latency.mean, at_most: 2x, because: b}}}": (
        "scaling.load.latency_growth"
    ),
    "history: {limits: {load: {read.latency.mean: {not_worse_by: 10%, because: b}}}}": (
        "history.limits.load.read.latency.mean"
    ),
}


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("inherited", [False, True])
def test_a_limit_on_what_is_never_reported_is_refused_with_file_and_line(
    section: str, inherited: bool, tmp_path: Path
) -> None:
    load = profile(tmp_path, "gtod_reduce=1")
    file = tmp_path / "limits.yaml"
    child = "  b: {extends: a}\n" if inherited else ""
    file.write_text(f"version: 1\ntiers:\n  a:\n    {section}\n{child}", encoding="utf-8")
    with pytest.raises(WrongUsage) as raised:
        load_limits(file, profiles=["load"], missing=missing_in({"load": load}))
    (line,) = str(raised.value).splitlines()
    assert line.startswith(
        f"{file}:4: tiers.a.{SECTIONS[section]}: expected a metric that profile load reports, found "
    )
    assert load_limits(file, profiles=["load"], missing=missing_in({})).tiers.keys() >= {"a"}


def test_the_shipped_limits_are_on_what_the_shipped_profiles_report() -> None:
    profiles = find_profiles(ROOT / "profiles")
    for folder in (path for path in (ROOT / "workloads").iterdir() if path.is_dir()):
        profiles |= find_profiles(folder)
    for file in (ROOT / "thresholds.yaml", *ROOT.glob("workloads/*/limits.yaml")):
        assert load_limits(file, profiles=profiles, missing=missing_in(profiles)).tiers

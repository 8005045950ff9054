"""The suite as its user runs it: a command line, an exit status, a run folder; and what is left in the cluster."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.objects import RUN_ID, RUN_LABEL, run_of
from acceptance.cluster.pod_manifest import MAIN
from acceptance.cluster.resources import NAMESPACES, PODS, VOLUMES, Object, Resource
from acceptance.cluster.waiting import wait_for
from selftests.bounds import HANGS_S, RUN_HANGS_S
from selftests.pytest_command import PYTEST, PYTEST_MODULE
from selftests.warm_start import run_module

ROOT = Path(__file__).parents[2]
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")
# Tests that disrupt a whole cluster have one for each worker; all others share one, as runs of the suite may.
CLUSTER_EACH = bool(os.environ.get("SELFTEST_CLUSTER_EACH"))
CLUSTER = "-".join(filter(None, [os.environ.get("SELFTEST_CLUSTER", "default"), WORKER if CLUSTER_EACH else ""]))
# Small enough to be written at once: what is looked at here is the suite, not the storage.
SMALL = ("--storage-volume-size", "160Mi", "--storage-test-size", "64Mi", "--storage-longest", "60s")
# Most runs here select a few tests of a tier: 0 means that those passed.
_PART = "--storage-partial=pass"
_REPORTS_TO = "--storage-report="
_OTHER_CLUSTER = ("--storage-cluster", "--storage-kubeconfig", "--storage-context")
# For a run to remove all that it made, on a busy machine.
ENDS_S = 180.0
# Where the runs that this process has started report to: so it knows its own from those of other workers.
_REPORTS: set[Path] = set()
READ_LIMIT = """\
version: 1
tiers:
  baseline:
    description: for a test of the suite
    limits:
      random-read-iops:
        read.iops: {at_least: 1, because: the test wants it so}
"""
"""a limits file with one limit that all storage reaches; its tier may go on below"""


@dataclass(frozen=True, kw_only=True)
class SuiteRun:
    """What a run of the suite left: its status, what it printed, its results."""

    status: int
    output: str
    folder: Path

    @property
    def results(self) -> dict[str, Any]:
        """`results.json`."""
        return json.loads((self.folder / "latest" / "results.json").read_text())

    def verdict(self, part: str) -> dict[str, Any]:
        """The only verdict whose test has `part` in its name."""
        found = [each for each in self.results["verdicts"] if part in each["test"]]
        assert len(found) == 1, [each["test"] for each in self.results["verdicts"]]
        return found[0]

    def passes(self, verdict: dict[str, Any]) -> bool:
        """Whether a verdict on a load is a pass, or would be one but for the machine, which slowed the load at its end.

        Nobody knows then what it comes to, so that it stays undecided, however far on the good side its interval lies.
        """
        asked = verdict["requirement"]
        slowed = any(
            (measurement["storage_class"], measurement["profile"]) == (verdict["storage_class"], asked["profile"])
            and measurement["slowed_down_after_s"] is not None
            for measurement in self.results["measurements"]
        )
        if (verdict["status"], verdict["outcome"]["code"], slowed) != ("inconclusive", "limit.too_short", True):
            return bool(verdict["status"] == "pass")
        at_least = asked["operator"] == "at_least"
        return bool(verdict["low"] >= asked["bound"] if at_least else verdict["high"] <= asked["bound"])

    def require_passed(self, *, verdicts: int) -> None:
        """See that so many verdicts on loads pass, as `passes` has it, and that the exit status is theirs."""
        judged = [verdict for verdict in self.results["verdicts"] if verdict["status"] != "skipped"]
        assert [self.passes(each) for each in judged] == [True] * verdicts, self.output
        undecided = any(each["status"] == "inconclusive" for each in judged)
        assert self.status == (6 if undecided else 0), self.output


def suite_command(*options: str, reports: Path) -> list[str]:
    """The command line of a run; options that come later win."""
    _REPORTS.add(reports)
    elsewhere = any(option.startswith(_OTHER_CLUSTER) for option in options)
    cluster = [] if elsewhere else [f"--storage-embedded-name={CLUSTER}"]
    return [*PYTEST, f"{_REPORTS_TO}{reports}", *cluster, *SMALL, _PART, *options]


def suite_environment() -> dict[str, str]:
    """The environment of a user who has set nothing."""
    return {
        key: value for key, value in os.environ.items() if not key.startswith(("STORAGE_", "PYTEST_", "KUBECONFIG"))
    }


@contextmanager
def started_suite(
    *options: str, reports: Path, environment: dict[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A run that goes on while the block does things to it; ended if it goes on after that."""
    process = subprocess.Popen(
        suite_command(*options, reports=reports),
        cwd=ROOT,
        env=suite_environment() | (environment or {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield process
    finally:
        end(process)


def end(process: subprocess.Popen[str]) -> None:
    """End a run by SIGTERM, by force where it hangs; a shell's background jobs take no SIGINT.

    A test that failed in the midst of one so leaves nothing of it for the next test to find.
    """
    if process.poll() is None:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=ENDS_S)
    process.kill()
    process.wait()


def finish(process: subprocess.Popen[str], *, reports: Path, timeout: float = RUN_HANGS_S) -> SuiteRun:
    """Wait for a started run to end. One that does not is ended as a user would end it, and tells where it was.

    So it leaves nothing that the tests after it would find. One that hangs even then tells where its threads are.
    """
    try:
        output, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.terminate()
        try:
            output, _ = process.communicate(timeout=ENDS_S)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGABRT)  # pytest's faulthandler writes all stacks
            output, _ = process.communicate(timeout=ENDS_S)
        pytest.fail(f"the run had not ended after {timeout:.0f} s:\n{output}")
    return SuiteRun(status=process.returncode, output=output, folder=reports)


def wait_for_load(api: Api, *, profile: str = "sync-write-iops", timeout_s: float = HANGS_S) -> Object:
    """Wait until a pod of the profile runs; the pod."""

    def running() -> list[Object]:
        pods = own(api, PODS)
        return [
            pod for pod in pods if pod["metadata"]["name"].startswith(profile) and pod["status"]["phase"] == "Running"
        ]

    return wait_for(
        f"a pod of {profile} to run",
        look=running,
        ready=bool,
        state=lambda seen: f"{len(seen)} pods",
        timeout_s=timeout_s,
    )[0]


def wait_for_counted_seconds(api: Api, count: int) -> None:
    """Wait until fio has told of so many seconds after its ramp, of two."""
    pod = wait_for_load(api)["metadata"]
    wait_for(
        f"{count} seconds of load",
        look=lambda: api.log(pod["name"], namespace=pod["namespace"], container=MAIN).count('"timestamp_ms"') - 2,
        ready=lambda seen: seen >= count,
        state=lambda seen: f"{seen} seconds",
        timeout_s=HANGS_S,
    )


def run_suite(
    *options: str, reports: Path, environment: dict[str, str] | None = None, timeout: float = RUN_HANGS_S
) -> SuiteRun:
    """Run the suite to its end: without a new interpreter, which none of its tests does anything to.

    One that does not end is ended as a user would end it, then tells where its threads are: as of `finish`.
    """
    words = suite_command(*options, reports=reports)[len(PYTEST) - len(PYTEST_MODULE) :]
    try:
        ended = run_module(
            *words,
            folder=ROOT,
            environment=suite_environment() | (environment or {}),
            timeout_s=timeout,
            together=True,
            asked_by=(signal.SIGTERM, signal.SIGABRT),
            ends_s=ENDS_S,
        )
    except subprocess.TimeoutExpired as late:
        pytest.fail(f"the run had not ended after {timeout:.0f} s:\n{late.output}")
    return SuiteRun(status=ended.returncode, output=ended.stdout, folder=reports)


def own_runs() -> set[str]:
    """The ids of all runs that this process has started."""
    return runs_in(_REPORTS)


def runs_of_others() -> set[str]:
    """The ids of runs that go on on this host, and that other sessions of tests have started."""
    words = (word for pid in psutil.pids() for word in _command_line(pid) if word.startswith(_REPORTS_TO))
    return runs_in({Path(word.removeprefix(_REPORTS_TO)) for word in words} - _REPORTS)


def runs_in(reports: Collection[Path]) -> set[str]:
    """The ids of all runs whose reports are in those folders."""
    folders = (path for folder in reports if folder.is_dir() for path in folder.iterdir())
    return {each.name for each in folders if RUN_ID.fullmatch(each.name)}


def _command_line(pid: int) -> list[str]:
    """Empty of a process that has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").split("\0")
    except OSError:
        return []


def run_in(reports: Path) -> str:
    """The id of the only run whose report is there."""
    (run_id,) = (path.name for path in reports.iterdir() if RUN_ID.fullmatch(path.name))
    return run_id


def own(api: Api, resource: Resource) -> list[Object]:
    """All objects of a kind that carry the label of such a run."""
    return api.list(resource, labels=f"{RUN_LABEL} in ({','.join(sorted(own_runs()))})") if own_runs() else []


def left_behind(api: Api, *, by_anyone: bool = False) -> list[str]:
    """All namespaces and volumes of the runs of this process that are still in the cluster, or of any run."""
    runs = own_runs()

    def counts(run_id: str | None) -> bool:
        return run_id is not None if by_anyone else run_id in runs

    namespaces = [each["metadata"]["name"] for each in api.list(NAMESPACES)]
    volumes = [
        each["metadata"]["name"]
        for each in api.list(VOLUMES)
        if counts(run_of((each["spec"].get("claimRef") or {}).get("namespace", "")))
        or counts((each["metadata"].get("labels") or {}).get(RUN_LABEL))
    ]
    return [name for name in namespaces if counts(run_of(name))] + volumes


def limits_file(folder: Path, *, iops: int, margin: str = "20%") -> Path:
    """A limits file whose tier asks for so many synchronous writes a second, and nothing else."""
    path = folder / "limits.yaml"
    path.write_text(
        f"""\
version: 1
tiers:
  baseline:
    description: for a test of the suite
    limits:
      sync-write-iops:
        write.iops: {{at_least: {iops}, because: the test wants it so}}
    comparison:
      sync-write-iops:
        write.iops: {{not_better_than_baseline_by: {margin}, because: it was not durable when it was acknowledged}}
"""
    )
    return path

"""`--storage-plan` on a real cluster creates nothing and says about how long a run takes; a run says what is left."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from acceptance.planning.table import ENDS_BEFORE
from embedded_cluster import EmbeddedCluster
from selftests.integration.suite import ROOT, run_suite
from selftests.lab.api_proxy import ApiProxy, api_proxy

MAIN_JOB_MIN = 7.0
"""How long the run of `make accept` takes, without the cluster's start and end, as measured on a slow machine."""
ASKED_BEFOREHAND = "/selfsubjectaccessreviews"
LEFT = r"\((less than a minute left(, at most \d min)?|at most \d min left)\)"
"""the time left of a run of less than a minute, whose loads may continue"""


@pytest.fixture
def proxy(cluster: EmbeddedCluster, tmp_path: Path) -> Iterator[ApiProxy]:
    """Sees what is asked of the API server; a kubeconfig in `tmp_path` leads through it."""
    with api_proxy(cluster.kubeconfig) as made:
        made.write_kubeconfig(tmp_path / "kubeconfig")
        yield made


def test_a_plan_creates_nothing(proxy: ApiProxy, clean: Api, reports: Path, tmp_path: Path) -> None:
    """All is read, but for the questions what the account may do; no run folder is made."""
    through = f"--storage-kubeconfig={tmp_path / 'kubeconfig'}"
    run = run_suite(
        "--storage-plan", "--storage-destructive", through, "--storage-class", "replicated", reports=reports
    )
    assert run.status == 0, run.output
    writes = {each for each in proxy.asked if not each.startswith("GET ")}
    assert writes and all(write.startswith("POST ") and write.endswith(ASKED_BEFOREHAND) for write in writes)
    assert not reports.exists()
    assert "random-write-iops on replicated" in run.output
    assert "capability 'expansion': StorageClass replicated does not allow it" in run.output
    assert "capability 'rebuild driver': none for StorageClass replicated" in run.output


def test_what_a_run_would_fail_of_is_said(cluster: EmbeddedCluster, reports: Path) -> None:
    run = run_suite("--storage-plan", "--storage-class=no-such-class", reports=reports)
    assert run.status == 0
    assert "no-such-class" in run.output.split(f"{ENDS_BEFORE}: ")[1]


def test_the_main_job_is_planned_to_take_as_long_as_it_takes(cluster: EmbeddedCluster, reports: Path) -> None:
    """Within a factor of one and a half."""
    tox = ConfigParser(interpolation=None)
    tox.read(ROOT / "tox.ini")
    words = shlex.split(tox["testenv:accept"]["commands"].replace("\\\n", " "))
    options = [word for word in words[words.index("pytest") + 1 :] if word != "{posargs}"]
    sizes = [] if any(option.startswith("--storage-test-size") for option in options) else ["--storage-test-size=1Gi"]
    run = run_suite("--storage-plan", "--storage-volume-size=3Gi", *sizes, *options, reports=reports)
    assert run.status == 0, run.output
    minutes = re.search(r"^Time: about (\d+) min", run.output, re.MULTILINE)
    assert minutes is not None, run.output
    assert MAIN_JOB_MIN / 1.5 <= int(minutes[1]) <= MAIN_JOB_MIN * 1.5


def test_a_run_says_how_much_longer_it_takes_and_obeys_its_target(tmp_path: Path, reports: Path) -> None:
    """A profile of 15 s, on a directory of this host; the target's settings hold where nobody asked for others."""
    target = tmp_path / "target.yaml"
    target.write_text(
        "about: a lab\nsettings: {timeout: 7min, durability_time: 3s}\n"
        "caveats: [{what: it is slow, source: https://example.com}]\n"
        "limits: [{what: not more than 3 volumes, source: https://example.com/limits}]\n"
    )
    run = run_suite(
        "--storage-cluster=host",
        f"--storage-class={tmp_path}",
        f"--storage-target={target}",
        "--storage-durability-time=4s",
        *("-k", "random-write-bandwidth"),
        reports=reports,
    )
    assert run.status in (0, 1, 6), run.output
    assert re.search(rf"^tests selected: \d {LEFT}$", run.output, re.MULTILINE), run.output
    # Each step says so, and a log has a line of them every 15 s: on a slow disk of the writing that comes first.
    load = r"random-write-bandwidth on .*: loaded \d+ s \(at most 60 s\), [0-9,.]+ IOPS"
    step = rf"(writing the test file on \S+: [0-9,.]+ \S+|{load})"
    assert re.search(rf"^{step} {LEFT}$", run.output, re.MULTILINE), run.output
    assert (run.results["settings"]["timeout"], run.results["settings"]["durability_time"]) == (420.0, 4.0)
    assert "storage target: a lab" in run.output and "it is slow (https://example.com)" in run.output
    assert "limit, not judged: not more than 3 volumes (https://example.com/limits)" in run.output

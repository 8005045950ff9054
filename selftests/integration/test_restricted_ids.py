"""On a cluster that takes pods as OpenShift does: those without ids of ours are let in, those with one are not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from selftests.integration.suite import READ_LIMIT, run_suite
from selftests.lab.restricted_v2 import REFUSED, restricted_v2

# The policy is on all runs of the cluster.
pytestmark = [pytest.mark.disrupts, pytest.mark.full]

SELECTED = (
    "binds_and_takes or random-read-iops or total_speed or (survive_a_killed_pod and not another) or fs_group_owns"
)
LIMITS = f"""\
{READ_LIMIT}    scaling:
      random-write-iops:
        metric: write.iops
        total_at_last_step: {{at_least: 1%, because: the test wants it so}}
"""


@pytest.fixture(scope="module")
def openshift(api: Api) -> Iterator[None]:
    with restricted_v2(api):
        yield


@pytest.fixture
def options(tmp_path: Path) -> tuple[str, ...]:
    """Pods of each kind: single ones, those of sets, and with a Job that owns these."""
    limits = tmp_path / "limits.yaml"
    limits.write_text(LIMITS)
    return (
        "--storage-class=replicated",
        f"--storage-thresholds={limits}",
        "--storage-scale-steps=1,2",
        "--storage-scale-window=4s",
        "--storage-durability-time=2s",
        "-k",
        SELECTED,
    )


def test_a_run_passes_whose_pods_ask_for_no_ids(
    openshift: None, options: tuple[str, ...], clean: Api, reports: Path
) -> None:
    run = run_suite(*options, reports=reports)
    assert run.status == 0, run.output
    group = run.verdict("fs_group_owns_the_volume")
    assert group["status"] == "skipped" and "the cluster assigns the groups of pods" in group["reason"]
    assert {verdict["status"] for verdict in run.results["verdicts"] if verdict != group} == {"pass"}
    assert run.results["scaling"]


def test_ids_of_ours_are_refused_and_said_to_be(
    openshift: None, options: tuple[str, ...], clean: Api, reports: Path
) -> None:
    run = run_suite(*options, "--storage-pod-user=65534", reports=reports)
    assert run.status == 10, run.output
    assert REFUSED in run.output

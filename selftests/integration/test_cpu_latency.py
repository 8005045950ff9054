"""On an embedded cluster the run itself keeps the CPUs awake, for as long as it lasts, unless it is told not to."""

from __future__ import annotations

from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from embedded_cluster.cpu_latency import FILE
from selftests.integration.faults import PROFILE, steady_load
from selftests.integration.remains import open_files
from selftests.integration.suite import finish, started_suite, wait_for_load

pytestmark = pytest.mark.skipif(not FILE.exists(), reason=f"this host has no {FILE}")


@pytest.mark.full
@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ([], {"held_low": True, "reason": None}),
        (["--storage-cpu-latency=unchanged"], {"held_low": False, "reason": "--storage-cpu-latency unchanged"}),
    ],
)
def test_cpus_are_kept_awake_by_the_run_unless_it_is_told_not_to(
    options: list[str], kept: dict[str, object], clean: Api, reports: Path, tmp_path: Path
) -> None:
    with started_suite(*steady_load(tmp_path), *options, reports=reports) as process:
        wait_for_load(clean, profile=PROFILE)
        held = FILE in open_files(process.pid)
        run = finish(process, reports=reports)
    assert run.status == 0, run.output
    assert (held, run.results["cluster"]["cpu_latency"]) == (kept["held_low"], kept)

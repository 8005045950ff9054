"""Results of the fio that an image holds are read right, or the fio is refused before the first load."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from acceptance.loads.fio.output import FioOutput
from acceptance.loads.fio.versions import too_old, version_check
from acceptance.loads.profiles import Profile
from acceptance.measuring.load_log import LoadLog
from acceptance.measuring.load_script import load_script
from acceptance.measuring.prefill import require_written
from acceptance.measuring.space_check import TOO_OLD, check_script, explain_refusal
from acceptance.text.errors import EnvironmentFailure
from acceptance.trials.scaling.pod_log import StepLog

SUPPORTED = ["3.18", "3.19", "3.25", "3.33", "3.33-3.el9", "3.36-dirty", "3.41", "3.41-12-gabc1", "3.100", "4.0"]
REFUSED = ["2.2.10", "2.15", "2.20", "2.99", "3.1", "3.12", "3.16", "3.17", "3.17-62-gabc1-dirty"]
OTHER = ["", "fio-", "fio-3", "fio-g1234", "3.33", "something else"]
BLOCK, PER_SECOND, LATENCY_US = 4096, 100, 250
SHELLS = [[path] for name in ("dash", "bash") if (path := shutil.which(name))]
SHELLS += [[path, "sh"] for path in [shutil.which("busybox")] if path]


def result(version: str, second: int) -> str:
    """What fio of this version prints of a job that does 100 operations of 250 us a second: names, units and all."""
    numbers = tuple(int(part) for part in version.split("-")[0].split(".")[:2])
    done = PER_SECOND * second
    micro, unit = numbers < (3, 0), "" if numbers < (3, 0) else "_ns"
    latency: dict[str, Any] = {"mean": LATENCY_US * (1 if micro else 1000)}
    if numbers >= (3, 18):
        latency["N"] = done
    completion = latency | {"bins": {str(LATENCY_US * (1 if micro else 1000)): done}}
    size = BLOCK * done // (1 if numbers >= (2, 21) else 1024)
    read = {"io_bytes": size, "runtime": 1000 * second, "total_ios": done}
    read |= {f"clat{unit}": completion, f"lat{unit}": latency}
    nothing: dict[str, Any] = {"io_bytes": 0, "runtime": 0, "total_ios": 0}
    job: dict[str, Any] = {"jobname": "a", "error": 0, "elapsed": second + 1, "read": read, "write": nothing}
    if numbers >= (3, 8):
        job["job_runtime"] = 1000 * second
    if numbers >= (3, 12):
        job["sync"] = {"total_ios": 0}
    if numbers >= (3, 36):
        job["job_start"] = 1_700_000_000_000
    found: dict[str, Any] = {"fio version": f"fio-{version}", "timestamp": 1_700_000_000 + second, "jobs": [job]}
    if numbers >= (2, 15):
        found["timestamp_ms"] = 1000 * found["timestamp"]
    return json.dumps(found, indent=1) + "\n"


def printed(version: str) -> FioOutput:
    output = FioOutput(jobs=["a"])
    for second in (1, 2, 3):
        output.feed(result(version, second).encode())
    output.close()
    return output


@pytest.mark.parametrize("version", SUPPORTED)
def test_results_of_supported_versions_are_read_right(version: str) -> None:
    output = printed(version)
    assert (output.error, output.unreadable, output.fio_version) == (None, None, f"fio-{version}")
    assert [(sample.duration_s, sample.counts["read"].ios) for sample in output.samples] == [(1.0, PER_SECOND)] * 2
    for sample in output.samples:
        counts = sample.counts["read"]
        assert (counts.bytes, counts.latencies) == (BLOCK * PER_SECOND, PER_SECOND)
        assert counts.latency_sum_s == pytest.approx(PER_SECOND * LATENCY_US / 1e6)
        assert dict(counts.histogram) == {LATENCY_US * 1000: PER_SECOND}


@pytest.mark.parametrize("version", REFUSED)
def test_results_of_other_versions_make_no_figure_and_no_error_of_the_storage(version: str) -> None:
    output = printed(version)
    assert (output.error, output.samples) == (None, [])
    assert output.unreadable is not None and f"fio-{version}" in output.unreadable and "3.18" in output.unreadable


@pytest.mark.parametrize("lost", ["timestamp_ms", "jobs", "read", "sync", "N"])
def test_a_result_of_another_shape_makes_no_figure(lost: str) -> None:
    def without(given: Any) -> Any:
        return (
            {key: without(value) for key, value in given.items() if key != lost} if isinstance(given, dict) else given
        )

    document = json.loads(result("3.33", 1))
    document["jobs"] = [without(job) for job in document["jobs"]]
    document.pop(lost, None)
    output = FioOutput(jobs=["a"])
    output.feed((json.dumps(document, indent=1) + "\n").encode())
    assert output.unreadable is not None and (output.error, output.samples) == (None, [])


def test_a_step_of_a_scale_run_is_not_measured_by_such_a_fio() -> None:
    step = StepLog(jobs=["a"])
    step.feed(result("2.2.10", 1) + result("2.2.10", 2), arrived_s=0)
    assert step.unreadable is not None and (step.error, step.samples, step.offset_s) == (None, [], None)


@pytest.mark.parametrize(
    ("text", "refused"),
    [(f"fio-{each}", False) for each in SUPPORTED]
    + [(f"fio-{each}", True) for each in REFUSED]
    + [(x, True) for x in OTHER],
)
@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: Path(shell[0]).name)
def test_the_check_in_a_pod_knows_the_same_versions(shell: list[str], text: str, refused: bool) -> None:
    script = f'fio() {{ echo "$SAID"; }}\ncheck() {{ {version_check(status=7)} }}\ncheck'
    done = subprocess.run([*shell, "-c", script], env={**os.environ, "SAID": text}, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (7 if refused else 0, b"")
    assert too_old(text) == refused


def test_fio_that_only_writes_the_file_of_sysbench_may_be_older(tmp_path: Path) -> None:
    sysbench = Profile(name="a", path=Path("a.sysbench"), text="", about="", program="sysbench")
    fio = Profile(name="b", path=Path("b.fio"), text="", about="")
    checks = [
        check_script(each, space=1, together=1, claim_size=None) for each in ([], [fio], [sysbench, fio], [sysbench])
    ]
    assert ["fio --version" in check for check in checks] == [True, True, True, False]
    log = LoadLog(new_output=lambda: FioOutput(jobs=["a"]))
    log.feed(f"\nstorage-acceptance: segment 0\n{result('2.15', 1)}\nstorage-acceptance: ended 0\n".encode())
    require_written(log, where="here", space=1, is_measured=False)


def test_before_the_first_load_such_a_fio_is_an_error_of_the_environment(tmp_path: Path) -> None:
    program = tmp_path / "fio"
    program.write_text("#!/bin/sh\necho fio-3.16\n")
    program.chmod(0o755)
    check = check_script([], space=4096, together=1, claim_size=None)
    done = subprocess.run(
        ["sh", "-c", load_script("echo loaded", check=check), "load", str(tmp_path / "a")],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        check=False,
    )
    log = LoadLog(new_output=lambda: FioOutput(jobs=["a"]))
    log.feed(done.stdout)
    assert (log.check_status, log.segments) == (TOO_OLD, [])
    error = explain_refusal(TOO_OLD, log.before, where="here", space=1)
    assert isinstance(error, EnvironmentFailure)
    assert all(said in str(error) for said in ("fio-3.16", "3.18", "--storage-image"))


@pytest.mark.parametrize("text", [result("2.15", 1), "read : io=1456.0KB, bw=1603.6KB/s, iops=405\n"])
def test_a_test_file_that_such_a_fio_wrote_is_no_fault_of_the_storage(text: str) -> None:
    log = LoadLog(new_output=lambda: FioOutput(jobs=["a"]))
    log.feed(f"\nstorage-acceptance: segment 0\n{text}\nstorage-acceptance: ended 0\n".encode())
    with pytest.raises(EnvironmentFailure, match="here"):
        require_written(log, where="here", space=1)

"""A load for tests that break something while it runs: as short as one can be, on limits that any storage meets."""

from __future__ import annotations

from pathlib import Path

from selftests.integration.suite import SuiteRun

PROFILE = "steady"
_JOB = """\
# One operation at a time.
[NAME]
filename=${FILE}
size=${SIZE}
runtime=${RUNTIME}
time_based
direct=1
ioengine=psync
bs=4k
rate_iops=100
"""
_READS = "readwrite=randread\n"
# Writes that wait until they are durable are judged late.
_WRITES = "readwrite=randwrite\nfdatasync=1\n"
_LIMITS = """\
version: 1
tiers:
  baseline:
    description: for a test of the suite
    limits:
"""
_LIMIT = """\
      NAME:
        METRIC: {at_least: 10, because: the test wants it so}
"""


def steady_load(folder: Path, *, times: int = 1, writes: bool = False, storage_class: str = "local-path") -> list[str]:
    """The options for so many measurements of some 40 s, each in a pod whose name begins with PROFILE.

    That long though the rate is ten times the limit: nearer to it, a busy machine that lets fio do nothing for a while,
    and all of it later, would leave the verdict open.
    """
    profiles, limits = folder / "profiles", folder / "limits.yaml"
    profiles.mkdir()
    names = [PROFILE, *(f"{PROFILE}{number}" for number in range(2, times + 1))]
    for name in names:
        (profiles / f"{name}.fio").write_text(_JOB.replace("NAME", name) + (_WRITES if writes else _READS))
    limit = _LIMIT.replace("METRIC", "write.iops" if writes else "read.iops")
    limits.write_text(_LIMITS + "".join(limit.replace("NAME", name) for name in names))
    options = [f"--storage-profiles={profiles}", f"--storage-thresholds={limits}", "--storage-class", storage_class]
    return [*options, "--storage-load-time=36s", "-m", "data_plane", "-k", PROFILE]


def assert_measured_well(run: SuiteRun, *, times: int = 1, metric: str = "read.iops") -> None:
    """The fault was borne: the verdict stands, on seconds of load that are all there and each there once."""
    run.require_passed(verdicts=times)
    assert len(run.results["measurements"]) == times
    for measurement in run.results["measurements"]:
        seconds = measurement["series"][metric]
        # Up to the minute, and what a fio that spoke late adds to it; each is one, rounded.
        assert 12 <= len(seconds) <= 70 and measurement["duration_s"] <= 1.5 * len(seconds)
        # As the load is set, none counted twice; on a busy disk less.
        assert 10 < sum(seconds) / len(seconds) < 150, seconds
    assert run.results["errors"] == []

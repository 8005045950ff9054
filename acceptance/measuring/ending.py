"""The ending of a load: successful, or with the load generator's own words for the error."""

from __future__ import annotations

import math

from acceptance.measuring.load import Load
from acceptance.measuring.load_log import LoadLog
from acceptance.measuring.load_script import KILLED_STATUS
from acceptance.measuring.prefill import SLOWEST_B_PER_S
from acceptance.text.errors import EnvironmentFailure, StorageFailure

# Of the requested seconds; with fewer, the load ended too early. A short turn may lack one more: the beginning of a
# stall is known to within a quarter of a second, and operations after fio's last whole second are dropped.
COMPLETE_SHARE, UNSEEN_S = 0.8, 1.0
# The first second only yields the point to count from.
UNCOUNTED_S = 1


def longest_s(load: Load) -> int:
    """Return the maximum duration of the load (s).

    Each segment has its ramp, its load, and a second to begin and to end. Then the page cache is flushed, which can
    hold as much as the test file. A profile with its own files writes them first, once for each volume.
    """
    writing_s = load.volumes[0].test_size // SLOWEST_B_PER_S
    beside_s = math.ceil(load.profile.ramp_s) + 2 + (writing_s if load.profile.is_buffered else 0)
    return (
        sum(load.runtimes_s)
        + len(load.order) * beside_s
        + (len(load.volumes) * writing_s if load.profile.own_files else 0)
    )


def require_success(load: Load, log: LoadLog, *, stopped_early: bool) -> None:
    """Check that every segment succeeded; `stopped_early`: the suite itself ended the last one.

    Raises StorageFailure if the candidate failed, EnvironmentFailure if the baseline did (then there is nothing to
    compare with), if the cluster killed the load, or if the suite cannot read the load generator's output.
    """
    for number, output in enumerate(log.segments):
        last = number == len(log.segments) - 1
        volume = load.volumes[load.order[number]]
        where = f"{load.name} on StorageClass {volume.storage_class}"
        failure = StorageFailure if volume is load.volumes[-1] else EnvironmentFailure
        if last and log.exit_status == KILLED_STATUS:
            raise EnvironmentFailure(f"{where} was killed, most likely by the OOM killer: {output.messages}")
        if output.unreadable:
            raise EnvironmentFailure(f"{where} cannot be measured: {output.unreadable}")
        if output.error and not (last and stopped_early):
            raise failure(f"{where} failed: {output.messages}; {output.error}")
        if last and not stopped_early and log.exit_status:
            raise failure(f"{where} failed with status {log.exit_status}: {output.messages}")
        if not (last and stopped_early) and not output.fio_version:
            raise EnvironmentFailure(f"{where} ended without a result of its load generator: {output.messages}")
        loaded_s, asked_s = sum(sample.duration_s for sample in output.samples), load.runtimes_s[number]
        whole_s = asked_s - UNCOUNTED_S
        if not (last and stopped_early) and loaded_s < min(COMPLETE_SHARE * whole_s, whole_s - UNSEEN_S):
            raise failure(
                f"{where} ended after {loaded_s:.0f} of {asked_s} s and reported no error; messages: {output.messages}"
            )

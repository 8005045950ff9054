"""How a load ended: well, or with the load generator's own words for what went wrong."""

from __future__ import annotations

import math

from acceptance.measuring.load import Load
from acceptance.measuring.load_log import LoadLog
from acceptance.measuring.load_script import KILLED
from acceptance.measuring.prefill import SLOWEST_B_PER_S
from acceptance.text.errors import EnvironmentFailure, StorageFailure

# Of the seconds asked for; with fewer, the load ended before its time. A short turn may lack one more: the beginning of
# a standstill is known to within a quarter of it, and what fio did after its last whole second is dropped.
COMPLETE_SHARE, UNSEEN_S = 0.8, 1.0
# The first second only gives the point to count from.
UNCOUNTED_S = 1


def longest_s(load: Load) -> int:
    """The seconds that the load takes at the longest.

    Each segment: ramp, load, and a second to begin and to end; what goes through the page cache is flushed then, and
    can be as much as the test file. A profile with files of its own writes these first, once for each volume.
    """
    writing_s = load.volumes[0].test_size // SLOWEST_B_PER_S
    beside_s = math.ceil(load.profile.ramp_s) + 2 + (writing_s if load.profile.buffered else 0)
    return (
        sum(load.runtimes_s)
        + len(load.order) * beside_s
        + (len(load.volumes) * writing_s if load.profile.own_files else 0)
    )


def require_success(load: Load, log: LoadLog, *, stopped: bool) -> None:
    """See that every segment did what it should; `stopped`: that the suite itself ended the last one.

    Raises StorageFailure when the candidate failed, EnvironmentFailure when the baseline did (then there is nothing to
    compare with), when the cluster killed the load and when the suite cannot read what the load generator printed.
    """
    for number, output in enumerate(log.segments):
        last = number == len(log.segments) - 1
        volume = load.volumes[load.order[number]]
        where = f"{load.name} on StorageClass {volume.storage_class}"
        failure = StorageFailure if volume is load.volumes[-1] else EnvironmentFailure
        if last and log.ended == KILLED:
            raise EnvironmentFailure(f"{where} was killed, most likely by the OOM killer: {output.messages}")
        if output.unreadable:
            raise EnvironmentFailure(f"{where} cannot be measured: {output.unreadable}")
        if output.error and not (last and stopped):
            raise failure(f"{where} failed: {output.messages}; {output.error}")
        if last and not stopped and log.ended:
            raise failure(f"{where} failed with status {log.ended}: {output.messages}")
        if not (last and stopped) and not output.fio_version:
            raise EnvironmentFailure(f"{where} ended without a result of its load generator: {output.messages}")
        loaded_s, asked_s = sum(sample.duration_s for sample in output.samples), load.runtimes_s[number]
        whole_s = asked_s - UNCOUNTED_S
        if not (last and stopped) and loaded_s < min(COMPLETE_SHARE * whole_s, whole_s - UNSEEN_S):
            raise failure(f"{where} ended after {loaded_s:.0f} of {asked_s} s without saying why: {output.messages}")

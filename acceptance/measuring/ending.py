"""How a load ended: well, or with the load generator's own words for what went wrong."""

from __future__ import annotations

import math

from acceptance.errors import EnvironmentFailure, StorageFailure
from acceptance.measuring.load import Load
from acceptance.measuring.load_log import LoadLog

# Of the seconds asked for; with fewer, the load ended before its time.
COMPLETE_SHARE = 0.8
# The first second only gives the point to count from.
UNCOUNTED_S = 1
KILLED = 128 + 9


def seconds_of_load(load: Load) -> int:
    """The seconds that one segment takes at the longest: ramp, load, and a second to begin and to end."""
    return math.ceil(load.profile.ramp_s) + load.runtime_s + 2


def require_success(load: Load, log: LoadLog, *, stopped: bool) -> None:
    """See that every segment did what it should; `stopped`: that the suite itself ended the last one.

    Raises StorageFailure, naming the class that was loaded, EnvironmentFailure when the cluster killed the load.
    """
    for number, output in enumerate(log.segments):
        last = number == len(log.segments) - 1
        where = f"{load.name} on storage class {load.volumes[load.order[number]].storage_class}"
        if last and log.ended == KILLED:
            raise EnvironmentFailure(f"{where} was killed, most likely for want of memory: {output.messages}")
        if output.error and not (last and stopped):
            raise StorageFailure(f"{where} failed: {output.messages}; {output.error}")
        if last and not stopped and log.ended:
            raise StorageFailure(f"{where} failed with status {log.ended}: {output.messages}")
        loaded_s = sum(sample.duration_s for sample in output.samples)
        if not (last and stopped) and loaded_s < COMPLETE_SHARE * (load.runtime_s - UNCOUNTED_S):
            raise StorageFailure(
                f"{where} ended after {loaded_s:.0f} of {load.runtime_s} s without saying why: {output.messages}"
            )

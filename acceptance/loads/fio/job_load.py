"""The load of a job file's jobs, from checked options: where and how they load, and what fio reports of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from acceptance.loads.extents import NO_BYTES, Extent
from acceptance.loads.fio.job_sections import Job, Option
from acceptance.loads.fio.option_values import amount_of, flag_of, number_of, processes_of, seconds_of, sync_of
from acceptance.loads.reported import ReportedMetrics
from acceptance.results.metrics import Direction

_READS = {"read", "randread", "rw", "randrw", "readwrite"}
_WRITES = {"write", "randwrite", "rw", "randrw", "readwrite"}
_DEFAULT_MODE = "read"


def waiting_s(job: Job) -> float:
    """Return the seconds before those that count: the start delay of the job, and its ramp."""
    return seconds_of(job.value("startdelay", default="0")) + seconds_of(job.value("ramp_time", default="0"))


def extent_of(job: Job) -> Extent:
    """Return the part of the test file that the job loads. To fio, a size of 0 is no size."""
    size = amount_of(job.value("size", default="0"))
    return Extent(
        job=job.name,
        start=amount_of(job.value("offset", default="0")),
        step=amount_of(job.value("offset_increment", default="0")),
        processes=processes_of(job.value("numjobs", default="1")),
        size=None if size in (NO_BYTES, amount_of("0%")) else size,
    )


def is_buffered(job: Job) -> bool:
    """Return whether it loads through the page cache, without `direct=1` or `buffered=0`, which are the same to fio."""
    option = job.last("direct", "buffered")
    return option is None or flag_of(option.value or "") is (option.name == "buffered")


def is_durable(job: Job) -> bool:
    """Return whether each write of the job waits until it is on the disk."""
    after_each = any(number_of(job.value(name, default="0")) == 1 for name in ("fsync", "fdatasync"))
    return after_each or sync_of(job.value("sync", default="0"))


def reported_by(jobs: Sequence[Job]) -> ReportedMetrics:
    """Return what fio reports of the jobs together."""
    parts = [_metrics_of(job) for job in jobs]
    off = [f"{option.name}={option.value}" for job in jobs for option in job.options if _is_a_clock_off(option)]
    return ReportedMetrics(
        operations=frozenset(direction for part in parts for direction in part.operations),
        means=frozenset(direction for part in parts for direction in part.means),
        percentiles=frozenset(direction for part in parts for direction in part.percentiles),
        without=f" with {', '.join(dict.fromkeys(off))}" if off else "",
    )


def _metrics_of(job: Job) -> ReportedMetrics:
    """Return what fio reports of one job.

    fio counts fdatasyncs by their latencies, so it counts none without completion latencies. It does count fsyncs.
    """
    clocks = _clocks(job)
    directions = frozenset(directions_of(job))
    completions, totals, percentiles = clocks["disable_clat"], clocks["disable_lat"], clocks["clat_percentiles"]
    of_totals = totals and clocks["lat_percentiles"]
    syncs: set[Direction] = {"sync"} if completions else set()
    counted_syncs: set[Direction] = {"sync"} if completions or job.value("fsync", default="0") != "0" else set()
    transfers: set[Direction] = {"read", "write"}
    return ReportedMetrics(
        operations=directions & (transfers | counted_syncs),
        means=directions & ((transfers if totals else set()) | syncs),
        percentiles=directions
        & (
            (transfers if of_totals or (completions and percentiles) else set())
            | (syncs if percentiles or of_totals else set())
        ),
    )


def _clocks(job: Job) -> dict[str, bool]:
    """Return which latencies fio measures, by the option for each. A later option overrides an earlier one.

    Source: `str_gtod_reduce_cb` (options.c) of fio; tried with fio 3.33.
    """
    clocks = {"disable_lat": True, "disable_clat": True, "clat_percentiles": True, "lat_percentiles": False}
    for option in job.options:
        if option.name == "gtod_reduce" and option.value == "1":
            clocks = dict.fromkeys(clocks, False)
        elif option.name in clocks:
            clocks[option.name] = (option.value == "1") is not option.name.startswith("disable_")
    return clocks


def _is_a_clock_off(option: Option) -> bool:
    off = {"gtod_reduce": "1", "disable_lat": "1", "disable_clat": "1", "clat_percentiles": "0"}
    return option.name in off and off[option.name] == option.value


def directions_of(job: Job) -> Iterator[Direction]:
    """Yield the directions of the job: reads, writes, and syncs of what it wrote."""
    mode = job.value("rw", "readwrite", default=_DEFAULT_MODE).partition(":")[0]
    is_mixed = mode in _READS & _WRITES
    reads = _share_of_reads(job) if is_mixed else 100 * (mode in _READS)
    if reads > 0:
        yield "read"
    if reads < 100:
        yield "write"
        if any(job.value(name, default="0") != "0" for name in ("fsync", "fdatasync", "sync_file_range")):
            yield "sync"


def _share_of_reads(job: Job) -> int:
    """Return the share of reads in percent. fio takes the share of reads or of writes, and computes the other."""
    option = job.last("rwmixread", "rwmixwrite")
    share = 50 if option is None else min(100, number_of(option.value or ""))
    return 100 - share if option is not None and option.name == "rwmixwrite" else share

"""Checks that this machine is fast enough for the main job: if not, its verdicts would be about the machine."""

import mmap
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import cpu_latency, mounts
from embedded_cluster.layout import Layout

_BLOCK = 4096
_TRIES, _TRY_S = 3, 2.0
_ROUND_TRIPS, _FLUSHES = 300, 50
_PRESSURE = Path("/proc/pressure/cpu")
_UNKNOWN = "the speed of class replicated cannot be measured"
_REMEDY = "run the command again: it restarts a damaged cluster"


def require_speed(layout: Layout, *, durable_writes: float) -> None:
    """Require a rate of durable writes, one after the other, of the class `replicated`; 0 requires nothing.

    The best of three tries of two seconds counts. Raises EnvironmentFailure with that rate and with the machine's own
    figures: how busy its CPUs are, how long one takes to wake another, how long its disk takes to make a write durable.
    Raises it also if the class's file system cannot be written to, as after a load that its daemon did not survive, or
    does not answer before the first write: a write to it would then never end.
    """
    if not durable_writes:
        return
    try:
        mounts.require_answer(layout.replicated_mount)
    except EnvironmentFailure as error:
        raise EnvironmentFailure(f"{_UNKNOWN}: {error}; {_REMEDY}") from error
    best = 0.0
    try:
        with cpu_latency.held_low(), TemporaryDirectory(dir=layout.replicated_mount, prefix="speed-") as folder:
            for _ in range(_TRIES):
                best = max(best, durable_rate(Path(folder) / "file", seconds=_TRY_S))
                if best >= durable_writes:
                    return
            wake_up = wake_up_seconds()
        flush = flush_seconds(layout.state)
    except OSError as error:
        raise EnvironmentFailure(
            f"{_UNKNOWN}: {error.filename or layout.replicated_mount} cannot be written to "
            f"({error.strerror or error}); {_REMEDY}"
        ) from error
    raise EnvironmentFailure(
        f"this machine is too slow at present: class replicated completes {best:,.0f} durable writes a second, "
        f"{durable_writes:,.0f} are needed. {cpu_pressure()}. A CPU wakes another one within {wake_up * 1e6:.0f} µs. "
        f"The disk of {layout.state} makes a write durable within {flush * 1e3:.1f} ms. "
        "Stop other work on this machine, or use another machine."
    )


def durable_rate(file: Path, *, seconds: float) -> float:
    """Return how many 4 KiB writes to `file` a second become durable, one at a time, each past all caches."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_DIRECT, 0o600)
    try:
        with mmap.mmap(-1, _BLOCK) as block:  # aligned, as a direct write requires
            began_s, writes = time.monotonic(), 0
            while (elapsed_s := time.monotonic() - began_s) < seconds:
                os.pwrite(descriptor, block, writes % 1024 * _BLOCK)
                os.fdatasync(descriptor)
                writes += 1
            return writes / elapsed_s
    finally:
        os.close(descriptor)


def flush_seconds(folder: Path) -> float:
    """Return how long the file system of `folder` takes to make a small write durable; the median of 50."""
    times = []
    with TemporaryDirectory(dir=folder, prefix="flush-") as own, (Path(own) / "file").open("wb", buffering=0) as file:
        for _ in range(_FLUSHES):
            began_s = time.monotonic()
            file.write(bytes(_BLOCK))
            os.fdatasync(file.fileno())
            times.append(time.monotonic() - began_s)
    return median(times)


def wake_up_seconds() -> float:
    """Return how long a process on one CPU takes to wake another on another CPU; the median of 300 round trips, halved.

    On a machine with one CPU both are on that one.
    """
    cpus = sorted(os.sched_getaffinity(0))
    with _echo(cpu=cpus[-1]) as (to, back):
        try:
            os.sched_setaffinity(0, {cpus[0]})
            times = []
            for _ in range(_ROUND_TRIPS):
                began_s = time.monotonic()
                os.write(to, b".")
                os.read(back, 1)
                times.append(time.monotonic() - began_s)
        finally:
            os.sched_setaffinity(0, cpus)
    return median(times) / 2


@contextmanager
def _echo(*, cpu: int) -> Iterator[tuple[int, int]]:
    """Run a process on `cpu` that sends back each byte; yield the ends of the pipes to it and from it."""
    (its_in, to), (back, its_out) = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(to)
        os.sched_setaffinity(0, {cpu})
        while byte := os.read(its_in, 1):
            os.write(its_out, byte)
        os._exit(0)
    try:
        yield to, back
    finally:
        os.close(to)
        os.waitpid(child, 0)
        for end in (its_in, back, its_out):
            os.close(end)


def cpu_pressure() -> str:
    """Return how busy the CPUs are, in words: what share of time a process waited for one, else the load average."""
    try:
        words = _PRESSURE.read_text().split()
        share = next(word.removeprefix("avg10=") for word in words if word.startswith("avg10="))
        return f"In the last 10 s processes waited for a CPU {float(share):.0f} % of the time"
    except (OSError, StopIteration, ValueError):
        return f"The load average is {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs"

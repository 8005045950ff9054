"""The CPU on which the kernel is notified of finished writes: replicas and their client all run there.

On virtual machines a wake-up on another CPU can take 0.1 ms and more, and a write to three replicas causes a dozen of
them. On one CPU each is a switch between two processes, which takes a few microseconds.
"""

import os
from collections import Counter
from pathlib import Path
from tempfile import TemporaryFile

_INTERRUPTS = Path("/proc/interrupts")
# Enough to stand out from the machine's other work; they take some 50 ms.
_WRITES = 100


def prefix_on_it(folder: Path) -> tuple[str, ...]:
    """Return the words before a command that is to run, with all its children, on the CPU of the disk of `folder`."""
    return ("taskset", "--cpu-list", str(_of(folder)))


def busiest(before: dict[str, list[int]], after: dict[str, list[int]], *, cpus: set[int]) -> int:
    """Return the CPU of the interrupt that came most often between two polls; the last CPU if none came."""
    came = Counter(
        {
            (name, cpu): count - earlier
            for name, counts in after.items()
            for cpu, (count, earlier) in enumerate(zip(counts, before.get(name, counts), strict=False))
            if cpu in cpus and count > earlier
        }
    )
    return came.most_common(1)[0][0][1] if came else max(cpus)


def read_interrupts(text: str) -> dict[str, list[int]]:
    """Return counts by CPU of all devices' interrupts; the kernel's own, such as its clock's, have names."""
    cpus = len(text.partition("\n")[0].split())
    rows = (line.split() for line in text.splitlines()[1:])
    return {row[0]: [int(count) for count in row[1 : 1 + cpus]] for row in rows if row and row[0][:-1].isdigit()}


def _of(folder: Path) -> int:
    before = read_interrupts(_INTERRUPTS.read_text())
    _write_durably(folder)
    return busiest(before, read_interrupts(_INTERRUPTS.read_text()), cpus=os.sched_getaffinity(0))


def _write_durably(folder: Path) -> None:
    with TemporaryFile(dir=folder, buffering=0) as file:
        for _ in range(_WRITES):
            file.write(bytes(4096))
            os.fdatasync(file.fileno())

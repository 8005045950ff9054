"""Clone time of sources with little and with much data, in turn: it tells full copies from references."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from statistics import median

from acceptance.cluster.claims import Claim, remove_claim
from acceptance.cluster.pods import wait_started
from acceptance.text.quantities import format_quantity
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.clones import ask_for_clone, require_clones
from acceptance.trials.features.declared import Tries, VolumeUse

MIB = 1024**2
LITTLE, MUCH = 16 * MIB, 512 * MIB
"""Bytes that a source holds."""
ROUNDS = 3
LOOKS_APART_S = 1.0
"""The longest time in s between two polls of a pod: it started at most this long before a poll saw it."""
SLOW_COPY = 100 * MIB
"""Bytes per second. Times that would not reveal even such a slow copy prove nothing."""
FAR = 100 * 1024 * MIB
"""Bytes of a clone for which a time is reported."""
_WRITE = 'dd if=/dev/urandom of="$VOLUME/data" bs=1048576 count="$MIB" conv=fsync 2>&1'
_READ = 'size=$(stat -c %s "$VOLUME/data") && echo "$size" && [ "$size" -eq "$BYTES" ]'


@Tries(
    "clone-times",
    "Clone time distinguishes full copies from references",
    (VolumeUse(number=3, total=2 + 2 * ROUNDS),),
    pods=2 + 2 * ROUNDS,
    recreations=2 * ROUNDS,
    copied_bytes=(1 + ROUNDS) * (LITTLE + MUCH),
)
def try_clone_times(bench: Bench) -> str:
    """Return whether clones are full copies or references. Nothing is judged, because both are clones.

    A limit on clone time belongs to the control operations. Raises Unsupported if the class has no clones,
    StorageFailure if a clone is never ready or lacks the data.
    """
    times: dict[int, list[float]] = {LITTLE: [], MUCH: []}
    sources = {size: _source(bench, size) for size in times}
    require_clones(bench, sources[LITTLE])
    for number in range(ROUNDS):
        for size in sorted(times, reverse=number % 2 == 1):  # drift of the cluster affects both alike
            times[size].append(_clone_s(bench, sources[size], size=size, number=number + 1))
    return clone_times_in_words(times[LITTLE], times[MUCH])


def _source(bench: Bench, size: int) -> Claim:
    """Create a volume with `size` bytes that cannot be compressed or deduplicated."""
    source = bench.claim("little" if size == LITTLE else "much")
    bench.run(source, _WRITE, MIB=str(size // MIB))
    return source


def _clone_s(bench: Bench, source: Claim, *, size: int, number: int) -> float:
    """Return the time in s from the request for a clone until a pod has started on it; then delete the clone."""
    asked_s = time.monotonic()
    clone = ask_for_clone(bench, source, part=f"clone-{source.name}-{number}")
    pod = bench.plan(clone, script=_READ, BYTES=str(size))
    bench.ask_for(pod)
    wait_started(bench.api, pod, timeout_s=bench.timeout_s)
    taken_s = time.monotonic() - asked_s
    bench.wait_output(pod)
    bench.end(pod)
    remove_claim(bench.api, clone, timeout_s=bench.timeout_s)
    return taken_s


def clone_times_in_words(little: Sequence[float], much: Sequence[float]) -> str:
    """Return `copies: 1.9 s more for 496 MiB more, so about 6.5 min for 100 GiB (...)`, or that they seem to be none.

    Copies are reported only if the fastest clone of much data certainly took longer than the slowest of little.
    """
    data, more_s = MUCH - LITTLE, median(much) - median(little)
    more = _bytes(data)
    observation = f"{len(little)} clones of {_bytes(LITTLE)} took {_range(little)}, of {_bytes(MUCH)} {_range(much)}"
    if min(much) - LOOKS_APART_S > max(little):
        far = _rough(more_s * FAR / data)
        return f"copies: {more_s:.1f} s more for {more} more, so about {far} for {_bytes(FAR)} ({observation})"
    # A copy took at most this long: the fastest clone of little data may have been ready up to one poll earlier.
    at_most_s = max(much) - min(little) + LOOKS_APART_S
    if at_most_s > data / SLOW_COPY:
        return f"copies and references cannot be distinguished: times overlap ({observation})"
    rate = f"{math.floor(data / at_most_s / MIB)} MiB/s"
    return (
        f"by reference, or copied at {rate} or more: no slower with {more} more ({max(0.0, more_s):.1f} s, within the "
        f"differences between clones, each observed up to {LOOKS_APART_S:g} s late; {observation})"
    )


def _rough(seconds: float) -> str:
    """Return `6.9 min`: no more digits than three clones justify."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.2g} min" if seconds < 6000 else f"{seconds / 3600:.2g} h"


def _range(times: Sequence[float]) -> str:
    return f"{min(times):.1f} to {max(times):.1f} s"


def _bytes(size: int) -> str:
    return format_quantity(size, unit="B")

"""The size of a file system as pods see it, and that of the volume as Kubernetes has it."""

from __future__ import annotations

import re

from acceptance.cluster.claims import Claim
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.resources import VOLUMES
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import StorageFailure
from acceptance.text.quantities import format_quantity, parse_size
from acceptance.trials.features.bench import Bench

SIZE_LINE = 'df -Pk "$VOLUME"'
"""what a pod calls for its volume's size to be in its output"""
_SIZE = re.compile(r"^\S+ +(\d+) +\d+ +-?\d+ +\d+% ", re.MULTILINE)


def sizes_in(output: str) -> list[int]:
    """The sizes of the volume that a pod has printed, in bytes."""
    return [1024 * int(each) for each in _SIZE.findall(output)]


def size_in(output: str) -> int:
    """The last of them. Raises StorageFailure where there is none."""
    sizes = sizes_in(output)
    if not sizes:
        raise StorageFailure(f"a pod does not see the size of its volume: {output.strip()[-300:] or 'it said nothing'}")
    return sizes[-1]


def first_size_seen(bench: Bench, pod: PodPlan) -> int:
    """The size that a pod that goes on printing it has seen first, in bytes."""
    return wait_for(
        "the size of the volume to be seen",
        look=lambda: sizes_in(bench.output_of(pod)),
        ready=bool,
        state=lambda seen: "none",
        timeout_s=bench.timeout_s,
    )[0]


def wait_grown(bench: Bench, pod: PodPlan, what: str, *, before: int, wanted: int) -> int:
    """Wait until such a pod sees `wanted` bytes at least, and `before` no more; what it sees then.

    Raises StorageFailure that begins with `what`.
    """
    return wait_for(
        what,
        look=lambda: (sizes_in(bench.output_of(pod)) or [0])[-1],
        ready=lambda seen: seen >= wanted,
        state=lambda seen: f"{_bytes(seen)}, and {_bytes(before)} before it was expanded",
        timeout_s=bench.timeout_s,
    )


def capacity_of(bench: Bench, claim: Claim) -> int:
    """The size of the claim's volume as Kubernetes has it, in bytes; often more than was asked for."""
    return parse_size(str(bench.api.get(VOLUMES, bench.volume_of(claim))["spec"]["capacity"]["storage"]))


def twice(bench: Bench, claim: Claim) -> int:
    """Twice the size of the claim's volume, in bytes."""
    return 2 * max(claim.size, capacity_of(bench, claim))


def _bytes(size: int) -> str:
    return format_quantity(size, unit="B")

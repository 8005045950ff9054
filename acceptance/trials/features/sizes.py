"""The size of a file system as pods see it, and that of the volume as Kubernetes reports it."""

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
"""The command that prints a volume's size in a pod."""
_SIZE = re.compile(r"^\S+ +(\d+) +\d+ +-?\d+ +\d+% ", re.MULTILINE)


def sizes_in(output: str) -> list[int]:
    """Return the sizes of the volume that a pod has printed, in bytes."""
    return [1024 * int(kibibytes) for kibibytes in _SIZE.findall(output)]


def size_in(output: str) -> int:
    """Return the last size that a pod has printed, in bytes. Raises StorageFailure if there is none."""
    sizes = sizes_in(output)
    if not sizes:
        end_of_output = output.strip()[-300:] or "it printed nothing"
        raise StorageFailure(f"a pod does not see the size of its volume: {end_of_output}")
    return sizes[-1]


def first_size_seen(bench: Bench, pod: PodPlan) -> int:
    """Return the first size that a pod that prints it continuously has seen, in bytes."""
    return wait_for(
        "a pod to print the size of its volume",
        look=lambda: sizes_in(bench.output_of(pod)),
        ready=bool,
        state=lambda sizes: "none",
        timeout_s=bench.timeout_s,
    )[0]


def wait_grown(bench: Bench, pod: PodPlan, goal: str, *, before: int, minimum_size: int) -> int:
    """Wait until such a pod sees at least `minimum_size` bytes, no longer `before`; return the size that it then sees.

    Raises StorageFailure with `goal`, the awaited state in words.
    """
    return wait_for(
        goal,
        look=lambda: (sizes_in(bench.output_of(pod)) or [0])[-1],
        ready=lambda size: size >= minimum_size,
        state=lambda size: f"{_bytes(size)}, and {_bytes(before)} before it was expanded",
        timeout_s=bench.timeout_s,
    )


def capacity_of(bench: Bench, claim: Claim) -> int:
    """Return the size of the claim's volume as Kubernetes reports it, in bytes; often more than the claim requests."""
    return parse_size(str(bench.api.get(VOLUMES, bench.volume_of(claim))["spec"]["capacity"]["storage"]))


def twice(bench: Bench, claim: Claim) -> int:
    """Return twice the size of the claim's volume, in bytes."""
    return 2 * max(claim.size, capacity_of(bench, claim))


def _bytes(size: int) -> str:
    return format_quantity(size, unit="B")

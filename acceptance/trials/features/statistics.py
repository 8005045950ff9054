"""What a kubelet says of how full a volume is, beside what the pod sees: users are warned by the former."""

from __future__ import annotations

import re
from dataclasses import dataclass

from acceptance.cluster.api import Api
from acceptance.cluster.permissions import READS_STATISTICS, may
from acceptance.cluster.pod_manifest import PodPlan, volume_name
from acceptance.cluster.resources import NODES
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import StorageFailure
from acceptance.text.quantities import format_quantity
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.declared import Tries

WRITTEN = 64 * 1024**2
"""bytes that must show as used"""
TOLERATED = 0.02
"""the share of the capacity by which both may differ: they look at different moments"""
LOOKS_AFTER_S = 180
"""Kubelets look at volumes once a minute, and begin with a new pod up to a minute late."""

_SCRIPT = """
head -c "$WRITTEN" /dev/urandom > "$VOLUME/file" && sync "$VOLUME/file" || exit 1
while :; do df -Pk "$VOLUME"; sleep 1; done
"""
_SEEN = re.compile(r"^\S+ +(\d+) +(\d+) +(\d+) +\d+% ", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Fullness:
    """How full a volume is, in bytes."""

    capacity: int
    used: int
    available: int


@Tries("statistics", "The kubelet tells how full a volume is", waits_s=75.0)  # a kubelet looks at volumes once a minute
def try_statistics(bench: Bench) -> str:
    """How the kubelet's figures were seen to be the volume's. Raises Unsupported where it has none of such volumes, or
    the account may not ask, StorageFailure where they are wrong."""
    if not may(bench.api, READS_STATISTICS):
        raise bench.not_tried("the account may not read nodes/proxy (deploy/rbac-volume-statistics.yaml)")
    pod = bench.start(bench.claim("counted"), _SCRIPT, WRITTEN=str(WRITTEN))
    name, node = bench.storage_class.name, bench.node
    assert node is not None  # where the pod started
    seen = wait_for(
        f"pod {pod.name} to see how full its volume is",
        look=lambda: seen_by_pod(bench.output_of(pod)),
        ready=lambda found: found is not None,
        state=lambda found: "nothing",
        timeout_s=bench.timeout_s,
    )
    assert seen is not None
    last: Fullness | None = None

    def look() -> str | None:
        nonlocal last
        last = told_by_kubelet(bench.api, pod, node=node)
        return "it reports nothing about the volume" if last is None else wrong_with(last, seen)

    try:
        wait_for(
            f"the kubelet of {node} to report for a volume of StorageClass {name} what the pod sees",
            look=look,
            ready=lambda wrong: wrong is None,
            state=str,
            timeout_s=LOOKS_AFTER_S,
        )
    except StorageFailure as error:
        if last is None:
            raise bench.missing(
                f"the kubelet of {node} tells nothing of a volume of StorageClass {name} within {LOOKS_AFTER_S} s: its "
                "driver has no GET_VOLUME_STATS, or its kind has no figures"
            ) from None
        raise error
    assert last is not None
    near = f"to within {TOLERATED:.0%} of its size"
    return f"the kubelet of {node} reported for a volume what its pod saw, {near}: {_shown(last)}"


def seen_by_pod(output: str) -> Fullness | None:
    """The last that `df -Pk` said; None before it said anything."""
    found = _SEEN.findall(output)
    if not found:
        return None
    capacity, used, available = (1024 * int(each) for each in found[-1])
    return Fullness(capacity=capacity, used=used, available=available)


def told_by_kubelet(api: Api, pod: PodPlan, *, node: str) -> Fullness | None:
    """What the node's kubelet tells of the pod's first volume; None where it tells not all of it."""
    summary = api.get(NODES, f"{node}/proxy/stats/summary")
    for each in summary.get("pods") or []:
        if (each["podRef"]["namespace"], each["podRef"]["name"]) != (pod.namespace, pod.name):
            continue
        for volume in each.get("volume") or []:
            figures = [volume.get(key) for key in ("capacityBytes", "usedBytes", "availableBytes")]
            if volume["name"] == volume_name(0) and None not in figures:
                capacity, used, available = map(int, figures)
                return Fullness(capacity=capacity, used=used, available=available)
    return None


def wrong_with(told: Fullness, seen: Fullness) -> str | None:
    """What of the kubelet's figures is not what the pod sees, in words; None where they agree."""
    tolerated = max(TOLERATED * seen.capacity, 1.0)
    wrong = [
        f"{what} {_bytes(said)}, and the pod sees {_bytes(real)}"
        for what, said, real in (
            ("capacity", told.capacity, seen.capacity),
            ("used", told.used, seen.used),
            ("available", told.available, seen.available),
        )
        if abs(said - real) > tolerated
    ]
    return f"the kubelet says: {'; '.join(wrong)}" if wrong else None


def _shown(fullness: Fullness) -> str:
    return f"{_bytes(fullness.capacity)}, {_bytes(fullness.used)} of it used and {_bytes(fullness.available)} available"


def _bytes(size: int) -> str:
    return format_quantity(size, unit="B")

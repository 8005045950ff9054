"""Volume stats of a kubelet, compared with what the pod sees: alerts on full volumes rely on the former."""

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

WRITTEN_BYTES = 64 * 1024**2
"""Bytes that must show as used."""
TOLERANCE = 0.02
"""The share of the capacity by which both may differ: they measure at different moments."""
LOOKS_AFTER_S = 180
"""Time in s: kubelets measure volumes once a minute, and begin with a new pod up to a minute late."""

_SCRIPT = """
head -c "$WRITTEN" /dev/urandom > "$VOLUME/file" && sync "$VOLUME/file" || exit 1
while :; do df -Pk "$VOLUME"; sleep 1; done
"""
_FIGURES = re.compile(r"^\S+ +(\d+) +(\d+) +(\d+) +\d+% ", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Fullness:
    """The figures of a volume, in bytes: its size, and how full it is."""

    capacity_bytes: int
    used_bytes: int
    available_bytes: int


# A kubelet measures volumes once a minute.
@Tries("volume-stats", "The kubelet reports how full a volume is", waits_s=75.0)
def try_statistics(bench: Bench) -> str:
    """Verify that the kubelet's figures are those of the volume, and return what was observed.

    Raises Unsupported if the kubelet has no figures of such volumes, or if the account may not read them,
    StorageFailure if they are wrong.
    """
    if not may(bench.api, READS_STATISTICS):
        raise bench.not_tried("the account may not read nodes/proxy (deploy/rbac-volume-statistics.yaml)")
    pod = bench.start(bench.claim("counted"), _SCRIPT, WRITTEN=str(WRITTEN_BYTES))
    name, node = bench.storage_class.name, bench.node
    assert node is not None  # where the pod started
    pod_figures = wait_for(
        f"pod {pod.name} to see how full its volume is",
        look=lambda: seen_by_pod(bench.output_of(pod)),
        ready=lambda figures: figures is not None,
        state=lambda figures: "nothing",
        timeout_s=bench.timeout_s,
    )
    assert pod_figures is not None
    last: Fullness | None = None

    def look() -> str | None:
        nonlocal last
        last = told_by_kubelet(bench.api, pod, node=node)
        return "the kubelet reports nothing about the volume" if last is None else wrong_with(last, pod_figures)

    try:
        wait_for(
            f"the kubelet of {node} to report the pod's figures for a volume of StorageClass {name}",
            look=look,
            ready=lambda wrong: wrong is None,
            state=str,
            timeout_s=LOOKS_AFTER_S,
        )
    except StorageFailure as error:
        if last is None:
            raise bench.missing(
                f"the kubelet of {node} reports nothing about a volume of StorageClass {name} within {LOOKS_AFTER_S} "
                "s: the driver lacks GET_VOLUME_STATS, or volumes of this kind have no stats"
            ) from None
        raise error
    assert last is not None
    near = f"to within {TOLERANCE:.0%} of the volume's size"
    return f"the kubelet of {node} reported the figures that the pod saw, {near}: {_in_words(last)}"


def seen_by_pod(output: str) -> Fullness | None:
    """Return the last figures in the output of `df -Pk`; None if there are none yet."""
    lines = _FIGURES.findall(output)
    if not lines:
        return None
    capacity_bytes, used_bytes, available_bytes = (1024 * int(kibibytes) for kibibytes in lines[-1])
    return Fullness(capacity_bytes=capacity_bytes, used_bytes=used_bytes, available_bytes=available_bytes)


def told_by_kubelet(api: Api, pod: PodPlan, *, node: str) -> Fullness | None:
    """Return what the node's kubelet reports of the pod's first volume; None unless it reports all of it."""
    summary = api.get(NODES, f"{node}/proxy/stats/summary")
    for pod_stats in summary.get("pods") or []:
        if (pod_stats["podRef"]["namespace"], pod_stats["podRef"]["name"]) != (pod.namespace, pod.name):
            continue
        for volume in pod_stats.get("volume") or []:
            figures = [volume.get(key) for key in ("capacityBytes", "usedBytes", "availableBytes")]
            if volume["name"] == volume_name(0) and None not in figures:
                capacity_bytes, used_bytes, available_bytes = map(int, figures)
                return Fullness(capacity_bytes=capacity_bytes, used_bytes=used_bytes, available_bytes=available_bytes)
    return None


def wrong_with(kubelet_figures: Fullness, pod_figures: Fullness) -> str | None:
    """Return in words which of the kubelet's figures differ from those of the pod; None if they agree."""
    tolerance = max(TOLERANCE * pod_figures.capacity_bytes, 1.0)
    wrong = [
        f"{name} {_bytes(reported_bytes)}, and the pod sees {_bytes(real_bytes)}"
        for name, reported_bytes, real_bytes in (
            ("capacity", kubelet_figures.capacity_bytes, pod_figures.capacity_bytes),
            ("used", kubelet_figures.used_bytes, pod_figures.used_bytes),
            ("available", kubelet_figures.available_bytes, pod_figures.available_bytes),
        )
        if abs(reported_bytes - real_bytes) > tolerance
    ]
    return f"the kubelet reports: {'; '.join(wrong)}" if wrong else None


def _in_words(fullness: Fullness) -> str:
    return (
        f"{_bytes(fullness.capacity_bytes)}, {_bytes(fullness.used_bytes)} of it used and "
        f"{_bytes(fullness.available_bytes)} available"
    )


def _bytes(size: int) -> str:
    return format_quantity(size, unit="B")

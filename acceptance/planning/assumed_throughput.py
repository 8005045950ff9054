"""The assumed speeds of storage that is not measured yet, on which the times of a plan are based."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from acceptance.results.rebuilds import Pattern
from acceptance.settings.made_cluster import MAKERS
from acceptance.text.quantities import format_quantity

_MIB = 1024.0**2


@dataclass(frozen=True, kw_only=True)
class AssumedThroughput:
    """The assumed speeds of a cluster. Times in s, bandwidths in B/s.

    `bandwidth`: of all volumes together that are written or read at the same time. `claim_s`: from a claim to its first
    pod; `pod_s`: for each further pod to start and end; `gone_s`: until a volume is deleted. `rebuild`: bandwidth of a
    lost replica's rebuild. `lost_node_s`: until a failed node is recognized as lost and its volume is in use elsewhere.
    `open_s`, `close_s`: to begin and to end the run.
    """

    source: str
    bandwidth: float
    claim_s: float
    pod_s: float
    gone_s: float
    rebuild: Mapping[Pattern, float]
    lost_node_s: float
    open_s: float
    close_s: float

    @property
    def description(self) -> str:
        """The assumptions in words."""
        return (
            f"Times are estimates: {format_quantity(self.bandwidth, unit='B/s')} of bandwidth, "
            f"{self.claim_s:.0f} s from a PVC to its running pod, {self.gone_s:.0f} s to delete a PV, rebuilds of "
            f"{format_quantity(self.rebuild['full-data'], unit='B/s')} ({self.source}). The run itself shows the time "
            "left, corrected by the time that steps took so far."
        )


# Measured in `make accept`, on 2 cores that simulate three nodes. Alternating data is in two hundred thousand pieces.
EMBEDDED_CLUSTER = AssumedThroughput(
    source="as on the embedded cluster",
    bandwidth=200 * _MIB,
    claim_s=6.0,
    pod_s=1.5,
    gone_s=4.0,
    rebuild={"full-data": 80 * _MIB, "alternating-4k": 35 * _MIB},
    lost_node_s=60.0,
    open_s=8.0,
    close_s=10.0,
)
# Bandwidth: Amazon's promise for the smallest gp3 disk. Rebuilds: the Longhorn 1.6 reference report, 100 GiB in
# 281 s and 10 GiB in 1118 s. A node is lost after 50 s, and Kubernetes detaches its volumes 6 min later. The rest is
# usual for CSI drivers that attach volumes.
ELSEWHERE = AssumedThroughput(
    source="assumed, not measured here",
    bandwidth=125 * _MIB,
    claim_s=15.0,
    pod_s=6.0,
    gone_s=10.0,
    rebuild={"full-data": 364 * _MIB, "alternating-4k": 9.2 * _MIB},
    lost_node_s=420.0,
    open_s=5.0,
    close_s=20.0,
)
# A cluster that is created for the run: kind took 98 s on 2 busy cores, and 12 s to delete it; its provisioner was
# ready half a minute later. A node image that has to be pulled comes on top.
CREATED_CLUSTER = replace(ELSEWHERE, open_s=ELSEWHERE.open_s + 130.0, close_s=ELSEWHERE.close_s + 15.0)
# Directories need neither claims nor pods.
HOST = AssumedThroughput(
    source="assumed, not measured here",
    bandwidth=200 * _MIB,
    claim_s=0.5,
    pod_s=0.3,
    gone_s=0.5,
    rebuild={"full-data": 364 * _MIB, "alternating-4k": 9.2 * _MIB},
    lost_node_s=0.0,
    open_s=1.0,
    close_s=1.0,
)


def assumed_throughput_of(kind: str | None) -> AssumedThroughput:
    """Return the assumptions for a cluster of this kind; None for an unknown kind."""
    if kind in MAKERS:
        return CREATED_CLUSTER
    return {"embedded": EMBEDDED_CLUSTER, "host": HOST}.get(kind or "", ELSEWHERE)

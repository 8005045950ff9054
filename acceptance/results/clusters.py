"""The cluster that was tested, as it describes itself: its nodes, StorageClasses and image. All frozen."""

from __future__ import annotations

from pydantic import Field

from acceptance.results.conditions import CpuLatency
from acceptance.results.model import Frozen


class Node(Frozen):
    name: str
    kubelet: str
    kernel: str
    os_image: str
    container_runtime: str
    architecture: str


class StorageClass(Frozen):
    """A StorageClass as the cluster describes it; without a cluster, a directory."""

    name: str
    provisioner: str
    parameters: dict[str, str]
    binding_mode: str
    reclaim_policy: str
    allow_expansion: bool
    default: bool

    @property
    def waits_for_pod(self) -> bool:
        """True if a volume is provisioned only when a pod needs it, in the place where that pod runs."""
        return self.binding_mode == "WaitForFirstConsumer"

    @property
    def provisions(self) -> bool:
        """True if the class names a provisioner that creates volumes."""
        return self.provisioner not in ("", "kubernetes.io/no-provisioner")


class Image(Frozen):
    reference: str
    digest: str | None


class Cluster(Frozen):
    kind: str
    kubernetes_version: str
    nodes: list[Node]
    storage_classes: list[StorageClass]
    image: Image
    identity: str = Field(
        default="", description="distinguishes clusters: the UID of the namespace kube-system; without one, the host"
    )
    cpu_latency: CpuLatency | None = Field(
        default=None,
        description="only for an embedded cluster, whose nodes share the host's CPUs; None in older results",
    )
    stand_ins: list[str] = Field(
        default=[], description="substitutes for real components of the cluster; empty in results of older suites"
    )
    machines: int | None = Field(
        default=None, description="number of kernels that run the nodes, by their boot IDs; None if a node reports none"
    )

    @property
    def is_lab(self) -> bool:
        """True if fewer machines than nodes run the cluster, or if it uses substitutes for real components."""
        shares_machines = self.machines is not None and self.machines < len(self.nodes)
        return self.kind == "embedded" or bool(self.stand_ins) or shares_machines

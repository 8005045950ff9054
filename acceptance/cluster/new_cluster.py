"""A cluster that was just created: its nodes, a StorageClass and the provisioner behind it come one after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from acceptance.cluster.api import Api
from acceptance.cluster.nodes import is_ready as is_ready_node
from acceptance.cluster.objects import name_of
from acceptance.cluster.pod_states import is_ready as is_ready_pod
from acceptance.cluster.resources import NODES, PODS, SERVICE_ACCOUNTS, STORAGE_CLASSES, Object
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import EnvironmentFailure

# What kind, k3d and minikube bring along, and what the names of its pods begin with.
_PODS_OF = {"rancher.io/local-path": "local-path-provisioner", "k8s.io/minikube-hostpath": "storage-provisioner"}
_DEFAULT = "storageclass.kubernetes.io/is-default-class"


@dataclass(frozen=True, kw_only=True)
class NewCluster:
    """How far a new cluster is: its nodes, its classes, all pods of its namespaces, whether pods get an account."""

    nodes: tuple[Object, ...]
    classes: tuple[Object, ...]
    pods: tuple[Object, ...]
    has_account: bool = True

    def lacks(self, *, nodes: int) -> str | None:
        """What it lacks to be tested, in words; None where nothing. `nodes`: how many it is to have, at the least."""
        ready = [node for node in self.nodes if is_ready_node(node)]
        if len(ready) < max(nodes, len(self.nodes)):
            return f"{len(ready)} of {max(nodes, len(self.nodes))} nodes are ready"
        if not self.has_account:
            return "namespace default has no service account"
        if not self.classes:
            return "it has no StorageClass"
        for storage_class in self.classes:
            begins = _PODS_OF.get(storage_class.get("provisioner", ""))
            if begins is None or not _is_default(storage_class):
                continue
            provisioners = [pod for pod in self.pods if name_of(pod).startswith(begins)]
            if not any(map(is_ready_pod, provisioners)):
                what = "is not ready" if provisioners else "has no pod"
                return f"the provisioner of its default StorageClass {name_of(storage_class)} {what}"
        return None


def wait_usable(api: Api, *, nodes: int, timeout_s: float, tell: Callable[[str], None]) -> None:
    """Wait until a volume can be had. Raises EnvironmentFailure at the deadline, naming what lacks.

    `tell` is given what lacks, each time that it is looked at.
    """

    def look() -> str | None:
        seen = NewCluster(
            nodes=tuple(api.list(NODES)),
            classes=tuple(api.list(STORAGE_CLASSES)),
            pods=tuple(api.list(PODS)),
            has_account=api.find(SERVICE_ACCOUNTS, "default", namespace="default") is not None,
        )
        lacks = seen.lacks(nodes=nodes)
        if lacks is not None:
            tell(f"waiting for the new cluster: {lacks}")
        return lacks

    wait_for(
        "the new cluster to have ready nodes, a StorageClass and its provisioner",
        look=look,
        ready=lambda lacks: lacks is None,
        state=str,
        timeout_s=timeout_s,
        failure=EnvironmentFailure,
    )


def _is_default(storage_class: Object) -> bool:
    return (storage_class["metadata"].get("annotations") or {}).get(_DEFAULT) == "true"

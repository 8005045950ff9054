"""A cluster that was just created: its nodes, a StorageClass and its provisioner appear one after the other."""

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

# The provisioners of kind, k3d and minikube, and the prefixes of their pods' names.
_PODS_OF = {"rancher.io/local-path": "local-path-provisioner", "k8s.io/minikube-hostpath": "storage-provisioner"}
_DEFAULT = "storageclass.kubernetes.io/is-default-class"


@dataclass(frozen=True, kw_only=True)
class NewCluster:
    """The state of a new cluster: its nodes, its classes, all pods of its namespaces, whether pods get an account."""

    nodes: tuple[Object, ...]
    classes: tuple[Object, ...]
    pods: tuple[Object, ...]
    has_account: bool = True

    def lacks(self, *, nodes: int) -> str | None:
        """Return what the cluster lacks to be tested, in words, or None. `nodes`: how many it must have at least."""
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
                state = "is not ready" if provisioners else "has no pod"
                return f"the provisioner of its default StorageClass {name_of(storage_class)} {state}"
        return None


def wait_usable(api: Api, *, nodes: int, timeout_s: float, longer: str, tell: Callable[[str], None]) -> None:
    """Wait until the cluster can provide a volume. Raises EnvironmentFailure at the deadline, naming what lacks.

    Time without an answer of the API server counts, too: it is a part of the new cluster. `longer`: what the user
    should do at the deadline; `tell` is called with what lacks, at each poll.
    """
    limited_api = api.within(timeout_s)

    def look() -> str | None:
        cluster = NewCluster(
            nodes=tuple(limited_api.list(NODES)),
            classes=tuple(limited_api.list(STORAGE_CLASSES)),
            pods=tuple(limited_api.list(PODS)),
            has_account=limited_api.find(SERVICE_ACCOUNTS, "default", namespace="default") is not None,
        )
        lacks = cluster.lacks(nodes=nodes)
        if lacks is not None:
            tell(f"waiting for the new cluster: {lacks}")
        return lacks

    try:
        wait_for(
            "the new cluster to have ready nodes, a StorageClass and its provisioner",
            look=look,
            ready=lambda lacks: lacks is None,
            state=str,
            timeout_s=timeout_s,
            failure=EnvironmentFailure,
            most_unseen_s=0,
        )
    except EnvironmentFailure as error:
        raise EnvironmentFailure(f"{error}; {longer}") from error


def _is_default(storage_class: Object) -> bool:
    return (storage_class["metadata"].get("annotations") or {}).get(_DEFAULT) == "true"

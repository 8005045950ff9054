"""The proof that a cluster is up: its nodes are ready, and a pod wrote to a volume of each class."""

from collections.abc import Callable, Mapping
from typing import Any

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster.kubectl import Kubectl
from embedded_cluster.waiting import NotYet, wait_for

_NAMESPACE = "--namespace=embedded-cluster-check"


def ready_nodes(kubectl: Kubectl) -> list[str]:
    """Return the names of the nodes that are Ready."""
    return [node["metadata"]["name"] for node in kubectl.get("nodes") if _is_ready(node)]


def _is_ready(node: dict[str, Any]) -> bool:
    conditions = node.get("status", {}).get("conditions", [])
    return any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions)


def wait_for_nodes(kubectl: Kubectl, *, nodes: int, alive: Callable[[], None]) -> None:
    """Wait until `nodes` nodes are Ready and pods can be created.

    Raises EnvironmentFailure after three minutes, or immediately what `alive` raises for a kubelet that ended.
    """

    def ready() -> None:
        alive()
        names = ready_nodes(kubectl)
        if len(names) < nodes:
            raise NotYet(f"Ready: {', '.join(names) or 'none'}")
        if not kubectl.get("serviceaccount", "default", "--namespace=default"):
            raise NotYet("the nodes are Ready, but the service account `default` is missing")

    wait_for(f"{nodes} nodes to be Ready", ready, timeout=180)


def prove_storage(kubectl: Kubectl, *, image: str, classes: Mapping[str, str], timeout: float = 180) -> None:
    """Write to a new volume of each class from a restricted pod, read it, and remove all again.

    `classes`: the size of the volume of each. Raises EnvironmentFailure with the pods' states and events if that does
    not work within `timeout` seconds.
    """

    def create() -> None:
        try:
            # Each time, because the namespace of the previous check may still be in deletion.
            kubectl.apply("check-namespace.yaml")
            kubectl.apply_each(
                "check.yaml", [{"image": image, "class": name, "size": size} for name, size in classes.items()]
            )
        except EnvironmentFailure as error:  # Refused until the namespace has its service account.
            raise NotYet(str(error)) from None

    wait_for("the checking pods to be accepted", create, timeout=60, interval=0.5)
    wait_for("a pod to write to a volume of each class", lambda: _require_success(kubectl), timeout=timeout)
    kubectl.run("delete", "pods,persistentvolumeclaims", "--all", "--wait=false", _NAMESPACE)

    def volumes_gone() -> None:
        if volumes := kubectl.get("persistentvolumes"):
            raise NotYet(f"remaining: {', '.join(volume['metadata']['name'] for volume in volumes)}")

    wait_for("the volumes of the check to be deleted", volumes_gone, timeout=timeout)
    kubectl.run("delete", "namespace/embedded-cluster-check", "--wait=false")


def _require_success(kubectl: Kubectl) -> None:
    phases = {pod["metadata"]["name"]: pod["status"].get("phase") for pod in kubectl.get("pods", _NAMESPACE)}
    for name, phase in phases.items():
        if phase == "Failed":
            raise EnvironmentFailure(f"the checking pod {name} failed: {kubectl.run('logs', name, _NAMESPACE)}")
    if set(phases.values()) != {"Succeeded"}:
        claims = kubectl.get("persistentvolumeclaims", _NAMESPACE)
        bound = {claim["metadata"]["name"]: claim["status"].get("phase") for claim in claims}
        last = "; ".join(event.get("message", "") for event in kubectl.get("events", _NAMESPACE)[-3:])
        raise NotYet(f"the pods are {phases}, the claims {bound}; last events: {last}")

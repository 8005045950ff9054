"""What Longhorn lacks to be ready, from the objects that tell; pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from embedded_cluster.csi.registration import nodes_with

DRIVER = "driver.longhorn.io"
# The sidecars that Longhorn's driver deployer makes, and the controller that every cluster with snapshots has.
DEPLOYMENTS = ("csi-attacher", "csi-provisioner", "csi-resizer", "csi-snapshotter", "snapshot-controller")

Object = dict[str, Any]


@dataclass(frozen=True)
class Seen:
    """The objects of one look: Longhorn's own nodes and engine images, and Kubernetes' that Longhorn makes."""

    nodes: Sequence[Object]
    engine_images: Sequence[Object]
    csi_nodes: Sequence[Object]
    deployments: Sequence[Object]
    pods: Sequence[Object]


def lacking(seen: Seen, *, nodes: Collection[str]) -> list[str]:
    """What is not ready, in words, each with what is known of it; nothing when volumes can be made on all `nodes`."""
    found = [f"Longhorn node {name}: {problem}" for name in nodes if (problem := _node_problem(seen.nodes, name))]
    states = {image["metadata"]["name"]: image.get("status", {}).get("state") or "new" for image in seen.engine_images}
    found += ["there is no engine image yet"] * (not states)
    found += [f"engine image {name}: {state}" for name, state in states.items() if state != "deployed"]
    registered = nodes_with(DRIVER, seen.csi_nodes)
    found += [f"CSI driver: not registered on {name}" for name in nodes if name not in registered]
    available = {
        deployment["metadata"]["name"]
        for deployment in seen.deployments
        if deployment.get("status", {}).get("availableReplicas")
    }
    found += [f"deployment {name}: not available" for name in DEPLOYMENTS if name not in available]
    return [*found, *_waiting(seen.pods)] if found else []


def ready_nodes(nodes: Sequence[Object]) -> list[str]:
    """The names of Longhorn's nodes that are ready and take replicas."""
    return [name for node in nodes if not _node_problem(nodes, name := node["metadata"]["name"])]


def _node_problem(nodes: Sequence[Object], name: str) -> str | None:
    node = next((node for node in nodes if node["metadata"]["name"] == name), None)
    if node is None:
        return "not there"
    conditions = {each["type"]: each for each in node.get("status", {}).get("conditions") or []}
    for kind in ("Ready", "Schedulable"):
        condition = conditions.get(kind, {})
        if condition.get("status") != "True":
            why = condition.get("message") or condition.get("reason") or "nothing is said of it"
            return f"not {kind} ({why})"
    disks = node["status"].get("diskStatus") or {}
    for disk in disks.values():
        for condition in disk.get("conditions") or []:
            if condition["type"] == "Schedulable" and condition["status"] != "True":
                return f"its disk takes no replicas ({condition.get('message') or condition.get('reason')})"
    return None if disks else "it has no disk"


def _waiting(pods: Sequence[Object]) -> list[str]:
    """The containers that wait for something to change, with the kubelet's word for it."""
    found = []
    for pod in pods:
        status = pod.get("status", {})
        for container in (*status.get("initContainerStatuses", []), *status.get("containerStatuses", [])):
            reason = (container.get("state", {}).get("waiting") or {}).get("reason", "")
            if reason not in ("", "ContainerCreating", "PodInitializing"):
                found.append(f"pod {pod['metadata']['name']}: {container['name']} {reason}")
    return found

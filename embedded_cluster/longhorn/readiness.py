"""The conditions that keep Longhorn from being ready, from the objects that show them; pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from embedded_cluster.csi.registration import nodes_with

DRIVER = "driver.longhorn.io"
# The sidecars that Longhorn's driver deployer creates, and the controller that every cluster with snapshots has.
DEPLOYMENTS = ("csi-attacher", "csi-provisioner", "csi-resizer", "csi-snapshotter", "snapshot-controller")

Object = dict[str, Any]


@dataclass(frozen=True)
class Observation:
    """The objects of one poll: Longhorn's own nodes and engine images, and Kubernetes' that Longhorn creates."""

    nodes: Sequence[Object]
    engine_images: Sequence[Object]
    csi_nodes: Sequence[Object]
    deployments: Sequence[Object]
    pods: Sequence[Object]


def lacking(objects: Observation, *, nodes: Collection[str]) -> list[str]:
    """Return what is not ready, and why; nothing if volumes can be created on all `nodes`."""
    problems = [f"Longhorn node {name}: {problem}" for name in nodes if (problem := _node_problem(objects.nodes, name))]
    states = {
        image["metadata"]["name"]: image.get("status", {}).get("state") or "new" for image in objects.engine_images
    }
    problems += ["there is no engine image yet"] * (not states)
    problems += [f"engine image {name}: {state}" for name, state in states.items() if state != "deployed"]
    node_names = nodes_with(DRIVER, objects.csi_nodes)
    problems += [f"CSI driver: not registered on {name}" for name in nodes if name not in node_names]
    available = {
        deployment["metadata"]["name"]
        for deployment in objects.deployments
        if deployment.get("status", {}).get("availableReplicas")
    }
    problems += [f"deployment {name}: not available" for name in DEPLOYMENTS if name not in available]
    return [*problems, *_waiting(objects.pods)] if problems else []


def ready_nodes(nodes: Sequence[Object]) -> list[str]:
    """Return the names of Longhorn's nodes that are ready and take replicas."""
    return [name for node in nodes if not _node_problem(nodes, name := node["metadata"]["name"])]


def _node_problem(nodes: Sequence[Object], name: str) -> str | None:
    node = next((node for node in nodes if node["metadata"]["name"] == name), None)
    if node is None:
        return "missing"
    conditions = {condition["type"]: condition for condition in node.get("status", {}).get("conditions") or []}
    for kind in ("Ready", "Schedulable"):
        condition = conditions.get(kind, {})
        if condition.get("status") != "True":
            why = condition.get("message") or condition.get("reason") or "no reason given"
            return f"not {kind} ({why})"
    disks = node["status"].get("diskStatus") or {}
    for disk in disks.values():
        for condition in disk.get("conditions") or []:
            if condition["type"] == "Schedulable" and condition["status"] != "True":
                return f"the disk takes no replicas ({condition.get('message') or condition.get('reason')})"
    return None if disks else "no disk"


def _waiting(pods: Sequence[Object]) -> list[str]:
    """Return the containers that wait for something to change, with the kubelet's reason."""
    lines = []
    for pod in pods:
        status = pod.get("status", {})
        for container in (*status.get("initContainerStatuses", []), *status.get("containerStatuses", [])):
            reason = (container.get("state", {}).get("waiting") or {}).get("reason", "")
            if reason not in ("", "ContainerCreating", "PodInitializing"):
                lines.append(f"pod {pod['metadata']['name']}: {container['name']} {reason}")
    return lines

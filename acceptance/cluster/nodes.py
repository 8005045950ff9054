"""The nodes that pods of the run may use, and the ones from which a volume may be used."""

from __future__ import annotations

from collections.abc import Iterable

from acceptance.cluster.api import Api
from acceptance.cluster.resources import NODES, VOLUMES, Object
from acceptance.settings.pod_template import PodTemplate

# https://kubernetes.io/docs/reference/labels-annotations-taints/#kubernetes-io-os
SYSTEM = "kubernetes.io/os"
_KEEPS_PODS_AWAY = ("NoSchedule", "NoExecute")


def nodes_that_take_pods(api: Api, template: PodTemplate) -> list[Object]:
    """Return the nodes that are ready and take pods of the template."""
    return [node for node in api.list(NODES, slim=slim_node) if takes_pods(node, template)]


def nodes_for_volume(api: Api, volume: str, template: PodTemplate) -> list[str]:
    """Return the nodes that take pods of the template and that the volume's node affinity allows, by name."""
    affinity = api.get(VOLUMES, volume)["spec"].get("nodeAffinity") or {}
    terms = (affinity.get("required") or {}).get("nodeSelectorTerms")
    nodes = nodes_that_take_pods(api, template)
    return [node["metadata"]["name"] for node in nodes if terms is None or any(matches(node, term) for term in terms)]


def slim_node(node: Object) -> Object:
    """Return the parts that decide how many pods a node takes; a whole one, with its images, is ten times as large."""
    metadata, spec, status = node["metadata"], node.get("spec") or {}, node.get("status") or {}
    return {
        "metadata": {"name": metadata["name"], "labels": metadata.get("labels")},
        "spec": {"taints": spec.get("taints"), "unschedulable": spec.get("unschedulable")},
        "status": {"conditions": status.get("conditions"), "allocatable": status.get("allocatable")},
    }


def takes_pods(node: Object, template: PodTemplate) -> bool:
    """Return whether the node is ready and takes pods of the template."""
    matches_selector = template.selects(node["metadata"].get("labels") or {})
    return is_up(node) and matches_selector and all(template.tolerates(taint) for taint in _taints(node))


def is_up(node: Object) -> bool:
    """Return whether the node is ready and takes pods of the suite, at least those that tolerate its taints."""
    system = (node["metadata"].get("labels") or {}).get(SYSTEM, "linux")
    return is_ready(node) and system == "linux" and not node["spec"].get("unschedulable")


def is_ready(node: Object) -> bool:
    """Return whether the node's kubelet reports that all is well, and has reported recently."""
    return ready_condition(node).get("status") == "True"


def ready_condition(node: Object) -> Object:
    """Return the condition Ready that the cluster last knew; empty before the first report."""
    return next((condition for condition in node["status"].get("conditions") or [] if condition["type"] == "Ready"), {})


def tolerations(nodes: Iterable[Object]) -> list[Object]:
    """Return what a pod must tolerate to run on these nodes, each once."""
    taints = {
        (taint["key"], taint.get("value", ""), taint["effect"]): None for node in nodes for taint in _taints(node)
    }
    return [{"key": key, "operator": "Equal", "value": value, "effect": effect} for key, value, effect in taints]


def _taints(node: Object) -> list[Object]:
    return [taint for taint in node["spec"].get("taints") or [] if taint["effect"] in _KEEPS_PODS_AWAY]


def matches(node: Object, term: Object) -> bool:
    """Return whether the node meets all of a node selector term."""
    labels = node["metadata"].get("labels") or {}
    fields = {"metadata.name": node["metadata"]["name"]}
    return all(_holds(labels, match_expression) for match_expression in term.get("matchExpressions") or []) and all(
        _holds(fields, match_field) for match_field in term.get("matchFields") or []
    )


def _holds(values: dict[str, str], requirement: Object) -> bool:
    """Return whether a node selector requirement holds; not known for sizes (Gt, Lt), which then counts as no."""
    value, choices = values.get(requirement["key"]), requirement.get("values") or []
    return {
        "In": value in choices,
        "NotIn": value not in choices,
        "Exists": value is not None,
        "DoesNotExist": value is None,
    }.get(requirement["operator"], False)

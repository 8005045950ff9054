"""The cluster as the report shows it: version, nodes, StorageClasses, image."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.objects import only_name
from acceptance.cluster.resources import CONFIG_MAPS, NAMESPACES, NODES, Object
from acceptance.cluster.storage_classes import storage_classes
from acceptance.results.clusters import Cluster, Image, Node
from acceptance.text.redaction import shown_parameter

# A cluster may name the image that it offers to the suite, so that its users need not, and the substitutes that it has
# for real components, a line each.
OFFER_NAMESPACE, OFFER = "kube-public", "storage-acceptance"


def describe_cluster(api: Api, *, kind: str, image: str) -> Cluster:
    """Return everything about the cluster that a reader of the report needs, without credentials."""
    classes = [
        storage_class.model_copy(
            update={"parameters": {key: shown_parameter(key, value) for key, value in storage_class.parameters.items()}}
        )
        for storage_class in storage_classes(api)
    ]
    nodes = list(api.list(NODES, slim=_slim_node))
    return Cluster(
        kind=kind,
        kubernetes_version=api.version(),
        nodes=[_node(item) for item in nodes],
        storage_classes=classes,
        image=Image(reference=image, digest=None),
        identity=_identity(api, kind=kind),
        stand_ins=_stand_ins(api, kind=kind),
        machines=_machines(nodes),
    )


def offered_image(api: Api) -> str | None:
    """Return the image that the cluster itself names in `kube-public/storage-acceptance`, or None."""
    return _offer(api).get("image")


def offered_postgresql(api: Api) -> str | None:
    """Return the image of PostgreSQL that the cluster names there, or None."""
    return _offer(api).get("postgresqlImage")


def _stand_ins(api: Api, *, kind: str) -> list[str]:
    """Return the substitutes of an embedded cluster; elsewhere an account would need a permission for nothing."""
    return _offer(api).get("standIns", "").splitlines() if kind == "embedded" else []


def _offer(api: Api) -> Mapping[str, str]:
    try:
        offer = api.find(CONFIG_MAPS, OFFER, namespace=OFFER_NAMESPACE)
    except ApiError as error:
        if error.status == 403:
            return {}  # users who name their image do not need it
        raise
    return {} if offer is None else offer.get("data") or {}


def _identity(api: Api, *, kind: str) -> str:
    """Return the id that a cluster keeps while it lives; one that is created for each run has its host's name."""
    if kind not in ("kubeconfig", "in-cluster"):
        return f"{kind} on {platform.node()}"
    return str(api.get(NAMESPACES, "kube-system")["metadata"]["uid"])


def _machines(nodes: Sequence[Object]) -> int | None:
    """Return the number of boot IDs: nodes that are containers or processes of one machine have one in common."""
    boots = [item["status"]["nodeInfo"].get("bootID") for item in nodes]
    return len(set(boots)) if boots and all(boots) else None


def _slim_node(item: Object) -> Object:
    return {**only_name(item), "status": {"nodeInfo": item["status"]["nodeInfo"]}}


def _node(item: Object) -> Node:
    info = item["status"]["nodeInfo"]
    return Node(
        name=item["metadata"]["name"],
        kubelet=info["kubeletVersion"],
        kernel=info["kernelVersion"],
        os_image=info["osImage"],
        container_runtime=info["containerRuntimeVersion"],
        architecture=info["architecture"],
    )

"""The pools behind the classes of a plan, as far as drivers report them to Kubernetes, or known systems do themselves.

A class's volumes are taken to share a pool with those of all classes of its provisioner: no source reports if two
classes share their disks, and most do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acceptance.cluster.api import Api
from acceptance.cluster.nodes import takes_pods
from acceptance.cluster.resources import NODES, STORAGE_CAPACITIES, Object
from acceptance.cluster.storage_capacity import Segment, capacity_segments
from acceptance.results.clusters import StorageClass
from acceptance.settings.pod_template import PodTemplate
from acceptance.settings.target_file import (
    LONGHORN_DRIVER,
    LONGHORN_NAMESPACE,
    ROOK_NAMESPACE,
    CephTarget,
    LonghornTarget,
    Target,
)
from acceptance.trials.rebuild.ceph_space import ceph_space
from acceptance.trials.rebuild.choice import CEPH
from acceptance.trials.rebuild.longhorn_space import longhorn_space


@dataclass(frozen=True, kw_only=True)
class Pool:
    """The storage behind `storage_class`, as `source` reports it; volumes of all `sharing` classes are taken from it.

    `nodes`: the number of nodes that take pods; `evenly`: volumes that are spread evenly over the nodes are in the
    segments of their nodes.
    """

    storage_class: str
    sharing: frozenset[str]
    source: str
    segments: tuple[Segment, ...]
    nodes: int
    evenly: bool = False


def pools_of(
    api: Api, classes: Sequence[StorageClass], *, target: Target | None, other_nodes: bool, template: PodTemplate
) -> tuple[Pool, ...]:
    """Return all known pools behind the classes; a class may have several sources, or none.

    `target`: the storage under test as named by the user, without which no storage system is queried. `other_nodes`:
    pods may run on nodes that take no pods of the template. Raises ApiError, ApiUnreachable.
    """
    nodes = [node for node in api.list(NODES) if takes_pods(node, template)]
    capacities = api.list(STORAGE_CAPACITIES)
    pools = []
    for storage_class in classes:
        sharing = frozenset(peer.name for peer in classes if peer.provisioner == storage_class.provisioner)
        pools += _of_driver(storage_class, sharing, capacities, nodes, other_nodes=other_nodes)
        pools += _of_system(api, storage_class, sharing, target, nodes) if target is not None else []
    return tuple(pools)


def _of_driver(
    storage_class: StorageClass,
    sharing: frozenset[str],
    capacities: Sequence[Object],
    nodes: Sequence[Object],
    *,
    other_nodes: bool,
) -> list[Pool]:
    # A class with immediate binding spreads its volumes as its provisioner decides.
    anywhere = other_nodes or not storage_class.waits_for_pod
    segments = capacity_segments(capacities, storage_class=storage_class.name, nodes=nodes, anywhere=anywhere)
    pool = Pool(
        storage_class=storage_class.name,
        sharing=sharing,
        source="CSIStorageCapacity",
        segments=tuple(segments),
        nodes=len(nodes),
        evenly=not anywhere,
    )
    return [pool] if segments else []


def _of_system(
    api: Api, storage_class: StorageClass, sharing: frozenset[str], target: Target, nodes: Sequence[Object]
) -> list[Pool]:
    parameters, rebuild = storage_class.parameters, target.rebuild
    if storage_class.provisioner == LONGHORN_DRIVER:
        namespace = rebuild.namespace if isinstance(rebuild, LonghornTarget) else LONGHORN_NAMESPACE
        source, free = "Longhorn's nodes", longhorn_space(api, namespace, parameters=parameters)
    elif CEPH.fullmatch(storage_class.provisioner):
        # Rook calls a cluster by its namespace.
        here = parameters.get("clusterID") or ROOK_NAMESPACE
        namespace = rebuild.namespace if isinstance(rebuild, CephTarget) else here
        source, free = f"CephCluster in {namespace}", ceph_space(api, namespace, parameters=parameters)
    else:
        return []
    if free is None:
        return []
    segment = Segment(name="volumes with all their replicas", free=free, nodes=len(nodes))
    return [
        Pool(storage_class=storage_class.name, sharing=sharing, source=source, segments=(segment,), nodes=len(nodes))
    ]

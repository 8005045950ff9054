"""The health of nodes: they have the cluster's images, and their kubelets are not short of anything."""

import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from acceptance.text.errors import EnvironmentFailure
from acceptance.text.quantities import format_quantity
from embedded_cluster import images
from embedded_cluster.layout import Layout, NodeLayout
from embedded_cluster.progress import step
from embedded_cluster.state import ClusterState

PRESSURES = {"DiskPressure": "disk", "MemoryPressure": "memory", "PIDPressure": "processes"}
"""The conditions with which a kubelet reports what its node runs short of: it then takes no pods, and ends some.
https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/#node-conditions"""
LEAST_FREE_B = 200 * 1024**2
"""Free bytes on the disk with all state of a cluster; with less, etcd and containerd fail at their next writes."""


def pressures(nodes: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return what the nodes of the API server report that they are short of, in words."""
    return [
        f"node {node['metadata']['name']} is short of {PRESSURES[condition['type']]} ({condition['type']}: "
        f"{condition.get('message', 'no reason given')}); free some; the kubelet then takes pods again after 5 min"
        for node in nodes
        for condition in node.get("status", {}).get("conditions", [])
        if condition["type"] in PRESSURES and condition["status"] == "True"
    ]


def full_disk(layout: Layout) -> list[str]:
    """Return a problem if the disk with the cluster's state is full. Pods that fill it are not evicted."""
    free = shutil.disk_usage(layout.state).free
    if free >= LEAST_FREE_B:
        return []
    return [f"{layout.state}: only {format_quantity(free, unit='B')} are free on this disk; free some space"]


def without_images(layout: Layout, state: ClusterState) -> list[NodeLayout]:
    """Return the nodes that lack an image that they were given: of every cluster, of a part, or offered later.

    Raises EnvironmentFailure if a containerd does not answer.
    """
    further = (name for load in state.loaded for name in load.images)
    return _lacking(_names_on(_nodes(layout, state)), [*_of_every_cluster(state), *further])


def restore_images(layout: Layout, state: ClusterState, nodes: Sequence[NodeLayout]) -> None:
    """Load the images that these nodes lack into them again; pods that run are left alone.

    Raises EnvironmentFailure if they cannot be loaded, if this host's programs now make another image, or if the
    archive of other images is no longer in the cache.
    """
    names_on = _names_on(nodes)  # before any archive is loaded: no two hold the same image
    if lacking := _lacking(names_on, _of_every_cluster(state)):
        current = images.ensure()
        if (current.fio, current.pause) != (state.image, state.pause_image):
            raise EnvironmentFailure(f"the cluster has image {state.image}, but this host now builds {current.fio}")
        _load(current.archive, lacking, state)
    for load in state.loaded:
        if lacking := _lacking(names_on, load.images):
            archive = Path(load.archive)
            if not archive.exists():
                raise EnvironmentFailure(
                    f"nodes of cluster {layout.name} lack {', '.join(load.images)}, and their archive {archive} no "
                    f"longer exists; take the cluster down (`storage-acceptance cluster down --name {layout.name}`), "
                    "and start it again with the same parts"
                )
            _load(archive, lacking, state)


def _of_every_cluster(state: ClusterState) -> tuple[str, str]:
    return state.image, state.pause_image


def _names_on(nodes: Iterable[NodeLayout]) -> dict[NodeLayout, set[str]]:
    return {node: images.names(node) for node in nodes}


def _lacking(names_on: Mapping[NodeLayout, set[str]], names: Collection[str]) -> list[NodeLayout]:
    return [node for node, node_names in names_on.items() if not node_names >= set(names)]


def _load(archive: Path, nodes: Sequence[NodeLayout], state: ClusterState) -> None:
    with step(f"load {archive.name} again into {', '.join(node.name for node in nodes)}"):
        for node in nodes:
            images.load(archive, node, snapshotter=state.snapshotter)


def _nodes(layout: Layout, state: ClusterState) -> list[NodeLayout]:
    return [layout.node(number) for number in range(1, len(state.node_addresses) + 1)]

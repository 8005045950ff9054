"""The free space of Ceph, in volumes of a class with all their copies, as Rook's objects report it.

Source: the types of Rook, `pkg/apis/ceph.rook.io/v1`. The free space is that of all devices together, even if a pool
uses only one kind of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from acceptance.cluster.api import Api
from acceptance.cluster.permissions import Permission, may
from acceptance.cluster.resources import Resource

GROUP, VERSION = "ceph.rook.io", "v1"
PREFIX = f"apis/{GROUP}/{VERSION}"
CEPH_CLUSTERS = Resource(prefix=PREFIX, plural="cephclusters")
BLOCK_POOLS = Resource(prefix=PREFIX, plural="cephblockpools")
NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
COPIES = 3
"""Ceph's own default (osd_pool_default_size), if it is not known how many copies a pool keeps."""

Object = Mapping[str, Any]


def ceph_space_permissions(namespace: str) -> list[Permission]:
    """Return the permissions to read the free space, in Rook's namespace."""
    return [
        Permission(resource=resource, verbs=("list",), namespace=namespace) for resource in (CEPH_CLUSTERS, BLOCK_POOLS)
    ]


def ceph_space(api: Api, namespace: str, *, parameters: Mapping[str, str]) -> int | None:
    """Return the bytes of volumes of a class with these `parameters`; None if they are not known, or may not be read.

    Outside Rook, a class names its cluster by something other than a namespace, of which nothing is known here.
    """
    if not NAMESPACE.fullmatch(namespace):
        return None
    if VERSION not in api.group_versions(GROUP) or not may(api, ceph_space_permissions(namespace)):
        return None
    pool = parameters.get("dataPool") or parameters.get("pool")
    pools = {pool_object["metadata"]["name"]: pool_object for pool_object in api.list(BLOCK_POOLS, namespace=namespace)}
    raw, per_volume = copies_of(pools.get(pool))
    sizes = [
        free for cluster in api.list(CEPH_CLUSTERS, namespace=namespace) if (free := free_bytes(cluster)) is not None
    ]
    return sum(sizes) * per_volume // raw if sizes else None


def free_bytes(cluster: Object) -> int | None:
    """Return the free bytes on the devices of a `CephCluster`; None if it reports no capacity."""
    capacity = ((cluster.get("status") or {}).get("ceph") or {}).get("capacity") or {}
    # Ceph leaves out a figure that is zero.
    return int(capacity.get("bytesAvailable") or 0) if capacity.get("bytesTotal") else None


def copies_of(pool: Object | None) -> tuple[int, int]:
    """Return how many bytes on devices hold how many bytes of a volume: 3 and 1 for three copies, 6 and 4 for 4+2
    chunks.

    `pool`: a `CephBlockPool`, None if it is not known.
    """
    spec = (pool or {}).get("spec") or {}
    erasure_coding = spec.get("erasureCoded") or {}
    if data := int(erasure_coding.get("dataChunks") or 0):
        return data + int(erasure_coding.get("codingChunks") or 0), data
    return int((spec.get("replicated") or {}).get("size") or COPIES), 1

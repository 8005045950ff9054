"""How much Ceph still takes, in volumes of a class with all their copies, as Rook's objects tell it.

Source: the types of Rook, `pkg/apis/ceph.rook.io/v1`. What is free is of all devices together, also where a pool uses
those of one kind alone.
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
"""Ceph's own default (osd_pool_default_size), where it is not known how many a pool keeps."""

Object = Mapping[str, Any]


def ceph_space_permissions(namespace: str) -> list[Permission]:
    """What tells how much is free, in Rook's namespace."""
    return [
        Permission(resource=resource, verbs=("list",), namespace=namespace) for resource in (CEPH_CLUSTERS, BLOCK_POOLS)
    ]


def ceph_space(api: Api, namespace: str, *, parameters: Mapping[str, str]) -> int | None:
    """Bytes of volumes of a class with these `parameters`; None where that is not known, or may not be read.

    Outside Rook a class names its cluster by something else than a namespace, of which nothing is known here.
    """
    if not NAMESPACE.fullmatch(namespace):
        return None
    if VERSION not in api.group_versions(GROUP) or not may(api, ceph_space_permissions(namespace)):
        return None
    pool = parameters.get("dataPool") or parameters.get("pool")
    pools = {each["metadata"]["name"]: each for each in api.list(BLOCK_POOLS, namespace=namespace)}
    raw, per_volume = copies_of(pools.get(pool))
    found = [free for each in api.list(CEPH_CLUSTERS, namespace=namespace) if (free := free_bytes(each)) is not None]
    return sum(found) * per_volume // raw if found else None


def free_bytes(cluster: Object) -> int | None:
    """What a `CephCluster` says is free on its devices, in bytes; None where it says nothing of its capacity."""
    capacity = ((cluster.get("status") or {}).get("ceph") or {}).get("capacity") or {}
    # A figure that is zero is left out.
    return int(capacity.get("bytesAvailable") or 0) if capacity.get("bytesTotal") else None


def copies_of(pool: Object | None) -> tuple[int, int]:
    """So many bytes on devices hold so many bytes of a volume: 3 and 1 for three copies, 6 and 4 for 4+2 chunks.

    `pool`: a `CephBlockPool`, None where it is not known.
    """
    spec = (pool or {}).get("spec") or {}
    coded = spec.get("erasureCoded") or {}
    if data := int(coded.get("dataChunks") or 0):
        return data + int(coded.get("codingChunks") or 0), data
    return int((spec.get("replicated") or {}).get("size") or COPIES), 1

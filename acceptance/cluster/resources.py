"""The kinds of objects that the suite requests from an API server, as the paths of requests spell them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

Object = dict[str, Any]
"""An object of the cluster as JSON spells it."""


@dataclass(frozen=True, kw_only=True)
class Resource:
    """One kind of object as the API server's paths spell it."""

    prefix: str
    plural: str
    has_namespace: bool = True

    @property
    def group(self) -> str:
        """Return the API group; empty for the core group."""
        parts = self.prefix.split("/")
        return parts[1] if parts[0] == "apis" else ""

    def of_version(self, version: str) -> Self:
        """Return the kind in another version of its API group."""
        return replace(self, prefix=f"apis/{self.group}/{version}")

    def path(self, *, namespace: str | None, name: str | None = None, subresource: str | None = None) -> str:
        """Return the request path of the collection, of one object, or of an object's subresource."""
        scope = ["namespaces", namespace] if self.has_namespace and namespace else []
        return "/" + "/".join(part for part in (self.prefix, *scope, self.plural, name, subresource) if part)


NAMESPACES = Resource(prefix="api/v1", plural="namespaces", has_namespace=False)
NODES = Resource(prefix="api/v1", plural="nodes", has_namespace=False)
VOLUMES = Resource(prefix="api/v1", plural="persistentvolumes", has_namespace=False)
CLAIMS = Resource(prefix="api/v1", plural="persistentvolumeclaims")
PODS = Resource(prefix="api/v1", plural="pods")
EVENTS = Resource(prefix="api/v1", plural="events")
CONFIG_MAPS = Resource(prefix="api/v1", plural="configmaps")
SECRETS = Resource(prefix="api/v1", plural="secrets")
SERVICE_ACCOUNTS = Resource(prefix="api/v1", plural="serviceaccounts")
STORAGE_CLASSES = Resource(prefix="apis/storage.k8s.io/v1", plural="storageclasses", has_namespace=False)
ATTACHMENTS = Resource(prefix="apis/storage.k8s.io/v1", plural="volumeattachments", has_namespace=False)
LEASES = Resource(prefix="apis/coordination.k8s.io/v1", plural="leases")
STATEFUL_SETS = Resource(prefix="apis/apps/v1", plural="statefulsets")
JOBS = Resource(prefix="apis/batch/v1", plural="jobs")
CSI_DRIVERS = Resource(prefix="apis/storage.k8s.io/v1", plural="csidrivers", has_namespace=False)
STORAGE_CAPACITIES = Resource(prefix="apis/storage.k8s.io/v1", plural="csistoragecapacities")
CSI_NODES = Resource(prefix="apis/storage.k8s.io/v1", plural="csinodes", has_namespace=False)
ATTRIBUTES_CLASSES = Resource(prefix="apis/storage.k8s.io/v1", plural="volumeattributesclasses", has_namespace=False)
VOLUME_SNAPSHOTS = Resource(prefix="apis/snapshot.storage.k8s.io/v1", plural="volumesnapshots")
SNAPSHOT_CONTENTS = Resource(
    prefix="apis/snapshot.storage.k8s.io/v1", plural="volumesnapshotcontents", has_namespace=False
)
SNAPSHOT_CLASSES = Resource(
    prefix="apis/snapshot.storage.k8s.io/v1", plural="volumesnapshotclasses", has_namespace=False
)
# Clusters serve them in different versions: group_snapshots.py finds the one that is served.
GROUP_SNAPSHOTS = Resource(prefix="apis/groupsnapshot.storage.k8s.io/v1beta1", plural="volumegroupsnapshots")
GROUP_CONTENTS = Resource(
    prefix="apis/groupsnapshot.storage.k8s.io/v1beta1", plural="volumegroupsnapshotcontents", has_namespace=False
)
GROUP_CLASSES = Resource(
    prefix="apis/groupsnapshot.storage.k8s.io/v1beta1", plural="volumegroupsnapshotclasses", has_namespace=False
)
ACCESS_REVIEWS = Resource(prefix="apis/authorization.k8s.io/v1", plural="selfsubjectaccessreviews", has_namespace=False)

"""Longhorn's kinds in the API server, since Longhorn 1.3."""

from __future__ import annotations

from acceptance.cluster.resources import Resource

GROUP, VERSION = "longhorn.io", "v1beta2"
PREFIX = f"apis/{GROUP}/{VERSION}"
LONGHORN_VOLUMES = Resource(prefix=PREFIX, plural="volumes")
ENGINES = Resource(prefix=PREFIX, plural="engines")
REPLICAS = Resource(prefix=PREFIX, plural="replicas")
LONGHORN_NODES = Resource(prefix=PREFIX, plural="nodes")
SETTINGS = Resource(prefix=PREFIX, plural="settings")

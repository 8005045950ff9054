"""The lab's own CSI driver: compiled from `go/`, and the packages of this host that it needs."""

from pathlib import Path

from embedded_cluster import packages
from embedded_cluster.go_modules import build_once, compile_packages
from embedded_cluster.layout import PACKAGE

SOURCE = PACKAGE / "csi" / "go"
NAME = "csi.lab.storage-acceptance"
"""The name by which Kubernetes knows the driver."""
PROGRAMS = {"xfsprogs": "mkfs.xfs", "mount": "mount"}
"""Debian packages with the programs that the driver calls, each with one of them."""
_FLAGS = "-s -w"


def ensure() -> Path:
    """Return the driver's program, from the cache or built now (a minute on 2 idle cores); install its packages.

    Raises EnvironmentFailure if a module or a package is not available.
    """
    packages.ensure(PROGRAMS)
    return build_once("csi-driver", sources=[SOURCE], recipe=_FLAGS, build=_build) / "csi-driver"


def _build(go: Path, target: Path) -> None:
    compile_packages(["."], go=go, source=SOURCE, output=target / "csi-driver", flags=_FLAGS)

"""Installing and building what clusters are made of, which takes minutes on a new machine and moments afterward."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from embedded_cluster import builds, images, packages
from embedded_cluster.ceph import part as ceph
from embedded_cluster.csi import part as csi
from embedded_cluster.locking import preparation_lock
from embedded_cluster.longhorn import part as longhorn
from embedded_cluster.progress import step
from embedded_cluster.state import CEPH, CSI, LONGHORN


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """What a cluster is made of; with Longhorn and CSI if these are not None."""

    binaries: builds.Binaries
    images: images.Images
    longhorn: longhorn.Longhorn | None
    csi: csi.Csi | None


def prepare(
    *, parts: Collection[str], simulated_nodes: bool, after_packages: Callable[[], None] = lambda: None
) -> Prepared:
    """Have everything installed and built for a cluster with these parts, for nodes and for simulated nodes.

    `after_packages` is called if packages were installed, before anything is built. Raises EnvironmentFailure.
    """
    with preparation_lock():
        if packages.ensure():
            after_packages()
        binaries = builds.ensure()
        if simulated_nodes:
            builds.ensure_kwok()
        with_longhorn = longhorn.ensure() if LONGHORN in parts else None
        with_csi = csi.ensure() if CSI in parts else None
        if CEPH in parts:
            ceph.ensure(rbd=CSI in parts)
        with step("prepare the images"):
            archive = images.ensure()
    return Prepared(binaries=binaries, images=archive, longhorn=with_longhorn, csi=with_csi)

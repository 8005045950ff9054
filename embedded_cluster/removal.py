"""Taking a cluster off the host, from whatever state it is in, and proving that nothing is left."""

import contextlib
import shutil
from pathlib import Path

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import cgroups, mounts, network, preconditions, processes, sysctls
from embedded_cluster.layout import Layout
from embedded_cluster.locking import host_lock

# Folders outside the cluster's own whose places are fixed in containerd, its CNI library and the kubelet.
_CNI_RESULTS = Path("/var/lib/cni/results")
# As a pattern: files of a cluster `a` are told from those of a cluster `a-b` by it.
_CONTAINER_ID = "[0-9a-f]" * 64
_SHIM_SOCKETS = Path("/run/containerd/s")
_CONTAINER_LOGS = Path("/var/log/containers")


def remove(layout: Layout) -> None:
    """Remove all of a cluster; nothing to remove is no error.

    Raises EnvironmentFailure naming what could not be removed.
    """
    processes.end(layout)
    _remove_strays(layout)
    for folder in (layout.run, layout.state):
        mounts.unmount(folder)
    network.remove(layout)
    cgroups.remove(layout.cgroup)
    _remove_device_plugins()
    for folder in (layout.run, layout.state):
        # Never into a file system that would not go: its files may be another's.
        if not mounts.below(folder):
            shutil.rmtree(folder, ignore_errors=True)
            with contextlib.suppress(OSError):  # Not empty: other clusters.
                folder.parent.rmdir()
    sysctls.restore()
    if left := leftovers(layout):
        listed = "\n".join(f"- {item}" for item in left)
        raise EnvironmentFailure(f"cluster {layout.name} could not be removed entirely; left are:\n{listed}")


def _remove_device_plugins() -> None:
    """Remove what kubelets left where they listen for device plugins, unless one listens there or is about to."""
    folder = Path(preconditions.DEVICE_PLUGINS).parent
    with host_lock("kubelet"):
        left = {each.name for each in folder.glob("*")}
        if preconditions.listening_kubelet() is not None or not left <= {"kubelet.sock", "kubelet_internal_checkpoint"}:
            return
        for name in left:
            (folder / name).unlink(missing_ok=True)
        for empty in (folder, folder.parent):
            with contextlib.suppress(OSError):  # never made, or of others
                empty.rmdir()


def leftovers(layout: Layout) -> list[str]:
    """Everything of a cluster that is on the host, in words; empty where there is none."""
    found = [f"process {pid}" for pid in sorted(processes.of_cluster(layout))]
    for folder in (layout.state, layout.run):
        found += [f"mount {target}" for target in mounts.below(folder)]
        found += [f"folder {folder}"] * folder.exists()
    found += [f"bridge {layout.bridge}"] * network.exists(layout)
    found += [f"cgroup {folder}" for folder in cgroups.remaining(layout.cgroup)]
    found += [f"file {path}" for path in _strays(layout)]
    return found


def _strays(layout: Layout) -> list[Path]:
    """The cluster's files in folders that it shares with others."""
    found = [*_CNI_RESULTS.glob(f"{layout.cni_network}-{_CONTAINER_ID}-eth0")] if _CNI_RESULTS.exists() else []
    # A pod's loopback has a file too, which bears no name but the container's.
    containers = [path.name.removeprefix(f"{layout.cni_network}-").removesuffix("-eth0") for path in found]
    found += [_CNI_RESULTS / f"cni-loopback-{container}-lo" for container in containers]
    # A shim's socket is named by a digest; the shim's own folder says which it is.
    for address in layout.run.glob("*/containerd/io.containerd.runtime.v2.task/k8s.io/*/address"):
        found.append(Path(address.read_text().strip().removeprefix("unix://")))
    if _CONTAINER_LOGS.exists():
        found += [link for link in _CONTAINER_LOGS.iterdir() if _points_into(link, layout.state)]
    return [path for path in found if path.exists() or path.is_symlink()]


def _points_into(link: Path, folder: Path) -> bool:
    return link.is_symlink() and link.readlink().is_relative_to(folder)


def _remove_strays(layout: Layout) -> None:
    for path in _strays(layout):
        path.unlink(missing_ok=True)
    for folder in (
        _CNI_RESULTS,
        _CNI_RESULTS.parent / "cache",
        _CNI_RESULTS.parent,
        _SHIM_SOCKETS,
        _SHIM_SOCKETS.parent,
        _CONTAINER_LOGS,
    ):
        with contextlib.suppress(OSError):  # Used by others, or never made.
            folder.rmdir()

"""Takes a cluster off the host, from whatever state it is in, and proves that nothing is left."""

import contextlib
import shutil
import time
from pathlib import Path

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import cgroups, loop_devices, mount_points, mounts, network, processes, sysctls
from embedded_cluster.csi import frozen
from embedded_cluster.layout import Layout, cache_folder


def remove(layout: Layout) -> None:
    """Remove all of a cluster; nothing to remove is no error.

    Raises EnvironmentFailure naming what could not be removed.
    """
    processes.end(layout, letting_go=lambda: frozen.thaw(layout))
    # Otherwise they keep their loop devices.
    for target in (layout.csi.frozen, layout.local):
        mounts.unmount(target)
    loop_devices.detach(lambda: loop_devices.of_cluster(layout))
    for folder in (layout.run, layout.state):
        mounts.unmount(folder)
    network.remove(layout)
    cgroups.remove(layout.cgroup)
    for folder in (layout.run, layout.state):
        # Never delete inside a file system that could not be unmounted: its files may belong to another cluster.
        if not mounts.below(folder):
            shutil.rmtree(folder, ignore_errors=True)
            with contextlib.suppress(OSError):  # Not empty: other clusters.
                folder.parent.rmdir()
    loop_devices.remove_new()
    mount_points.remove()
    sysctls.restore()
    if remains := leftovers(layout):
        lines = "\n".join(f"- {item}" for item in remains)
        raise EnvironmentFailure(f"cluster {layout.name} could not be removed completely; remaining:\n{lines}")


def leftovers(layout: Layout) -> list[str]:
    """Return everything of a cluster that is on the host, in words; empty if there is none."""
    remains = [f"process {pid}" for pid in sorted(processes.of_cluster(layout))]
    for folder in (layout.state, layout.run):
        remains += [f"mount {target}" for target in mounts.below(folder)]
        remains += [f"folder {folder}"] * folder.exists()
    remains += [f"loop device {device.name}" for device in loop_devices.of_cluster(layout)]
    remains += [f"bridge {layout.bridge}"] * network.exists(layout)
    remains += [f"cgroup {folder}" for folder in cgroups.remaining(layout.cgroup)]
    return remains


def keep_logs(layout: Layout) -> Path:
    """Copy the logs of a start that failed to the cache; return their folder."""
    target = cache_folder() / "logs" / f"{layout.name}-{time.strftime('%Y%m%d-%H%M%S')}"
    with contextlib.suppress(OSError):  # It failed before there were any.
        shutil.copytree(layout.logs, target)
    return target

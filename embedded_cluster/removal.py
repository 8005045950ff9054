"""Taking a cluster off the host, from whatever state it is in, and proving that nothing is left."""

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
    # They keep their loop devices otherwise.
    for mounted in (layout.csi.frozen, layout.local):
        mounts.unmount(mounted)
    loop_devices.detach(lambda: loop_devices.of_cluster(layout))
    for folder in (layout.run, layout.state):
        mounts.unmount(folder)
    network.remove(layout)
    cgroups.remove(layout.cgroup)
    for folder in (layout.run, layout.state):
        # Never into a file system that would not go: its files may be another's.
        if not mounts.below(folder):
            shutil.rmtree(folder, ignore_errors=True)
            with contextlib.suppress(OSError):  # Not empty: other clusters.
                folder.parent.rmdir()
    loop_devices.remove_added()
    mount_points.remove()
    sysctls.restore()
    if left := leftovers(layout):
        listed = "\n".join(f"- {item}" for item in left)
        raise EnvironmentFailure(f"cluster {layout.name} could not be removed entirely; left are:\n{listed}")


def leftovers(layout: Layout) -> list[str]:
    """Everything of a cluster that is on the host, in words; empty where there is none."""
    found = [f"process {pid}" for pid in sorted(processes.of_cluster(layout))]
    for folder in (layout.state, layout.run):
        found += [f"mount {target}" for target in mounts.below(folder)]
        found += [f"folder {folder}"] * folder.exists()
    found += [f"loop device {device.name}" for device in loop_devices.of_cluster(layout)]
    found += [f"bridge {layout.bridge}"] * network.exists(layout)
    found += [f"cgroup {folder}" for folder in cgroups.remaining(layout.cgroup)]
    return found


def keep_logs(layout: Layout) -> Path:
    """Copy the logs of a start that failed to the cache; return their folder."""
    target = cache_folder() / "logs" / f"{layout.name}-{time.strftime('%Y%m%d-%H%M%S')}"
    with contextlib.suppress(OSError):  # Failed before there were any.
        shutil.copytree(layout.logs, target)
    return target

"""A folder that each node of a cluster sees through an overlay of its own: data arrives in it, locks stay on the node.

As a network file system that is mounted with local locks. An overlay goes on showing what it has looked up.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from embedded_cluster.commands import run
from embedded_cluster.layout import Layout
from embedded_cluster.mount_namespaces import MountNamespace, holder_of_node
from embedded_cluster.state import read_state


@contextmanager
def own_locks(cluster: str, folder: Path) -> Iterator[None]:
    """The nodes see the folder so until the block ends; what overlays need lies beside it."""
    state = read_state(Layout(cluster))
    assert state is not None
    holders = {process.component: process.pid for process in state.processes}
    below = folder.with_name(f"{folder.name}-below")
    below.mkdir()
    with ExitStack() as stack:
        for number in range(1, len(state.node_addresses) + 1):
            namespace = MountNamespace(holders[holder_of_node(number)])
            work = folder.with_name(f"{folder.name}-work-{number}")
            work.mkdir()
            options = f"lowerdir={below},upperdir={folder},workdir={work}"
            run(namespace.inside(["mount", "-t", "overlay", "overlay", "-o", options, folder]))
            stack.callback(run, namespace.inside(["umount", "--lazy", folder]))
        yield

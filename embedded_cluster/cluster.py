"""The interface for other code: the embedded cluster that runs now."""

from dataclasses import dataclass
from pathlib import Path

from embedded_cluster.layout import STATE_ROOT, Layout, is_name
from embedded_cluster.processes import is_running
from embedded_cluster.state import read_state


@dataclass(frozen=True)
class EmbeddedCluster:
    """A running embedded cluster: its name, its admin kubeconfig and the image with fio that its nodes hold."""

    name: str
    kubeconfig: Path
    image: str


def running_names() -> list[str]:
    """Return the names of the embedded clusters of which `find` finds one."""
    try:
        folders = sorted(path.name for path in STATE_ROOT.iterdir() if path.is_dir() and is_name(path.name))
    except OSError:  # it does not exist, or belongs to another user
        return []
    return [name for name in folders if find(name) is not None]


def find(name: str = "default") -> EmbeddedCluster | None:
    """Return the embedded cluster `name` if its `up` finished and its API server's process is alive, else None.

    Starts nothing and queries no server. Raises WrongUsage if `name` is no cluster name.
    """
    layout = Layout(name)
    state = read_state(layout)
    if state is None or not state.complete:
        return None
    alive = any(record.component == "kube-apiserver" and is_running(record) for record in state.processes)
    return EmbeddedCluster(name=name, kubeconfig=layout.kubeconfig, image=state.image) if alive else None

"""The face other code sees: which embedded cluster is running now."""

from dataclasses import dataclass
from pathlib import Path

from embedded_cluster.layout import Layout
from embedded_cluster.processes import is_running
from embedded_cluster.state import read_state


@dataclass(frozen=True)
class EmbeddedCluster:
    """A running embedded cluster: its name, its admin kubeconfig and the image with fio that its nodes hold."""

    name: str
    kubeconfig: Path
    image: str


def find(name: str = "default") -> EmbeddedCluster | None:
    """The embedded cluster `name` if its `up` finished and its API server's process is alive, else None.

    Starts nothing and asks no server. Raises WrongUsage where `name` is no cluster name.
    """
    layout = Layout(name)
    state = read_state(layout)
    if state is None or not state.complete:
        return None
    alive = any(record.component == "kube-apiserver" and is_running(record) for record in state.processes)
    return EmbeddedCluster(name=name, kubeconfig=layout.kubeconfig, image=state.image) if alive else None

"""Interrupts the storage of a running cluster for a while, as a lost network or backend does, and brings it back."""

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

from acceptance.text.errors import WrongUsage
from embedded_cluster import processes
from embedded_cluster.csi.part import CLASS as CSI_CLASS
from embedded_cluster.glusterfs import REPLICAS
from embedded_cluster.layout import Layout
from embedded_cluster.locking import cluster_lock
from embedded_cluster.node_control import node_failure_commands
from embedded_cluster.replica import CLASS as REPLICATED
from embedded_cluster.state import CSI, ClusterState, read_state
from embedded_cluster.waiting import NotYet, wait_for

_STILL_S = 60


def interrupt_storage(name: str) -> None:
    """Stop all bricks of cluster `name`, and have all file systems of the lab's CSI driver stand still.

    Interrupting interrupted storage is no error. Raises WrongUsage for a cluster that does not run.
    """
    layout = Layout(name)
    with cluster_lock(layout):
        state = _state_of(layout)
        _signal_bricks(layout, signal.SIGSTOP)
        if CSI in state.parts:
            layout.csi.interrupted.touch()
            _wait_driver(layout, interrupted=True)


def restore_storage(name: str) -> None:
    """Let them continue; no error if nothing is interrupted. Raises as `interrupt_storage` does."""
    layout = Layout(name)
    with cluster_lock(layout):
        state = _state_of(layout)
        _signal_bricks(layout, signal.SIGCONT)
        if CSI in state.parts:
            layout.csi.interrupted.unlink(missing_ok=True)
            _wait_driver(layout, interrupted=False)


def disturbance_commands(*, name: str, storage_classes: Sequence[str | None] = ()) -> dict[str, dict[str, list[str]]]:
    """Return the section `disturb` of a target file for the cluster `name`, without what leaves a class unaffected.

    The second duration is longer than GlusterFS's clients wait for an answer (network.ping-timeout, 42 s).
    """
    command, layout = [sys.executable, "-m", "embedded_cluster"], Layout(name)
    state = read_state(layout)
    commands = {}
    if all(is_interrupted(storage_class) for storage_class in storage_classes):
        commands["interrupt"] = {
            "run": [*command, "storage-interrupt", "--name", name],
            "restore": [*command, "storage-restore", "--name", name],
            "durations": ["10s", "60s"],
        }
    if state is not None:
        nodes = [layout.node(number).name for number in range(1, len(state.node_addresses) + 1)]
        on_node = node_failure_commands(name=name)
        commands["restart"] = {"run": on_node["fail"], "restore": on_node["restore"], "nodes": nodes}
        commands["restart_together"] = commands["restart"]
        commands["shutdown"] = {
            "run": [*command, "node-shutdown", "--name", name, "{node}"],
            "restore": on_node["restore"],
        }
        commands["cut"] = {
            "run": [*command, "node-cut", "--name", name, "{node}"],
            "restore": [*command, "node-rejoin", "--name", name, "{node}"],
        }
    return commands


def is_interrupted(storage_class: str | None) -> bool:
    """Return whether `interrupt_storage` affects the class; None: the default class, which it does not affect."""
    own, text = (REPLICATED, CSI_CLASS), storage_class or ""
    return text in own or text.startswith(f"{CSI_CLASS}-")


def _state_of(layout: Layout) -> ClusterState:
    state = read_state(layout)
    if state is None:
        raise WrongUsage(f"no embedded cluster {layout.name} runs")
    return state


def _signal_bricks(layout: Layout, number: signal.Signals) -> None:
    for brick in range(1, REPLICAS + 1):
        for pid in processes.with_argument(f"{layout.node(brick).brick}/data"):
            with suppress(ProcessLookupError):
                os.kill(pid, number)


def _wait_driver(layout: Layout, *, interrupted: bool) -> None:
    """Wait until the driver has done it: it shows with a file that all volumes stand still."""

    def check() -> None:
        if layout.csi.stands_still.exists() != interrupted:
            raise NotYet(f"{layout.csi.stands_still} {'does not exist' if interrupted else 'still exists'}")

    what = "stand still" if interrupted else "continue"
    wait_for(f"the volumes of the CSI driver to {what}", check, timeout=_STILL_S, interval=0.1)

"""What runs, what does not, and whether the cluster answers."""

import contextlib
from dataclasses import dataclass

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import check, node_health, simulation
from embedded_cluster.ceph import part as ceph
from embedded_cluster.commands import succeeds
from embedded_cluster.csi import part as csi
from embedded_cluster.kubectl import Kubectl
from embedded_cluster.layout import Layout, NodeLayout
from embedded_cluster.longhorn import part as longhorn
from embedded_cluster.processes import is_running
from embedded_cluster.state import CEPH, CSI, LONGHORN, ClusterState, read_state
from embedded_cluster.waiting import NotYet, wait_for

# For what passes on a busy machine: a node that is late to tell that it lives, a server or a mount that is slow.
PASSES_S = 90
_MOUNT_ANSWERS_S = 20


@dataclass(frozen=True)
class Status:
    """The state of a cluster; `problems` is empty where it is healthy, and `lines` is for people.

    `may_pass`: all its processes run, so that the problems may go by themselves. `short`: those of its problems that
    are of the machine, which a new cluster would have, too. `without_images`: the nodes that lack images, which can be
    loaded again.
    """

    running: bool
    problems: tuple[str, ...]
    lines: tuple[str, ...]
    may_pass: bool = False
    short: tuple[str, ...] = ()
    without_images: tuple[NodeLayout, ...] = ()


def status(layout: Layout) -> Status:
    """Ask processes, API server and mount how they are; takes a second at most while all is well."""
    state = read_state(layout)
    if state is None or not any(is_running(record) for record in state.processes):
        return Status(running=False, problems=(f"cluster {layout.name} does not run",), lines=())
    problems = [] if state.complete else ["its `up` did not finish"]
    lines = [f"cluster     {state.name}, Kubernetes {state.kubernetes_version}", f"kubeconfig  {layout.kubeconfig}"]
    lines += [f"image       {state.image}", f"network     {state.subnet} on {layout.bridge}"]
    lines.append(f"disks       {state.disks}")
    lines += [f"parts       {', '.join(state.parts)}"] * bool(state.parts)
    lines += ["timers      short: silent nodes are lost early"] * state.short_timers
    lines.append(f"for pods    API server on {state.gateway}:{state.ports['kube-apiserver']}")
    for record in state.processes:
        port = state.ports.get(record.component)
        alive = is_running(record)
        lines.append(
            f"process     {record.component}: {f'runs as {record.pid}' if alive else 'dead'}"
            + (f", 127.0.0.1:{port}" if port else "")
        )
        problems += [] if alive else [f"{record.component} is dead; see {layout.logs / record.component}.log"]
    if problems:
        return Status(running=True, problems=tuple(problems), lines=tuple(lines))
    served = _served(layout, state, lines)
    short, lacking = _of_nodes(layout, state)
    lost = [
        f"node {node.name} lacks images of the cluster; `storage-acceptance cluster up` loads them again"
        for node in lacking
    ]
    return Status(
        running=True,
        problems=(*served, *short, *lost),
        lines=tuple(lines),
        may_pass=bool(served),
        short=tuple(short),
        without_images=tuple(lacking),
    )


def _of_nodes(layout: Layout, state: ClusterState) -> tuple[list[str], list[NodeLayout]]:
    """What the machine is short of, in words, and the nodes without images. What cannot be asked is told elsewhere."""
    short = node_health.full_disk(layout)
    with contextlib.suppress(EnvironmentFailure):
        wanted = [layout.node(number).name for number in range(1, len(state.node_addresses) + 1)]
        nodes = [node for node in Kubectl.of(layout).get("nodes") if node["metadata"]["name"] in wanted]
        short += node_health.pressures(nodes)
    with contextlib.suppress(EnvironmentFailure):
        return short, node_health.without_images(layout, state)
    return short, []


def settled(layout: Layout) -> Status:
    """As `status`, but what may pass has some time to do so: nobody is to start a cluster anew that is merely busy."""

    def seen() -> Status:
        found = status(layout)
        if found.may_pass:
            raise NotYet("; ".join(found.problems))
        return found

    try:
        return wait_for(f"cluster {layout.name} to answer", seen, timeout=PASSES_S, interval=1)
    except EnvironmentFailure:
        return status(layout)


def mended(layout: Layout, found: Status) -> Status:
    """The status after images that nodes lack were loaded again; the same where none lacks any.

    Raises EnvironmentFailure where the machine is short of something: to start the cluster anew would not help.
    """
    state = read_state(layout)
    if found.without_images and state is not None:
        node_health.restore_images(layout, state, found.without_images)
        found = settled(layout)
    if found.short:
        raise EnvironmentFailure(f"cluster {layout.name} runs, and is left as it is: {'; '.join(found.short)}")
    return found


def _served(layout: Layout, state: ClusterState, lines: list[str]) -> list[str]:
    """The problems of what the processes serve together; adds what is there to `lines`."""
    kubectl = Kubectl.of(layout)
    problems = []
    try:
        ready = check.ready_nodes(kubectl)
        wanted = [layout.node(number).name for number in range(1, len(state.node_addresses) + 1)]
        lines += [f"node        {name}: {'Ready' if name in ready else 'not Ready'}" for name in wanted]
        problems += [f"node {name} is not Ready" for name in wanted if name not in ready]
        if simulated := simulation.present(kubectl):
            lines.append(f"nodes       {len(simulated & set(ready))} of {len(simulated)} simulated ones are Ready")
        if CSI in state.parts:
            shown, lacking = csi.described(kubectl, nodes=wanted)
            lines += shown
            problems += lacking
        if LONGHORN in state.parts:
            shown, lacking = longhorn.described(kubectl, nodes=wanted)
            lines += shown
            problems += [f"Longhorn: {each}" for each in lacking]
        if CEPH in state.parts:
            shown, lacking = ceph.described(layout, state)
            lines += shown
            problems += lacking
        for item in kubectl.get("storageclasses"):
            lines.append(f"class       {item['metadata']['name']}: {item['provisioner']}, {item['volumeBindingMode']}")
    except EnvironmentFailure as error:
        problems.append(f"the API server does not answer: {error}")
    # A file system whose daemon is gone hangs or fails; asked in a process that can be left alone.
    for mounted in (layout.replicated, *([layout.cephfs] if CEPH in state.parts else [])):
        if not succeeds(["stat", "--file-system", mounted], timeout=_MOUNT_ANSWERS_S):
            problems.append(f"{mounted} does not answer")
    return problems

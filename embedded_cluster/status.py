"""The status of a cluster: which processes run, and whether the cluster answers."""

import contextlib
from dataclasses import dataclass

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import check, mounts, node_health, simulation
from embedded_cluster.ceph import part as ceph
from embedded_cluster.csi import part as csi
from embedded_cluster.kubectl import Kubectl
from embedded_cluster.layout import Layout, NodeLayout
from embedded_cluster.longhorn import part as longhorn
from embedded_cluster.processes import is_running
from embedded_cluster.state import CEPH, CSI, LONGHORN, ClusterState, read_state
from embedded_cluster.waiting import NotYet, wait_for

# Time for transient problems of a busy machine: a late heartbeat of a node, a slow server or mount.
PASSES_S = 90


@dataclass(frozen=True)
class Status:
    """The state of a cluster; `problems` is empty if it is healthy, and `lines` is for people.

    `may_pass`: all its processes run, so that the problems may pass by themselves. `short`: those of its problems that
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
    """Query processes, API server and mount; takes a second at most while all is well."""
    state = read_state(layout)
    if state is None or not any(is_running(record) for record in state.processes):
        return Status(running=False, problems=(f"cluster {layout.name} does not run",), lines=())
    problems = [] if state.complete else ["the `up` of the cluster did not finish"]
    lines = [f"cluster     {state.name}, Kubernetes {state.kubernetes_version}", f"kubeconfig  {layout.kubeconfig}"]
    lines += [f"image       {state.image}", f"network     {state.subnet} on {layout.bridge}"]
    lines.append(f"disks       {state.disks}")
    lines += [f"parts       {', '.join(state.parts)}"] * bool(state.parts)
    lines += ["timers      short: silent nodes count as lost early"] * state.short_timers
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
    serving_problems = _serving_problems(layout, state, lines)
    short, lacking = _of_nodes(layout, state)
    image_problems = [
        f"node {node.name} lacks images of the cluster; `storage-acceptance cluster up` loads them again"
        for node in lacking
    ]
    return Status(
        running=True,
        problems=(*serving_problems, *short, *image_problems),
        lines=tuple(lines),
        may_pass=bool(serving_problems),
        short=tuple(short),
        without_images=tuple(lacking),
    )


def _of_nodes(layout: Layout, state: ClusterState) -> tuple[list[str], list[NodeLayout]]:
    """Return what the machine is short of, in words, and the nodes without images; skip what does not answer."""
    short = node_health.full_disk(layout)
    with contextlib.suppress(EnvironmentFailure):
        names = [layout.node(number).name for number in range(1, len(state.node_addresses) + 1)]
        nodes = [node for node in Kubectl.of(layout).get("nodes") if node["metadata"]["name"] in names]
        short += node_health.pressures(nodes)
    with contextlib.suppress(EnvironmentFailure):
        return short, node_health.without_images(layout, state)
    return short, []


def steady_status(layout: Layout) -> Status:
    """Return `status`, but give transient problems time to pass: a cluster that is merely busy is not restarted."""

    def poll() -> Status:
        current = status(layout)
        if current.may_pass:
            raise NotYet("; ".join(current.problems))
        return current

    try:
        return wait_for(f"cluster {layout.name} to answer", poll, timeout=PASSES_S, interval=1)
    except EnvironmentFailure:
        return status(layout)


def repair(layout: Layout, current: Status) -> Status:
    """Return the status after loading images that nodes lack; unchanged if none lacks any.

    Raises EnvironmentFailure if the machine is short of something: a new start of the cluster would not help.
    """
    state = read_state(layout)
    if current.without_images and state is not None:
        node_health.restore_images(layout, state, current.without_images)
        current = steady_status(layout)
    if current.short:
        raise EnvironmentFailure(f"cluster {layout.name} runs and is not changed: {'; '.join(current.short)}")
    return current


def _serving_problems(layout: Layout, state: ClusterState, lines: list[str]) -> list[str]:
    """Return the problems of what the processes serve together; add what exists to `lines`."""
    kubectl = Kubectl.of(layout)
    problems = []
    try:
        ready = check.ready_nodes(kubectl)
        names = [layout.node(number).name for number in range(1, len(state.node_addresses) + 1)]
        lines += [f"node        {name}: {'Ready' if name in ready else 'not Ready'}" for name in names]
        problems += [f"node {name} is not Ready" for name in names if name not in ready]
        if present := simulation.present(kubectl):
            lines.append(f"nodes       {len(present & set(ready))} of {len(present)} simulated nodes are Ready")
        if CSI in state.parts:
            part_lines, lacking = csi.describe(kubectl, nodes=names)
            lines += part_lines
            problems += lacking
        if LONGHORN in state.parts:
            part_lines, lacking = longhorn.describe(kubectl, nodes=names)
            lines += part_lines
            problems += [f"Longhorn: {problem}" for problem in lacking]
        if CEPH in state.parts:
            part_lines, lacking = ceph.describe(layout, state)
            lines += part_lines
            problems += lacking
        for item in kubectl.get("storageclasses"):
            lines.append(f"class       {item['metadata']['name']}: {item['provisioner']}, {item['volumeBindingMode']}")
    except EnvironmentFailure as error:
        problems.append(f"the API server does not answer: {error}")
    for mount in (layout.replicated_mount, *([layout.cephfs] if CEPH in state.parts else [])):
        try:
            mounts.require_answer(mount)
        except EnvironmentFailure:
            problems.append(f"{mount} does not answer")
    return problems

"""One volume on every node that takes pods, written there by a pod: of many nodes it is often one that cannot."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from pydantic import JsonValue

from acceptance.cluster.claims import Claim
from acceptance.cluster.nodes import nodes_for_volume, nodes_that_take_pods, slim_node
from acceptance.cluster.objects import name_of
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.pod_states import main_ended
from acceptance.cluster.pods import needed, start_problem, wait_started
from acceptance.cluster.resources import NODES, VOLUMES
from acceptance.cluster.waiting import wait_for
from acceptance.cluster.workspace import Workspace
from acceptance.results.clusters import StorageClass
from acceptance.results.figures import FiguresRecord, NamedFigure
from acceptance.text.errors import EnvironmentFailure, StorageFailure, Unsupported
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.topology import allows, topologies_of

AT_ONCE = 10
"""nodes that are visited at the same time, and volumes that exist at the same time"""
READY = "every_node.ready"
"""the metric: until a pod with a new volume has ended on the slowest node"""
_CHECK_S = 1.0
# kubelet mounts /etc/hosts from its own disk: a volume that was never mounted is a folder of the same disk.
_WRITE = """
echo "$MARK" > "$VOLUME/mark" && sync "$VOLUME/mark" && cat "$VOLUME/mark" || exit 1
[ "$(stat -c %d "$VOLUME")" != "$(stat -c %d /etc/hosts)" ] || echo "same disk as kubelet"
"""


@dataclass(frozen=True, kw_only=True)
class Visit:
    """What became of the volume of one node.

    `ended_s`: between which two moments after the request for the volume its pod ended; None if it did not end in time.
    `problem`: why the node could not use its volume; `left_out`: why the node was not visited.
    """

    node: str
    ended_s: tuple[float, float] | None = None
    problem: str = ""
    left_out: str = ""


class _Late(StorageFailure):
    """Not all pods of a group had ended in time."""


def visit_every_node(workspace: Workspace, storage_class: StorageClass, *, keep: bool) -> list[Visit]:
    """Visit each node that takes pods and that the class allows, a group at a time; return all nodes by their names.

    `keep`: leave the objects of a group there if a node in it could not use its volume. Raises EnvironmentFailure if no
    node takes pods in time.
    """
    nodes, visits = _nodes(workspace, storage_class)
    for first in range(0, len(nodes), AT_ONCE):
        with Bench(workspace, storage_class, capability="every node", node=None, keep=keep) as bench:
            visits += _visits(bench, nodes[first : first + AT_ONCE])
    return sorted(visits, key=lambda visit: visit.node)


def require_all(visits: Sequence[Visit], *, storage_class: str) -> None:
    """Raise StorageFailure that names each node that could not use its volume."""
    visited = [visit for visit in visits if not visit.left_out]
    if wrong := [f"{visit.node}: {visit.problem}" for visit in visited if visit.problem]:
        raise StorageFailure(
            f"{len(wrong)} of {len(visited)} nodes could not use a volume of StorageClass {storage_class}: "
            f"{'; '.join(wrong)}"
        )


def figures_of(visits: Sequence[Visit], *, storage_class: str) -> FiguresRecord:
    """Return the time of the slowest node, which is not known if a node never used its volume."""
    visited = [visit for visit in visits if not visit.left_out]
    ended = [visit.ended_s for visit in visited if visit.ended_s is not None]
    is_known = bool(ended) and len(ended) == len(visited)
    missing = len(visited) - len(ended)
    rows: list[dict[str, JsonValue]] = [
        {
            "Node": visit.node,
            "Ready after (s)": None if visit.ended_s is None else round(visit.ended_s[1], 1),
            "Problem": visit.problem or visit.left_out,
        }
        for visit in visits
    ]
    return FiguresRecord(
        subject="provisioning",
        storage_class=storage_class,
        done=f"a pod on each of {len(visited)} nodes wrote to a new volume, up to {AT_ONCE} at the same time",
        figures=[
            NamedFigure(
                metric=READY,
                value=max(high for _, high in ended) if is_known else None,
                low=max(low for low, _ in ended) if is_known else None,
                high=max(high for _, high in ended) if is_known else None,
                unit="s",
                unknown="" if is_known else f"{missing} of {len(visited)} nodes used no volume in time",
            )
        ],
        rows=rows,
    )


def problem_in(printed: str, *, mark: str, shared: Callable[[], bool]) -> str:
    """Return what is wrong with what a pod printed; nothing if it read its mark on a volume that was mounted.

    `shared`: whether several nodes can use the volume, so that it cannot be a folder of one node's disk.
    """
    content, _, rest = printed.partition("\n")
    if content != mark:
        return f"a pod did not read what it wrote; found: {content or 'nothing'}"
    if rest.strip() and shared():
        return "a pod wrote to the disk of the kubelet: the volume was not mounted"
    return ""


def _nodes(workspace: Workspace, storage_class: StorageClass) -> tuple[list[str], list[Visit]]:
    """The names of the nodes to visit, and the others, which are left out."""
    api = workspace.api
    ready = wait_for(
        "a node that takes pods of the run",
        look=lambda: nodes_that_take_pods(api, workspace.pods.template),
        ready=bool,
        state=lambda nodes: f"{len(nodes)} nodes",
        timeout_s=workspace.timeout_s,
        failure=EnvironmentFailure,
    )
    terms = topologies_of(api, storage_class.name)
    allowed = sorted(name_of(node) for node in ready if not terms or any(allows(term, node) for term in terms))
    why = dict.fromkeys(map(name_of, api.list(NODES, slim=slim_node)), "not visited: it takes no pods of the run")
    why |= dict.fromkeys(map(name_of, ready), "not visited: allowedTopologies of the class exclude it")
    return allowed, [Visit(node=node, left_out=why[node]) for node in why if node not in allowed]


def _visits(bench: Bench, nodes: Sequence[str]) -> list[Visit]:
    """The visits of several nodes at the same time."""
    began_s, mark = time.monotonic(), new_mark()
    claims = {node: bench.claim(node) for node in nodes}
    elsewhere = [node for node, claim in claims.items() if not _reaches(bench, claim, node)]
    pods = {
        node: bench.plan(claim, script=_WRITE, node=node, MARK=mark)
        for node, claim in claims.items()
        if node not in elsewhere
    }
    for pod in pods.values():
        bench.ask_for(pod)
    settled = _settled(bench, pods, began_s=began_s)
    visits = [Visit(node=node, left_out="not visited: its volume was provisioned elsewhere") for node in elsewhere]
    for node, pod in pods.items():
        visit = settled.get(node) or Visit(node=node)
        visits.append(replace(visit, problem=visit.problem or _problem(bench, claims[node], pod, visit, mark=mark)))
    if any(visit.problem for visit in visits):
        bench.fail()
    return visits


def _reaches(bench: Bench, claim: Claim, node: str) -> bool:
    """Whether the node can reach the volume, which a class that does not wait for a pod may provision anywhere."""
    if bench.storage_class.waits_for_pod:
        return True
    return node in nodes_for_volume(bench.api, bench.volume_of(claim), bench.workspace.pods.template)


def _settled(bench: Bench, pods: Mapping[str, PodPlan], *, began_s: float) -> dict[str, Visit]:
    """Wait until all pods have ended, or the time is over; by node: when its pod ended, or why it never starts.

    Raises what is wrong with the environment, such as an image that cannot be pulled, and Unsupported if the class has
    no such volumes.
    """
    settled: dict[str, Visit] = {}
    checked_s = 0.0

    def look() -> int:
        nonlocal checked_s
        before_s, checked_s = checked_s, time.monotonic() - began_s
        for node, pod in pods.items():
            if node in settled:
                continue
            seen = needed(bench.api, pod)
            if main_ended(seen):
                settled[node] = Visit(node=node, ended_s=(before_s, time.monotonic() - began_s))
            elif (error := start_problem(bench.api, pod, seen)) is not None:
                if isinstance(error, Unsupported) or not isinstance(error, StorageFailure):
                    raise error
                settled[node] = Visit(node=node, problem=str(error))
        return len(settled)

    with suppress(_Late):
        wait_for(
            f"pods on {len(pods)} nodes to end",
            look=look,
            ready=lambda count: count == len(pods),
            state=lambda count: f"{count} of {len(pods)} have ended",
            timeout_s=bench.timeout_s,
            failure=_Late,
        )
    return settled


def _problem(bench: Bench, claim: Claim, pod: PodPlan, visit: Visit, *, mark: str) -> str:
    """Why the node could not use its volume; nothing if it could."""
    has_ended = visit.ended_s is not None
    try:
        if has_ended:
            return problem_in(bench.ended(pod), mark=mark, shared=partial(_is_shared, bench, claim))
        wait_started(bench.api, pod, timeout_s=_CHECK_S)
    except StorageFailure as error:
        return str(error) if has_ended else f"no pod with a volume after {bench.timeout_s:.0f} s: {error}"
    return f"pod {pod.name} did not end within {bench.timeout_s:.0f} s"


def _is_shared(bench: Bench, claim: Claim) -> bool:
    volume = bench.volume_of(claim)
    spec = bench.api.get(VOLUMES, volume)["spec"]
    own_disk = "hostPath" in spec or "local" in spec
    return not own_disk and len(nodes_for_volume(bench.api, volume, bench.workspace.pods.template)) > 1

"""One volume on every node that takes pods, written there by a pod: of many nodes, often one cannot use its volume."""

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
from acceptance.cluster.pods import require_pod, start_problem, wait_started
from acceptance.cluster.resources import NODES, VOLUMES
from acceptance.cluster.waiting import wait_for
from acceptance.cluster.workspace import Workspace
from acceptance.judging.topologies import allows
from acceptance.results.clusters import StorageClass
from acceptance.results.figures import FiguresRecord, NamedFigure
from acceptance.text.errors import EnvironmentFailure, StorageFailure, Unsupported
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.topology import topologies_of

AT_ONCE = 10
"""The number of nodes that are visited at the same time, and of volumes that exist at the same time."""
READY = "every_node.ready"
"""The metric: the time until a pod with a new volume has ended on the slowest node."""
_CHECK_S = 1.0
# kubelet mounts /etc/hosts from its own disk: a volume that was never mounted is a folder of the same disk.
_WRITE = """
echo "$MARK" > "$VOLUME/mark" && sync "$VOLUME/mark" && cat "$VOLUME/mark" || exit 1
[ "$(stat -c %d "$VOLUME")" != "$(stat -c %d /etc/hosts)" ] || echo "same disk as kubelet"
"""


@dataclass(frozen=True, kw_only=True)
class Visit:
    """The visit of one node, and the outcome for its volume.

    `ended_s`: the two moments, in s after the request for the volume, between which its pod ended; None if it did not
    end in time. `problem`: why the node could not use its volume; `left_out`: why the node was not visited.
    """

    node: str
    ended_s: tuple[float, float] | None = None
    problem: str = ""
    left_out: str = ""


class _Late(StorageFailure):
    """Not all pods of a group ended in time."""


def visit_every_node(workspace: Workspace, storage_class: StorageClass, *, keep: bool) -> list[Visit]:
    """Visit each node that takes pods and that the class allows, a group at a time; return all nodes by their names.

    `keep`: keep the objects of a group if a node in it could not use its volume. Raises EnvironmentFailure if no node
    takes pods in time.
    """
    nodes, visits = _nodes(workspace, storage_class)
    for first in range(0, len(nodes), AT_ONCE):
        with Bench(workspace, storage_class, capability="every node", node=None, keep=keep) as bench:
            visits += _visits(bench, nodes[first : first + AT_ONCE])
    return sorted(visits, key=lambda visit: visit.node)


def require_all(visits: Sequence[Visit], *, storage_class: str) -> None:
    """Raise StorageFailure that names each node that could not use its volume."""
    attempts = [visit for visit in visits if not visit.left_out]
    if wrong := [f"{visit.node}: {visit.problem}" for visit in attempts if visit.problem]:
        raise StorageFailure(
            f"{len(wrong)} of {len(attempts)} nodes could not use a volume of StorageClass {storage_class}: "
            f"{'; '.join(wrong)}"
        )


def figures_of(visits: Sequence[Visit], *, storage_class: str) -> FiguresRecord:
    """Return the time of the slowest node, which is unknown if a node never used its volume."""
    attempts = [visit for visit in visits if not visit.left_out]
    end_times_s = [visit.ended_s for visit in attempts if visit.ended_s is not None]
    is_known = bool(end_times_s) and len(end_times_s) == len(attempts)
    missing = len(attempts) - len(end_times_s)
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
        done=f"a pod on each of {len(attempts)} nodes wrote to a new volume, up to {AT_ONCE} at the same time",
        figures=[
            NamedFigure(
                metric=READY,
                value=max(high for _, high in end_times_s) if is_known else None,
                low=max(low for low, _ in end_times_s) if is_known else None,
                high=max(high for _, high in end_times_s) if is_known else None,
                unit="s",
                unknown="" if is_known else f"{missing} of {len(attempts)} nodes could not use a volume in time",
            )
        ],
        rows=rows,
    )


def problem_in(output: str, *, mark: str, is_shared: Callable[[], bool]) -> str:
    """Return what is wrong with the output of a pod; an empty string if it read its mark on a volume that was mounted.

    `is_shared`: returns whether several nodes can use the volume, so that it cannot be a folder of one node's disk.
    """
    content, _, rest = output.partition("\n")
    if content != mark:
        return f"a pod did not read what it wrote; found: {content or 'nothing'}"
    if rest.strip() and is_shared():
        return "a pod wrote to the disk of the kubelet: the volume was not mounted"
    return ""


def _nodes(workspace: Workspace, storage_class: StorageClass) -> tuple[list[str], list[Visit]]:
    """Return the names of the nodes to visit, and a visit for each node that is left out."""
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
    node_names = sorted(name_of(node) for node in ready if not terms or any(allows(term, node) for term in terms))
    why = dict.fromkeys(map(name_of, api.list(NODES, slim=slim_node)), "not visited: it takes no pods of the run")
    why |= dict.fromkeys(map(name_of, ready), "not visited: allowedTopologies of the class exclude it")
    return node_names, [Visit(node=node, left_out=why[node]) for node in why if node not in node_names]


def _visits(bench: Bench, nodes: Sequence[str]) -> list[Visit]:
    """Visit several nodes at the same time; return one visit for each."""
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
    visit_by_node = _wait_for_ends(bench, pods, began_s=began_s)
    visits = [Visit(node=node, left_out="not visited: its volume was provisioned elsewhere") for node in elsewhere]
    for node, pod in pods.items():
        visit = visit_by_node.get(node) or Visit(node=node)
        visits.append(replace(visit, problem=visit.problem or _problem(bench, claims[node], pod, visit, mark=mark)))
    if any(visit.problem for visit in visits):
        bench.fail()
    return visits


def _reaches(bench: Bench, claim: Claim, node: str) -> bool:
    """Return whether the node can reach the volume. A class that does not wait for a pod may provision it anywhere."""
    if bench.storage_class.waits_for_pod:
        return True
    return node in nodes_for_volume(bench.api, bench.volume_of(claim), bench.workspace.pods.template)


def _wait_for_ends(bench: Bench, pods: Mapping[str, PodPlan], *, began_s: float) -> dict[str, Visit]:
    """Wait until all pods have ended, or the time is over; return by node when its pod ended, or why it never starts.

    Raises environment errors, such as an image that cannot be pulled, and Unsupported if the class has no such volumes.
    """
    visits: dict[str, Visit] = {}
    checked_s = 0.0

    def look() -> int:
        nonlocal checked_s
        before_s, checked_s = checked_s, time.monotonic() - began_s
        for node, pod in pods.items():
            if node in visits:
                continue
            observed_pod = require_pod(bench.api, pod)
            if main_ended(observed_pod):
                visits[node] = Visit(node=node, ended_s=(before_s, time.monotonic() - began_s))
            elif (error := start_problem(bench.api, pod, observed_pod)) is not None:
                if isinstance(error, Unsupported) or not isinstance(error, StorageFailure):
                    raise error
                visits[node] = Visit(node=node, problem=str(error))
        return len(visits)

    with suppress(_Late):
        wait_for(
            f"pods on {len(pods)} nodes to end",
            look=look,
            ready=lambda count: count == len(pods),
            state=lambda count: f"{count} of {len(pods)} have ended",
            timeout_s=bench.timeout_s,
            failure=_Late,
        )
    return visits


def _problem(bench: Bench, claim: Claim, pod: PodPlan, visit: Visit, *, mark: str) -> str:
    """Return why the node could not use its volume; an empty string if it could."""
    has_ended = visit.ended_s is not None
    try:
        if has_ended:
            return problem_in(bench.wait_output(pod), mark=mark, is_shared=partial(_is_shared, bench, claim))
        wait_started(bench.api, pod, timeout_s=_CHECK_S)
    except StorageFailure as error:
        return str(error) if has_ended else f"no pod with a volume after {bench.timeout_s:.0f} s: {error}"
    return f"pod {pod.name} did not end within {bench.timeout_s:.0f} s"


def _is_shared(bench: Bench, claim: Claim) -> bool:
    volume = bench.volume_of(claim)
    spec = bench.api.get(VOLUMES, volume)["spec"]
    own_disk = "hostPath" in spec or "local" in spec
    return not own_disk and len(nodes_for_volume(bench.api, volume, bench.workspace.pods.template)) > 1

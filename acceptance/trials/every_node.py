"""One volume on every node that takes pods, written there by a pod: of many nodes it is often one that cannot."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from pydantic import JsonValue

from acceptance.cluster.claims import Claim
from acceptance.cluster.nodes import nodes_for_volume, nodes_that_take_pods, slim_node
from acceptance.cluster.objects import name_of
from acceptance.cluster.resources import NODES, VOLUMES
from acceptance.cluster.waiting import wait_for
from acceptance.results.figures import FiguresRecord, NamedFigure
from acceptance.text.errors import EnvironmentFailure, StorageFailure
from acceptance.trials.features.bench import Bench, new_mark

AT_ONCE = 10
"""nodes that are visited at the same time"""
READY = "every_node.ready"
"""the metric: until a pod with a new volume has ended on the slowest node"""
POLL_S = 1.0
"""How far apart polls are at most: a pod ended at most this much earlier than that was seen."""
# kubelet mounts /etc/hosts from its own disk: a volume that was never mounted is a folder of the same disk.
_WRITE = """
echo "$MARK" > "$VOLUME/mark" && sync "$VOLUME/mark" && cat "$VOLUME/mark" || exit 1
[ "$(stat -c %d "$VOLUME")" != "$(stat -c %d /etc/hosts)" ] || echo "same disk as kubelet"
"""


@dataclass(frozen=True, kw_only=True)
class Visit:
    """What became of the volume of one node. `problem`: why the node could not use it; empty if it could."""

    node: str
    seconds: float | None
    problem: str


def visit_every_node(bench: Bench) -> tuple[FiguresRecord, list[Visit]]:
    """Return the figures, and the visit of each node that takes pods, in the order of their names.

    Raises EnvironmentFailure if no node takes pods in time.
    """
    api, template = bench.api, bench.workspace.pods.template
    ready = wait_for(
        "a node that takes pods of the run",
        look=lambda: nodes_that_take_pods(api, template),
        ready=bool,
        state=lambda found: f"{len(found)} nodes",
        timeout_s=bench.timeout_s,
        failure=EnvironmentFailure,
    )
    nodes = sorted(map(name_of, ready))
    others = sorted({name_of(node) for node in api.list(NODES, slim=slim_node)} - set(nodes))
    groups = [nodes[first : first + AT_ONCE] for first in range(0, len(nodes), AT_ONCE)]
    visits = [visit for group in groups for visit in _visits(bench, group)]
    return _record(bench.storage_class.name, visits, others=others), visits


def require_all(visits: Sequence[Visit], *, storage_class: str) -> None:
    """Raise StorageFailure that names each node that could not use its volume."""
    if wrong := [f"{visit.node}: {visit.problem}" for visit in visits if visit.problem]:
        raise StorageFailure(
            f"{len(wrong)} of {len(visits)} nodes could not use a volume of StorageClass {storage_class}: "
            f"{'; '.join(wrong)}"
        )


def _visits(bench: Bench, nodes: Sequence[str]) -> Iterator[Visit]:
    """The visits of several nodes at the same time."""
    began_s, claims = time.monotonic(), [bench.claim(node) for node in nodes]
    mark = new_mark()
    pods = [bench.plan(claim, script=_WRITE, node=node, MARK=mark) for claim, node in zip(claims, nodes, strict=True)]
    for pod in pods:
        bench.ask_for(pod)
    for claim, pod, node in zip(claims, pods, nodes, strict=True):
        try:
            printed = bench.ended(pod)
        except StorageFailure as error:
            yield Visit(node=node, seconds=None, problem=str(error))
            continue
        seconds = time.monotonic() - began_s
        problem = problem_in(printed, mark=mark, shared=partial(_is_shared, bench, claim))
        yield Visit(node=node, seconds=seconds, problem=problem)


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


def _is_shared(bench: Bench, claim: Claim) -> bool:
    volume = bench.volume_of(claim)
    spec = bench.api.get(VOLUMES, volume)["spec"]
    own_disk = "hostPath" in spec or "local" in spec
    return not own_disk and len(nodes_for_volume(bench.api, volume, bench.workspace.pods.template)) > 1


def _record(storage_class: str, visits: Sequence[Visit], *, others: Sequence[str]) -> FiguresRecord:
    times = [visit.seconds for visit in visits if visit.seconds is not None]
    whole = len(times) == len(visits)
    slowest = max(times) if whole else None
    rows: list[dict[str, JsonValue]] = [
        {"Node": visit.node, "Ready after (s)": visit.seconds and round(visit.seconds, 1), "Problem": visit.problem}
        for visit in visits
    ]
    rows += [
        {"Node": node, "Ready after (s)": None, "Problem": "not visited: it takes no pods of the run"}
        for node in others
    ]
    return FiguresRecord(
        subject="provisioning",
        storage_class=storage_class,
        done=f"a pod on each of {len(visits)} nodes wrote to a new volume, up to {AT_ONCE} at the same time",
        figures=[
            NamedFigure(
                metric=READY,
                value=slowest,
                low=None if slowest is None else max(0.0, slowest - POLL_S),
                high=slowest,
                unit="s",
                unknown="" if whole else f"{len(visits) - len(times)} nodes never used their volume",
            )
        ],
        rows=rows,
    )

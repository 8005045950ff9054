"""A class that allows its volumes on some nodes only (allowedTopologies): pods run there, and a pod elsewhere waits."""

from __future__ import annotations

from acceptance.cluster.api import Api
from acceptance.cluster.nodes import nodes_that_take_pods
from acceptance.cluster.objects import name_of
from acceptance.cluster.resources import STORAGE_CLASSES, Object
from acceptance.judging.topologies import allows
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.declared import TWO_VOLUMES, Tries
from acceptance.trials.features.waiting_pods import wait_kept

_WRITES = 'echo "$MARK" > "$VOLUME/mark" && sync "$VOLUME/mark" && cat "$VOLUME/mark"'
# The scheduler's words for a volume that must be created elsewhere, and for one that is elsewhere; the last ones are
# those of Kubernetes before 1.32.
ELSEWHERE = (
    "didn't find available persistent volumes to bind",
    "didn't match PersistentVolume's node affinity",
    "had volume node affinity conflict",
)


@Tries("topology", "Volumes are created where the class allows them (allowedTopologies)", TWO_VOLUMES, pods=2)
def try_topology(bench: Bench) -> str:
    """Verify that pods follow the class's topologies, and return what was observed.

    Raises Unsupported if the class names none, or if no node is inside or none outside of them, StorageFailure if a
    volume is used on a node outside.
    """
    inside, outside = _nodes(bench)
    name, mark = bench.storage_class.name, new_mark()
    rule = f"allowedTopologies of StorageClass {name} allow {', '.join(inside)}"
    if (text := bench.run(bench.claim("allowed"), _WRITES, MARK=mark).strip()) != mark:
        raise StorageFailure(f"a pod on a volume of StorageClass {name} does not read what it wrote; found: {text}")
    if bench.node not in inside:
        raise StorageFailure(f"{rule}, but a pod with a volume ran on {bench.node}")
    elsewhere = bench.plan(bench.claim("elsewhere"), script=_WRITES, node=outside[0], MARK=mark)
    bench.ask_for(elsewhere)
    why = wait_kept(
        bench,
        elsewhere,
        f"a pod on {outside[0]} to be kept pending by the scheduler, because {rule}",
        words=ELSEWHERE,
        failure=f"{rule}, but a pod with a volume started on {outside[0]}: the driver ignores allowedTopologies",
    )
    return f"{rule}: a pod with a volume ran on {bench.node}, and a pod that had to run on {outside[0]} waited ({why})"


def _nodes(bench: Bench) -> tuple[list[str], list[str]]:
    """Return the names of the nodes inside the class's topologies and of those outside, as far as they take pods."""
    name = bench.storage_class.name
    if not (terms := topologies_of(bench.api, name)):
        raise bench.missing(f"StorageClass {name} names no allowedTopologies")
    nodes = nodes_that_take_pods(bench.api, bench.workspace.pods.template)
    inside = sorted(name_of(node) for node in nodes if any(allows(term, node) for term in terms))
    outside = sorted({name_of(node) for node in nodes} - set(inside))
    if not inside or not outside:
        quantifier = "no" if outside else "every"
        raise bench.not_tried(f"allowedTopologies of StorageClass {name} allow {quantifier} node that takes pods")
    if bench.node not in (None, *inside):
        raise bench.not_tried(f"allowedTopologies of StorageClass {name} do not allow --storage-node {bench.node}")
    return inside, outside


def topologies_of(api: Api, storage_class: str) -> list[Object]:
    """Return the class's allowedTopologies, or an empty list. The account may list classes, but not get one by name."""
    topologies = {name_of(entry): entry.get("allowedTopologies") for entry in api.list(STORAGE_CLASSES)}
    return topologies.get(storage_class) or []

"""Two volumes of a class in one pod, and in later pods there and on another node: each must keep its own data."""

from __future__ import annotations

from acceptance.cluster.claims import Claim
from acceptance.cluster.nodes import nodes_for_volume
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.copies import PLACES
from acceptance.trials.features.declared import TWO_VOLUMES, Tries

# A device has its mark at a place, a folder in a file.
_FUNCTIONS = f"""
put() {{
    if [ -b "$1" ]; then printf %s "$2" | dd of="$1" bs=32 seek={PLACES["before"]} conv=notrunc,fsync 2> /dev/null
    else echo "$2" > "$1/mark" && sync "$1/mark"; fi
}}
get() {{
    if [ -b "$1" ]; then dd if="$1" bs=32 skip={PLACES["before"]} count=1 2> /dev/null | tr -cd 0-9a-f
    else cat "$1/mark"; fi
}}
"""
_WRITE = f'{_FUNCTIONS}put "$VOLUME" "$FIRST" && put "$VOLUME_2" "$SECOND" || exit\n'
_READ = f'{_FUNCTIONS}echo "first $(get "$VOLUME")"; echo "second $(get "$VOLUME_2")"'


@Tries("two-volumes", "A pod uses two volumes", TWO_VOLUMES, pods=3)
@Tries("two-modes", "A pod uses a file system and a raw block volume", TWO_VOLUMES, pods=3, arguments={"block": True})
def try_two_volumes(bench: Bench, *, block: bool = False) -> str:
    """Verify that a pod uses two volumes without confusing them, and return what was observed.

    `block`: the second is a raw block volume. Raises Unsupported if the class has no such volumes, StorageFailure if a
    pod cannot start on both, or if one of them shows the data of the other.
    """
    claims = (bench.claim("first"), bench.claim("second", block=block))
    marks = {"first": new_mark(), "second": new_mark()}
    output = bench.run(claims[0], _WRITE + _READ, beside=claims[1:], FIRST=marks["first"], SECOND=marks["second"])
    _require(bench, output, marks, where=f"in the pod that wrote them, on {bench.node}")
    for node in (bench.node, second := _another_node(bench, claims)):
        if node is not None:
            output = bench.run(claims[0], _READ, beside=claims[1:], node=node)
            _require(bench, output, marks, where=f"in a new pod on {node}")
    kinds = "a file system and a raw block volume" if block else "two volumes"
    places = f"on {bench.node} and on {second}" if second else f"on {bench.node}, the only node that can use both"
    return f"pods {places} used {kinds} of the class at the same time, and each volume held its own data"


def _another_node(bench: Bench, claims: tuple[Claim, ...]) -> str | None:
    """Return a node other than the first that can use all of the volumes; None if there is none."""
    template = bench.workspace.pods.template
    node_lists = [nodes_for_volume(bench.api, bench.volume_of(claim), template) for claim in claims]
    candidates = [node for node in node_lists[0] if node != bench.node and all(node in nodes for nodes in node_lists)]
    return candidates[0] if candidates else None


def _require(bench: Bench, output: str, marks: dict[str, str], *, where: str) -> None:
    shown_marks = {name: mark for name, _, mark in (line.partition(" ") for line in output.splitlines())}
    wrong = [name for name, mark in marks.items() if shown_marks.get(name) != mark]
    if not wrong:
        return
    names = {mark: name for name, mark in marks.items()}
    observation = " and ".join(
        f"the {name} volume shows {'the data of the ' + names[mark] if mark in names else mark or 'nothing'}"
        for name in wrong
        for mark in [shown_marks.get(name, "")]
    )
    raise StorageFailure(
        f"two volumes of StorageClass {bench.storage_class.name} in one pod do not hold their own data: {where} "
        f"{observation}"
    )

"""Volumes that move between nodes again and again, several at a time: each must hold its own data after each move.

A driver that attaches a volume where another one was, or that takes a volume whose device is not there yet for an empty
one and formats it, loses data only now and then (kubernetes/kubernetes#59946, hetznercloud/csi-driver#1346).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from acceptance.cluster.claims import Claim
from acceptance.cluster.nodes import nodes_for_volume
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.declared import Tries, VolumeUse

VOLUMES, MOVES = 3, 6
# A missing file shows as an error in the output.
READ = '{ cat "$VOLUME/mark"; sha256sum < "$VOLUME/data"; } 2>&1; true'
"""The command that prints a volume's mark, and the checksum of its data."""
WRITE = f"""
dd if=/dev/urandom of="$VOLUME/data" bs=1M count=8 conv=fsync 2>/dev/null || exit 1
echo "$MARK" > "$VOLUME/mark" && sync "$VOLUME/mark" && {READ}
"""
"""The command that writes both, and prints them."""


@Tries(
    "moves",
    "Volumes keep their data when they move between nodes again and again",
    (VolumeUse(number=VOLUMES),),
    pods=VOLUMES * (1 + MOVES),
    two_nodes=True,
)
def try_moves(bench: Bench) -> str:
    """Return how the volumes were seen to hold their own data on each node.

    Raises NotTried if fewer than two nodes can use all volumes, StorageFailure if one holds other data after a move.
    """
    claims = [bench.claim(f"volume-{number + 1}") for number in range(VOLUMES)]
    if not bench.storage_class.waits_for_pod:
        _common_nodes(bench, claims)  # before anything is written to volumes that may be anywhere
    originals = {claim.name: bench.run(claim, WRITE, MARK=new_mark()) for claim in claims}
    nodes = _common_nodes(bench, claims)
    for move in range(1, MOVES + 1):
        # Each volume goes to the node that another one leaves.
        places = [nodes[(number + move) % len(nodes)] for number in range(VOLUMES)]
        _require_own_data(bench, dict(zip(claims, places, strict=True)), originals=originals, move=move)
    return f"{VOLUMES} volumes moved {MOVES} times between {len(nodes)} nodes, and each kept its own data"


def _common_nodes(bench: Bench, claims: Sequence[Claim]) -> list[str]:
    """Return the nodes that can use all of the volumes. Raises NotTried if they are fewer than two."""
    template = bench.workspace.pods.template
    sets = [set(nodes_for_volume(bench.api, bench.volume_of(claim), template)) for claim in claims]
    if len(nodes := sorted(set.intersection(*sets))) < 2:
        raise bench.not_tried(
            f"expected at least two nodes that can use all {len(claims)} PVs of StorageClass "
            f"{bench.storage_class.name}, found {' and '.join(nodes) or 'none'}"
        )
    return nodes


def _require_own_data(bench: Bench, places: dict[Claim, str], *, originals: dict[str, str], move: int) -> None:
    """Read all volumes at the same time, each on its node. Raises StorageFailure if one holds other data."""
    pods = {claim: bench.plan(claim, script=READ, node=node) for claim, node in places.items()}
    for pod in pods.values():
        bench.ask_for(pod)
    output = {claim: bench.wait_output(pod) for claim, pod in pods.items()}
    for pod in pods.values():
        bench.end(pod)
    texts = {claim.name: text for claim, text in output.items()}
    if wrong := not_their_own(texts, originals=originals, nodes={claim.name: node for claim, node in places.items()}):
        raise StorageFailure(
            f"after move {move} of {MOVES} between nodes, {len(wrong)} of {VOLUMES} volumes of StorageClass "
            f"{bench.storage_class.name} did not hold what was written to them: {'; '.join(wrong)}"
        )


def not_their_own(texts: Mapping[str, str], *, originals: Mapping[str, str], nodes: Mapping[str, str]) -> list[str]:
    """Return each volume that holds other data than its own, and whose data it is, as far as that is known."""
    owners = {data: name for name, data in originals.items()}
    return [
        f"{name} on {nodes[name]} held "
        + (f"the data of {owners[data]}" if data in owners else f"other data or none: {data.strip() or 'nothing'}")
        for name, data in texts.items()
        if data != originals[name]
    ]

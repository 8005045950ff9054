"""A raw block volume in use on two nodes at the same time (ReadWriteMany): each must read what the other writes."""

from __future__ import annotations

from acceptance.cluster.pods import wait_ended
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.declared import Tries
from acceptance.trials.features.two_nodes import another_node, within_s

# Each pod reads both blocks first, so that its node could answer from its memory later on; then it writes one block,
# bypassing all caches, and reads the other one until the other pod's write shows.
_MEET = """
look() { dd if="$VOLUME" bs=4096 skip="$1" count=1 iflag=direct 2> /dev/null | tr -d '\\000' | head -n 1; }
look "$MINE" > /dev/null; look "$THEIRS" > /dev/null
{ echo "$MARK"; head -c 4096 /dev/zero; } | head -c 4096 |
    dd of="$VOLUME" bs=4096 seek="$MINE" count=1 iflag=fullblock oflag=direct conv=notrunc,fsync status=none || exit 1
waited=0
while found=$(look "$THEIRS"); [ "$found" != "$WANTED" ] && [ "$waited" -lt "$SECONDS_LEFT" ]; do
    sleep 1; waited=$((waited + 1))
done
echo "found $found"
"""


@Tries(
    "shared-block",
    "Several nodes use a raw block volume at the same time (RWX)",
    pods=2,
    two_nodes=True,
    of_devices=True,
)
def try_shared_block(bench: Bench) -> str:
    """Verify that two nodes use one raw block volume, and return what was observed.

    Raises Unsupported if the class has no such volumes, StorageFailure if a pod cannot start on the second node, or if
    a node does not read what the other wrote.
    """
    claim = bench.claim("both-block", access="ReadWriteMany", block=True)
    marks = [new_mark(), new_mark()]
    variables = {"SECONDS_LEFT": str(within_s(bench))}
    first = bench.start(claim, _MEET, MARK=marks[0], WANTED=marks[1], MINE="0", THEIRS="1", **variables)
    peer = another_node(bench, claim)
    second = bench.start(claim, _MEET, node=peer, MARK=marks[1], WANTED=marks[0], MINE="1", THEIRS="0", **variables)
    name = bench.storage_class.name
    about = f"nodes {bench.node} and {peer} use a raw block volume of StorageClass {name} at the same time"
    for pod, expected_mark, node in ((second, marks[0], peer), (first, marks[1], bench.node)):
        wait_ended(bench.api, pod, timeout_s=bench.timeout_s + 2 * within_s(bench))
        output = bench.output_of(pod).strip()
        if output.splitlines()[-1:] != [f"found {expected_mark}"]:
            raise StorageFailure(
                f"{about}: data that the other node wrote does not appear on {node} within {within_s(bench)} s; the "
                f"pod there printed: {output or 'nothing'}"
            )
    return (
        f"pods on {bench.node} and {peer} used a raw block volume at the same time, and each read what the other wrote"
    )

"""One volume in use on two nodes at the same time: each must see what the other writes."""

from __future__ import annotations

from acceptance.cluster.claims import Claim
from acceptance.cluster.pods import wait_ended
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.declared import Tries
from acceptance.trials.features.two_nodes import another_node, shared_claim, within_s

# Each pod writes a file, and waits for the other pod's file.
_MEET = """
echo "$MARK" > "$VOLUME/$MINE" && sync "$VOLUME/$MINE" || exit
waited=0
while [ ! -s "$VOLUME/$THEIRS" ] && [ "$waited" -lt "$SECONDS_LEFT" ]; do sleep 1; waited=$((waited + 1)); done
cat "$VOLUME/$THEIRS"
"""


@Tries("read-write-many", "Several nodes use a volume at the same time (RWX)", pods=2, e2e=("RWX",), two_nodes=True)
def try_sharing(bench: Bench) -> str:
    """Verify that two nodes use one volume, and return what was observed.

    Raises Unsupported if the class has no such volumes or its nodes lack what they require, StorageFailure if a pod
    cannot start on the second node, or if a node does not see what the other wrote.
    """
    return use_on_two_nodes(bench, shared_claim(bench, "both"))


def use_on_two_nodes(bench: Bench, claim: Claim) -> str:
    """Verify that pods on two nodes use the volume, and return what was observed. Raises what the trial raises."""
    marks = {"first": new_mark(), "second": new_mark()}
    variables = {"SECONDS_LEFT": str(within_s(bench))}
    first = bench.start(claim, _MEET, MARK=marks["first"], MINE="first", THEIRS="second", **variables)
    peer = another_node(bench, claim)
    second = bench.start(claim, _MEET, node=peer, MARK=marks["second"], MINE="second", THEIRS="first", **variables)
    about = f"nodes {bench.node} and {peer} use a volume of StorageClass {bench.storage_class.name} at the same time"
    for pod, own, writer, node in ((second, "second", "first", peer), (first, "first", "second", bench.node)):
        wait_ended(bench.api, pod, timeout_s=bench.timeout_s + 2 * within_s(bench))
        output = bench.output_of(pod).strip()
        if output != marks[writer]:
            raise StorageFailure(
                f"{about}: the file of the {writer} node does not appear on the {own} node ({node}) within "
                f"{within_s(bench)} s; found there: {output or 'nothing'}"
            )
    return f"pods on nodes {bench.node} and {peer} used a volume at the same time, and each read what the other wrote"

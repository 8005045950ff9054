"""One volume in use on two nodes at once: each must see what the other writes."""

from __future__ import annotations

from acceptance.cluster.pods import wait_ended
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.declared import Tries
from acceptance.trials.features.two_nodes import another_node, shared_claim, within_s

# Each writes a file, and waits for the other's.
_MEET = """
echo "$MARK" > "$VOLUME/$MINE" && sync "$VOLUME/$MINE" || exit
waited=0
while [ ! -s "$VOLUME/$THEIRS" ] && [ "$waited" -lt "$SECONDS_LEFT" ]; do sleep 1; waited=$((waited + 1)); done
cat "$VOLUME/$THEIRS"
"""


@Tries("shared", "Several nodes use a volume at once (RWX)", pods=2, e2e=("RWX",), two_nodes=True)
def try_sharing(bench: Bench) -> str:
    """How two nodes were seen to use one volume. Raises Unsupported where the class has none such, or its nodes lack
    what it takes, StorageFailure where a pod cannot start on the second node, or one of them does not see what the
    other wrote."""
    claim = shared_claim(bench, "both")
    marks = {"first": new_mark(), "second": new_mark()}
    variables = {"SECONDS_LEFT": str(within_s(bench))}
    first = bench.start(claim, _MEET, MARK=marks["first"], MINE="first", THEIRS="second", **variables)
    other = another_node(bench, claim)
    second = bench.start(claim, _MEET, node=other, MARK=marks["second"], MINE="second", THEIRS="first", **variables)
    about = f"a volume of StorageClass {bench.storage_class.name} is used on nodes {bench.node} and {other} at once"
    for pod, own, theirs, node in ((second, "second", "first", other), (first, "first", "second", bench.node)):
        wait_ended(bench.api, pod, timeout_s=bench.timeout_s + 2 * within_s(bench))
        found = bench.output_of(pod).strip()
        if found != marks[theirs]:
            raise StorageFailure(
                f"{about}: what was written on the {theirs} does not show on the {own} ({node}) within "
                f"{within_s(bench)} s; found there: {found or 'nothing'}"
            )
    return f"pods on nodes {bench.node} and {other} used a volume at once, and each read what the other wrote"

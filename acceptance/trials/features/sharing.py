"""One volume in use on two nodes at once: each must see what the other writes."""

from __future__ import annotations

from acceptance.cluster.nodes import nodes_for_volume
from acceptance.cluster.pods import wait_ended
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.nfs_clients import why_not_shared

SEEN_WITHIN_S = 90
"""Longer than a client of a network file system may answer from its cache of names and attributes (NFS: 60 s)."""

# Each writes a file, and waits for the other's.
_MEET = """
echo "$MARK" > "$VOLUME/$MINE" && sync "$VOLUME/$MINE" || exit
waited=0
while [ ! -s "$VOLUME/$THEIRS" ] && [ "$waited" -lt "$SECONDS_LEFT" ]; do sleep 1; waited=$((waited + 1)); done
cat "$VOLUME/$THEIRS"
"""


def try_sharing(bench: Bench) -> str:
    """How two nodes were seen to use one volume. Raises Unsupported where the class has none such, or its nodes lack
    what it takes, StorageFailure where a pod cannot start on the second node, or one of them does not see what the
    other wrote."""
    if (why := why_not_shared(bench.api, provisioner=bench.storage_class.provisioner)) is not None:
        raise bench.not_tried(why)
    claim = bench.claim("both", shared=True)
    marks = {"first": new_mark(), "second": new_mark()}
    within_s = int(min(SEEN_WITHIN_S, bench.timeout_s))
    variables = {"SECONDS_LEFT": str(within_s)}
    first = bench.start(claim, _MEET, MARK=marks["first"], MINE="first", THEIRS="second", **variables)
    nodes = nodes_for_volume(bench.api, bench.volume_of(claim), bench.workspace.pods.template)
    others = [node for node in nodes if node != bench.node]
    if not others:
        raise bench.not_tried(f"PVs of StorageClass {bench.storage_class.name} can be used from {bench.node} only")
    second = bench.start(claim, _MEET, node=others[0], MARK=marks["second"], MINE="second", THEIRS="first", **variables)
    about = f"a volume of StorageClass {bench.storage_class.name} is used on nodes {bench.node} and {others[0]} at once"
    for pod, own, other, node in ((second, "second", "first", others[0]), (first, "first", "second", bench.node)):
        wait_ended(bench.api, pod, timeout_s=bench.timeout_s + 2 * within_s)
        found = bench.output_of(pod).strip()
        if found != marks[other]:
            raise StorageFailure(
                f"{about}: what was written on the {other} does not show on the {own} ({node}) within {within_s} s; "
                f"found there: {found or 'nothing'}"
            )
    return f"pods on nodes {bench.node} and {others[0]} used a volume at once, and each read what the other wrote"

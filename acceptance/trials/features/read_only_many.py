"""A volume that many nodes only read (ReadOnlyMany), created as a clone of a volume with data."""

from __future__ import annotations

from dataclasses import replace

from acceptance.cluster.claims import AccessMode
from acceptance.cluster.pods import wait_ended
from acceptance.cluster.resources import VOLUMES
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.clones import ask_for_clone
from acceptance.trials.features.copies import write_before
from acceptance.trials.features.declared import TWO_VOLUMES, Tries
from acceptance.trials.features.printed import wait_printed
from acceptance.trials.features.two_nodes import another_node

ACCESS_MODE: AccessMode = "ReadOnlyMany"

_READS = """
echo "read $(cat "$VOLUME/before" 2>&1)"
{ echo written > "$VOLUME/new"; } 2> /dev/null && echo "took a new file"
{ echo written > "$VOLUME/before"; } 2> /dev/null && echo "took a change to a file"
"""
_STAYS = _READS + "echo done; while :; do sleep 1; done"


@Tries(
    "read-only-many",
    "Several nodes read a volume at the same time (ROX)",
    TWO_VOLUMES,
    pods=3,
    e2e=("capReadOnlyMany",),
    two_nodes=True,
)
def try_read_only_many(bench: Bench) -> str:
    """Verify that two nodes read one volume, and return what was observed.

    Raises Unsupported if the class has no such volumes or no clones, StorageFailure if a node does not read the
    volume's data, or if the volume takes a write.
    """
    bench.require_access(ACCESS_MODE)
    source, mark = bench.claim("original"), new_mark()
    write_before(bench, source, mark)
    claim = ask_for_clone(bench, source, part="readers", access=ACCESS_MODE)
    first = bench.start_plan(replace(bench.plan(claim, script=_STAYS), read_only=True))
    if "csi" not in bench.api.get(VOLUMES, bench.volume_of(claim))["spec"]:
        raise bench.not_tried("only CSI drivers clone volumes, and this test fills a ReadOnlyMany volume by cloning")
    second_node = another_node(bench, claim)
    second = bench.plan(claim, script=_READS + "true", node=second_node)
    second = bench.start_plan(replace(second, read_only=True))
    wait_ended(bench.api, second, timeout_s=bench.timeout_s)
    about = f"a {ACCESS_MODE} volume of StorageClass {bench.storage_class.name}"
    wait_printed(bench, first, "done", goal=f"a pod on {bench.node} to read {about} and to try to write to it")
    for pod, node in ((first, bench.node), (second, second_node)):
        lines = bench.output_of(pod).splitlines()
        if (read := lines[:1]) != [f"read {mark}"]:
            raise StorageFailure(
                f"{about}, cloned from a volume with a file, does not show the file on {node}: "
                f"{' '.join(read) or 'nothing'}"
            )
        if writes := [line.removeprefix("took ") for line in lines if line.startswith("took ")]:
            raise StorageFailure(f"{about} accepted writes on {node}: {', '.join(writes)}")
    return (
        f"pods on {bench.node} and {second_node} mounted a {ACCESS_MODE} volume read-only at the same time and read "
        "it; all writes were refused"
    )

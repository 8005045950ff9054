"""A directory of very many entries that grows on one node and is listed on another.

The listing must be complete at the end, and it must never lose or double an entry.
"""

from __future__ import annotations

from acceptance.cluster.claims import Claim
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.pods import wait_ended
from acceptance.text.errors import StorageFailure
from acceptance.text.quantities import parse_size
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.declared import Tries, VolumeUse
from acceptance.trials.features.two_nodes import another_node, shared_claim, within_s
from acceptance.trials.lua_program import RUN, OutputWords, program_of, words_said

ENTRIES = 100_000
FILL_S = 300
"""Time in s in which entries are created: the listing must hold those that exist at its end."""
LEAST = 1000
"""The minimum of entries for a statement about a large directory."""
SIZE = parse_size("2Gi")
"""Bytes of the volume: ext4 has an inode for each 16 KiB."""
NO_ROOM = ("No space left on device", "Disk quota exceeded")
_WRONG = {
    "unfilled": "the file with the number of entries did not appear",
    "twice": "{0} was listed twice among {1} entries",
    "strange": "{0} was listed, although no pod created it",
    "omitted": "{0} disappeared from the listing, which had {2} entries before and then {1}",
    "short": "{0} of {1} entries were listed {within_s} s after the last entry was durable",
}


@Tries(
    "directory-listing",
    "A directory of up to 100,000 entries is listed completely on other nodes (RWX)",
    (VolumeUse(size=SIZE),),
    pods=2,
    files=ENTRIES,
    two_nodes=True,
)
def try_entries(bench: Bench) -> str:
    """Verify that a large directory is listed completely on another node, and return what was observed.

    Raises Unsupported if the class has no such volumes or takes too few entries for a statement, StorageFailure if
    entries are missing, doubled or strange on the other node.
    """
    claim = shared_claim(bench, "entries", size=SIZE)
    filler = _start(bench, claim, "fill")
    second = another_node(bench, claim)
    watcher = _start(bench, claim, "watch", node=second)
    fill = _last(bench, filler)
    about = f"on a volume of StorageClass {bench.storage_class.name}"
    if fill[0] == "alone":
        raise StorageFailure(
            f"{about} a file that was fsynced on {second} did not appear on {bench.node}, so no directory was filled"
        )
    count, watch = int(fill[1]), _last(bench, watcher)
    if count < min(LEAST, ENTRIES):
        raise bench.not_tried(f"{about} only {count} files could be created in {FILL_S} s")
    if watch[0] != "whole":
        wrong = _WRONG[watch[0]].format(*watch[1:], within_s=within_s(bench))
        raise StorageFailure(f"{about} a directory got {count:,} entries on {bench.node}; on {second} {wrong}")
    return (
        f"a directory got {count:,} entries on {bench.node} in {float(fill[2]):.0f} s; {second} listed it {watch[2]} "
        "times meanwhile, each time without lost or duplicate entries, and completely "
        f"{float(watch[3]):.1f} s after it saw that the directory was filled"
    )


def _start(bench: Bench, claim: Claim, role: str, *, node: str | None = None) -> PodPlan:
    return bench.start(
        claim,
        RUN,
        node=node,
        PROGRAM=program_of("acceptance.trials.features", "entries.lua"),
        ROLE=role,
        COUNT=str(ENTRIES),
        FILL_S=str(FILL_S),
        SECONDS_LEFT=str(within_s(bench)),
        SECONDS_TO_START=str(int(bench.timeout_s) + within_s(bench)),
    )


def _last(bench: Bench, plan: PodPlan) -> list[str]:
    """Return the words of the last line that the pod printed, once it has ended.

    Raises NotTried if the volume has no room for the entries, StorageFailure if the program failed for another reason.
    """
    wait_ended(bench.api, plan, timeout_s=2 * bench.timeout_s + FILL_S + 2 * within_s(bench))
    output = bench.output_of(plan)
    lines: OutputWords = words_said(output, image=bench.workspace.image)
    if not lines:
        raise StorageFailure(
            f"pod {plan.name} on a shared volume ended without its last line; its output ends: {output.strip()[-300:]}"
        )
    last = lines[-1]
    if last[0] == "failed":
        problem = " ".join(last[1:])
        if last[1] == "create:" and any(message in problem for message in NO_ROOM):
            raise bench.not_tried(f"a volume of 2 GiB has no room for {ENTRIES:,} empty files: {problem}")
        raise StorageFailure(f"a pod on a shared volume of StorageClass {bench.storage_class.name} could not {problem}")
    return last

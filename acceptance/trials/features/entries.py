"""A folder of very many entries that grows on one node, listed on another: whole at its end, never less or doubled."""

from __future__ import annotations

from acceptance.cluster.claims import Claim
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.pods import wait_ended
from acceptance.text.errors import StorageFailure
from acceptance.text.quantities import parse_size
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.declared import Tries, VolumesUsed
from acceptance.trials.features.two_nodes import another_node, shared_claim, within_s
from acceptance.trials.lua_program import RUN, Said, program_of, words_said

ENTRIES = 100_000
FILL_S = 300
"""for which entries are made: what is there then is what must be listed"""
LEAST = 1000
"""entries, or nothing is said of a large folder"""
SIZE = parse_size("2Gi")
"""of the volume: ext4 has an inode for each 16 KiB"""
NO_ROOM = ("No space left on device", "Disk quota exceeded")
_WRONG = {
    "unfilled": "the file that says how many entries there are did not show",
    "twice": "{0} was listed twice among {1} entries",
    "strange": "{0} was listed, which nobody made",
    "omitted": "{0}, which had been listed before, was not any more, among {1} entries after {2}",
    "short": "{0} of {1} entries were listed {within_s} s after the last of them was durable",
}


@Tries(
    "entries",
    "A folder of up to 100,000 entries is listed whole on other nodes (RWX)",
    (VolumesUsed(size=SIZE),),
    pods=2,
    files=ENTRIES,
    two_nodes=True,
)
def try_entries(bench: Bench) -> str:
    """How a folder was seen to be listed. Raises Unsupported where the class has no such volumes, or takes too few
    entries to tell; StorageFailure where entries are missing, doubled or strange on the other node."""
    claim = shared_claim(bench, "entries", size=SIZE)
    filler = _start(bench, claim, "fill")
    other = another_node(bench, claim)
    watcher = _start(bench, claim, "watch", node=other)
    filled = _last(bench, filler)
    about = f"on a volume of StorageClass {bench.storage_class.name}"
    if filled[0] == "alone":
        raise StorageFailure(
            f"{about} a file that was fsynced on {other} did not show on {bench.node}, where a folder was to be filled"
        )
    made, watched = int(filled[1]), _last(bench, watcher)
    if made < min(LEAST, ENTRIES):
        raise bench.not_tried(f"{about} only {made} files could be made in {FILL_S} s")
    if watched[0] != "whole":
        wrong = _WRONG[watched[0]].format(*watched[1:], within_s=within_s(bench))
        raise StorageFailure(f"{about} a folder was filled on {bench.node} with {made:,} entries; on {other} {wrong}")
    return (
        f"a folder that got {made:,} entries on {bench.node} in {float(filled[2]):.0f} s was listed {watched[2]} times "
        f"on {other} meanwhile, each time with all that had been there before and nothing twice, and whole "
        f"{float(watched[3]):.1f} s after its end was seen there"
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
    """What the pod said last, once it has ended. Raises as the program failed."""
    wait_ended(bench.api, plan, timeout_s=2 * bench.timeout_s + FILL_S + 2 * within_s(bench))
    printed = bench.output_of(plan)
    said: Said = words_said(printed, image=bench.workspace.image)
    if not said:
        raise StorageFailure(
            f"pod {plan.name} on a shared volume ended without its last line; its output ends: {printed.strip()[-300:]}"
        )
    last = said[-1]
    if last[0] == "failed":
        what = " ".join(last[1:])
        if last[1] == "create:" and any(each in what for each in NO_ROOM):
            raise bench.not_tried(f"a volume of 2 GiB takes no {ENTRIES:,} empty files: {what}")
        raise StorageFailure(f"a pod on a shared volume of StorageClass {bench.storage_class.name} could not {what}")
    return last

"""A program in pods on two nodes that use one volume at the same time, and the lines that it prints while it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from acceptance.cluster.claims import Claim
from acceptance.cluster.nodes import nodes_for_volume
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.pods import wait_ended
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import EnvironmentFailure, StorageFailure
from acceptance.trials.features.bench import SIZE, Bench
from acceptance.trials.lua_program import RUN, OutputWords, program_of, words_said

SEEN_WITHIN_S = 90
"""Longer than a client of a network file system may answer from its cache of names and attributes (NFS: 60 s)."""
Role = Literal["hold", "take", "append", "check", "ping", "pong", "record", "verify"]
SHOWN_LENGTH = 300
"""Characters of the end of a failed program's output that an error shows."""
_PROGRAM = "shared.lua"


def within_s(bench: Bench) -> int:
    """Return the time in s within which an action on one node must show on the other."""
    return int(min(SEEN_WITHIN_S, bench.timeout_s))


def shared_claim(bench: Bench, part: str, *, size: int = SIZE) -> Claim:
    """Request a volume for several nodes. Raises what `Bench.claim` raises."""
    return bench.claim(part, size=size, access="ReadWriteMany")


def another_node(bench: Bench, claim: Claim) -> str:
    """Return a node other than that of the running first pod. Raises Unsupported if no other can use the volume."""
    nodes = nodes_for_volume(bench.api, bench.volume_of(claim), bench.workspace.pods.template)
    candidates = [node for node in nodes if node != bench.node]
    if not candidates:
        raise bench.not_tried(f"PVs of StorageClass {bench.storage_class.name} can be used from {bench.node} only")
    return candidates[0]


def start(bench: Bench, claim: Claim, role: Role, *, node: str | None = None, **variables: str) -> PodPlan:
    """Start a pod that plays the role on the volume, and return it once it has started."""
    return bench.start(claim, RUN, node=node, **_environment(bench, role, variables))


def read_words(bench: Bench, plan: PodPlan) -> OutputWords:
    """Return the lines that the pod has printed so far.

    Raises StorageFailure if the volume refused an operation, EnvironmentFailure if the image lacks what runs the
    program.
    """
    return _lines_of(bench, bench.output_of(plan))


def wait_said(
    bench: Bench, plan: PodPlan, goal: str, *, ready: Callable[[OutputWords], bool], timeout_s: float | None = None
) -> OutputWords:
    """Wait until the pod has printed lines that are `ready`.

    Raises what `read_words` raises; StorageFailure at the deadline.
    """
    return wait_for(
        f"{goal} on StorageClass {bench.storage_class.name}",
        look=lambda: read_words(bench, plan),
        ready=ready,
        state=lambda lines: "; ".join(" ".join(words) for words in lines[-4:]) or "nothing printed yet",
        timeout_s=timeout_s or bench.timeout_s + 3 * within_s(bench),
    )


def last_said(bench: Bench, plan: PodPlan, *, rounds: int = 1) -> OutputWords:
    """Return the lines that the pod has printed once it has ended; at least one. Raises as `read_words` does."""
    wait_ended(bench.api, plan, timeout_s=bench.timeout_s + (rounds + 1) * within_s(bench))
    if lines := read_words(bench, plan):
        return lines
    raise EnvironmentFailure(
        f"pod {plan.name} ended without its last line; its output ends: {bench.output_of(plan).strip()[-SHOWN_LENGTH:]}"
    )


def _environment(bench: Bench, role: Role, variables: dict[str, str]) -> dict[str, str]:
    program = program_of("acceptance.trials.features", _PROGRAM)
    starts = {"SECONDS_TO_START": str(int(bench.timeout_s) + within_s(bench))}
    return {"PROGRAM": program, "ROLE": role, "SECONDS_LEFT": str(within_s(bench)), **starts, **variables}


def _lines_of(bench: Bench, output: str) -> OutputWords:
    lines = words_said(output, image=bench.workspace.image)
    for words in lines:
        if words[0] == "failed":
            name = bench.storage_class.name
            raise StorageFailure(f"a pod on a shared volume of StorageClass {name} could not {' '.join(words[1:])}")
    return lines

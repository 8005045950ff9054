"""A program in pods on two nodes that use one volume at the same time, and what they say while they run."""

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
from acceptance.trials.lua_program import RUN, Said, program_of, words_said

SEEN_WITHIN_S = 90
"""Longer than a client of a network file system may answer from its cache of names and attributes (NFS: 60 s)."""
Role = Literal["hold", "take", "append", "check", "ping", "pong"]
SHOWN = 300
"""characters of what a program that failed printed last"""
_PROGRAM = "shared.lua"


def within_s(bench: Bench) -> int:
    """How long what was done on the one node may take to show on the other, in s."""
    return int(min(SEEN_WITHIN_S, bench.timeout_s))


def shared_claim(bench: Bench, part: str, *, size: int = SIZE) -> Claim:
    """Ask for a volume for several nodes. Raises what `Bench.claim` raises."""
    return bench.claim(part, size=size, access="ReadWriteMany")


def another_node(bench: Bench, claim: Claim) -> str:
    """A node beside that of the first pod, which runs. Raises Unsupported where no other can use the volume."""
    nodes = nodes_for_volume(bench.api, bench.volume_of(claim), bench.workspace.pods.template)
    others = [node for node in nodes if node != bench.node]
    if not others:
        raise bench.not_tried(f"PVs of StorageClass {bench.storage_class.name} can be used from {bench.node} only")
    return others[0]


def start(bench: Bench, claim: Claim, role: Role, *, node: str | None = None, **variables: str) -> PodPlan:
    """A pod that plays the role on the volume, and has started."""
    return bench.start(claim, RUN, node=node, **_environment(bench, role, variables))


def said(bench: Bench, plan: PodPlan) -> Said:
    """What the pod has said so far. Raises StorageFailure where the volume refused it, EnvironmentFailure where the
    image lacks what runs the program.
    """
    return _checked(bench, bench.output_of(plan))


def wait_said(
    bench: Bench, plan: PodPlan, what: str, *, ready: Callable[[Said], bool], timeout_s: float | None = None
) -> Said:
    """Wait until the pod has said what is waited for. Raises what `said` raises; StorageFailure at the deadline."""
    return wait_for(
        f"{what} on StorageClass {bench.storage_class.name}",
        look=lambda: said(bench, plan),
        ready=ready,
        state=lambda seen: "; ".join(" ".join(words) for words in seen[-4:]) or "it has said nothing",
        timeout_s=timeout_s or bench.timeout_s + 3 * within_s(bench),
    )


def last_said(bench: Bench, plan: PodPlan, *, rounds: int = 1) -> Said:
    """What the pod has said once it has ended, which is something. Raises as `said` does."""
    wait_ended(bench.api, plan, timeout_s=bench.timeout_s + (rounds + 1) * within_s(bench))
    if found := said(bench, plan):
        return found
    raise EnvironmentFailure(
        f"pod {plan.name} ended without its last line; its output ends: {bench.output_of(plan).strip()[-SHOWN:]}"
    )


def _environment(bench: Bench, role: Role, variables: dict[str, str]) -> dict[str, str]:
    program = program_of("acceptance.trials.features", _PROGRAM)
    starts = {"SECONDS_TO_START": str(int(bench.timeout_s) + within_s(bench))}
    return {"PROGRAM": program, "ROLE": role, "SECONDS_LEFT": str(within_s(bench)), **starts, **variables}


def _checked(bench: Bench, output: str) -> Said:
    lines = words_said(output, image=bench.workspace.image)
    for words in lines:
        if words[0] == "failed":
            name = bench.storage_class.name
            raise StorageFailure(f"a pod on a shared volume of StorageClass {name} could not {' '.join(words[1:])}")
    return lines

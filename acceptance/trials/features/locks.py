"""Locks of files between nodes: what a pod on one holds, a pod on another is refused, until the first is gone."""

from __future__ import annotations

import errno
import time

from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.pods import end_pod
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.declared import Tries
from acceptance.trials.features.two_nodes import another_node, shared_claim, start, wait_said, within_s
from acceptance.trials.lua_program import Said

KINDS = ("flock", "fcntl")
NO_LOCKS = (errno.ENOTSUP, errno.ENOSYS)
"""what a file system without locks says; other errors, such as EIO or ENOLCK, are of one that should have them"""
HELD_S = 3.0
"""for which the second pod asks again and again, and must be refused"""


@Tries("locks", "Locks of files hold between nodes (RWX)", pods=2, two_nodes=True)
def try_locks(bench: Bench) -> str:
    """How locks were seen to hold between nodes. Raises Unsupported where the class has no such volumes, or refuses
    locks, StorageFailure where both nodes have one at once, or a killed pod's is never given to another."""
    claim = shared_claim(bench, "locks")
    holder = start(bench, claim, "hold")
    held = wait_said(bench, holder, "a pod to lock files", ready=lambda seen: len(seen) == len(KINDS))
    if refused := _of(held, "refused"):
        said = f"volumes of StorageClass {bench.storage_class.name} refuse locks: {_in_words(refused)}"
        raise bench.missing(said) if all(int(each[1]) in NO_LOCKS for each in refused) else StorageFailure(said)
    first, second = bench.node, another_node(bench, claim)
    taker = start(bench, claim, "take", node=second)
    asked = wait_said(bench, taker, "a pod on another node to ask for locks", ready=_answered)
    about = f"on a volume of StorageClass {bench.storage_class.name}"
    if missing := _of(asked, "missing"):
        raise StorageFailure(
            f"{about} files that pods on {first} lock do not show on {second} within {within_s(bench)} s: "
            f"{_in_words(missing)}"
        )
    if refused := _of(asked, "refused"):
        raise StorageFailure(f"{about} a pod on {second} cannot ask for a lock: {_in_words(refused)}")
    if taken := _of(_after_a_while(bench, taker), "took"):
        raise StorageFailure(
            f"{about} two pods had the same lock at once, on {first} and on {second}: {_in_words(taken)}; locks are "
            "each node's own, and programs that rely on them damage each other's data"
        )
    began_s = time.monotonic()
    end_pod(bench.api, holder, timeout_s=bench.timeout_s, grace_s=0)
    wait_said(
        bench,
        taker,
        f"the locks of a pod on {first} that was killed to be given to one on {second}",
        ready=lambda seen: len(_of(seen, "took")) == len(KINDS),
        timeout_s=within_s(bench),
    )
    after_s = time.monotonic() - began_s
    return (
        f"locks ({' and '.join(KINDS)}) that a pod on {first} held were refused to one on {second}, and given to it "
        f"within {after_s:.0f} s after the first was killed"
    )


def _after_a_while(bench: Bench, taker: PodPlan) -> Said:
    ends_s = time.monotonic() + HELD_S
    return wait_said(
        bench,
        taker,
        "locks to be refused for a while",
        ready=lambda seen: bool(_of(seen, "took")) or time.monotonic() >= ends_s,
    )


def _answered(seen: Said) -> bool:
    return {words[1] for words in seen} >= set(KINDS)


def _of(seen: Said, what: str) -> Said:
    return [words[1:] for words in seen if words[0] == what]


def _in_words(found: Said) -> str:
    return ", ".join(f"{kind} ({' '.join(why[1:])})" if why else kind for kind, *why in found)

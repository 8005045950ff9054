"""File locks between nodes: a pod on one node is refused a lock that a pod on another holds, until that one is gone."""

from __future__ import annotations

import errno
import time

from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.pods import end_pod
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.declared import Tries
from acceptance.trials.features.two_nodes import another_node, shared_claim, start, wait_said, within_s
from acceptance.trials.lua_program import OutputWords

KINDS = ("flock", "fcntl")
NO_LOCKS = (errno.ENOTSUP, errno.ENOSYS)
"""Errors of a file system without locks; other errors, such as EIO or ENOLCK, come from one that should have them."""
HELD_S = 3.0
"""Time in s for which the second pod requests the lock repeatedly, and must be refused."""


@Tries("locks", "File locks hold between nodes (RWX)", pods=2, two_nodes=True)
def try_locks(bench: Bench) -> str:
    """Verify that locks hold between nodes, and return what was observed.

    Raises Unsupported if the class has no such volumes or refuses locks, StorageFailure if both nodes have a lock at
    the same time, or if the lock of a killed pod is never given to another.
    """
    claim = shared_claim(bench, "locks")
    holder = start(bench, claim, "hold")
    holder_lines = wait_said(bench, holder, "a pod to lock files", ready=lambda lines: len(lines) == len(KINDS))
    if refusals := _of(holder_lines, "refused"):
        text = f"volumes of StorageClass {bench.storage_class.name} refuse locks: {_in_words(refusals)}"
        raise bench.missing(text) if all(int(refusal[1]) in NO_LOCKS for refusal in refusals) else StorageFailure(text)
    first, second = bench.node, another_node(bench, claim)
    taker = start(bench, claim, "take", node=second)
    taker_lines = wait_said(bench, taker, "a pod on another node to request locks", ready=_has_answers)
    about = f"on a volume of StorageClass {bench.storage_class.name}"
    if missing := _of(taker_lines, "missing"):
        raise StorageFailure(
            f"{about} files that a pod on {first} has locked do not appear on {second} within {within_s(bench)} s: "
            f"{_in_words(missing)}"
        )
    if refusals := _of(taker_lines, "refused"):
        raise StorageFailure(f"{about} a pod on {second} cannot request a lock: {_in_words(refusals)}")
    if double_locks := _of(_after_a_while(bench, taker), "took"):
        raise StorageFailure(
            f"{about} two pods, on {first} and on {second}, held the same lock at the same time: "
            f"{_in_words(double_locks)}; locks are local to each node, and programs that rely on them damage each "
            "other's data"
        )
    began_s = time.monotonic()
    end_pod(bench.api, holder, timeout_s=bench.timeout_s, grace_s=0)
    wait_said(
        bench,
        taker,
        f"the locks of a killed pod on {first} to pass to a pod on {second}",
        ready=lambda lines: len(_of(lines, "took")) == len(KINDS),
        timeout_s=within_s(bench),
    )
    after_s = time.monotonic() - began_s
    return (
        f"a pod on {second} was refused the locks ({' and '.join(KINDS)}) that a pod on {first} held, and got them "
        f"within {after_s:.0f} s after that pod was killed"
    )


def _after_a_while(bench: Bench, taker: PodPlan) -> OutputWords:
    ends_s = time.monotonic() + HELD_S
    return wait_said(
        bench,
        taker,
        "the locks to be refused for a while",
        ready=lambda lines: bool(_of(lines, "took")) or time.monotonic() >= ends_s,
    )


def _has_answers(lines: OutputWords) -> bool:
    return {words[1] for words in lines} >= set(KINDS)


def _of(lines: OutputWords, word: str) -> OutputWords:
    return [words[1:] for words in lines if words[0] == word]


def _in_words(answers: OutputWords) -> str:
    return ", ".join(f"{kind} ({' '.join(why[1:])})" if why else kind for kind, *why in answers)

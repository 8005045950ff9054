"""Two nodes write durable records at the same time, each to its own file: no acknowledged record may be lost."""

from __future__ import annotations

from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.pods import end_pod
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.declared import Tries
from acceptance.trials.features.two_nodes import another_node, last_said, read_words, shared_claim, start, wait_said

LEAST_RECORDS = 50
"""Records that each node writes while the other one writes, too; and the second after the first pod was killed."""


@Tries("concurrent-writers", "Several nodes write durably at the same time (RWX)", pods=4, two_nodes=True, waits_s=10.0)
def try_writers(bench: Bench) -> str:
    """Verify that two nodes keep the records of both, although their pods are killed, and return what was observed.

    Raises Unsupported if the class has no such volumes, StorageFailure if a node cannot write, stops when the other
    node's pod is killed, or lacks an acknowledged record.
    """
    claim = shared_claim(bench, "writers")
    first = start(bench, claim, "record", WHO="1")
    second_node = another_node(bench, claim)
    second = start(bench, claim, "record", node=second_node, WHO="2")
    _wait_written(bench, second, "two nodes to write at the same time")
    counts = {"1": _wait_written(bench, first, "two nodes to write at the same time", since=_count(bench, first))}
    end_pod(bench.api, first, timeout_s=bench.timeout_s, grace_s=0)
    goal = f"a pod on {second_node} to write on after the pod on {bench.node} was killed"
    counts["2"] = _wait_written(bench, second, goal, since=_count(bench, second))
    end_pod(bench.api, second, timeout_s=bench.timeout_s, grace_s=0)
    writers = {"1": str(bench.node), "2": second_node}
    for reader in writers.values():
        _require_kept(
            bench,
            start(bench, claim, "verify", node=reader, NEED_1=str(counts["1"]), NEED_2=str(counts["2"])),
            reader=reader,
            writers=writers,
            counts=counts,
        )
    return (
        f"pods on {bench.node} and {second_node} wrote {counts['1']} and {counts['2']} durable records at the same "
        "time, each to its own file; both pods were killed while they wrote, and both nodes have all records"
    )


def _count(bench: Bench, plan: PodPlan) -> int:
    """Return how many records the pod has reported as durable so far."""
    return _latest(read_words(bench, plan))


def _latest(lines: list[list[str]]) -> int:
    return max((int(words[1]) for words in lines if words[0] == "wrote"), default=0)


def _wait_written(bench: Bench, plan: PodPlan, goal: str, *, since: int = 0) -> int:
    """Wait until the pod has written enough records more than `since`; return the number of all."""
    return _latest(wait_said(bench, plan, goal, ready=lambda lines: _latest(lines) >= since + LEAST_RECORDS))


def _require_kept(bench: Bench, plan: PodPlan, *, reader: str, writers: dict[str, str], counts: dict[str, int]) -> None:
    """Require that the pod found all acknowledged records of both writers, in their order and intact."""
    kept = {words[1]: int(words[2]) for words in last_said(bench, plan) if words[0] == "kept"}
    losses = [
        f"{kept.get(who, 0)} of {counts[who]} records that a pod on {node} wrote"
        for who, node in writers.items()
        if kept.get(who, 0) < counts[who]
    ]
    if losses:
        raise StorageFailure(
            f"two nodes wrote durable records to a volume of StorageClass {bench.storage_class.name} at the same time; "
            f"on {reader} a new pod finds only {' and '.join(losses)}"
        )

"""Two nodes append to one file (O_APPEND): it must hold every record of both, intact and once."""

from __future__ import annotations

from acceptance.cluster.claims import Claim
from acceptance.cluster.resources import VOLUMES
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.declared import Tries
from acceptance.trials.features.two_nodes import another_node, last_said, shared_claim, start, within_s

RECORDS = 1000
"""Records that the second node appends; the first appends until the second has ended."""


@Tries("appends", "Several nodes append to a file (RWX)", pods=3, two_nodes=True)
def try_appends(bench: Bench) -> str:
    """Verify that two nodes append to one file, and return what was observed.

    Raises Unsupported if the class has no such volumes or its protocol has no appends, StorageFailure if records are
    lost, torn or duplicated, or if the nodes do not see each other's file.
    """
    claim = shared_claim(bench, "appends")
    variables = {"COUNT": str(RECORDS)}
    pods = {"1": start(bench, claim, "append", WHO="1", **variables)}
    second = another_node(bench, claim)
    pods["2"] = start(bench, claim, "append", node=second, WHO="2", **variables)
    about = (
        f"pods on {bench.node} and {second} appended to one file on a volume of StorageClass "
        f"{bench.storage_class.name} at the same time"
    )
    counts: dict[str, int] = {}
    for writer in ("2", "1"):  # the first ends after the second, unless it never sees its file
        last = last_said(bench, pods[writer])[-1]
        if last[0] != "appended":
            raise StorageFailure(
                f"{about}, but neither saw the other's file within {within_s(bench)} s (last output: {' '.join(last)})"
            )
        counts[writer] = int(last[1])
    ((_, first_whole, second_whole, strange),) = last_said(bench, start(bench, claim, "check"))
    lost_counts = {bench.node: counts["1"] - int(first_whole), second: counts["2"] - int(second_whole)}
    if any(lost_counts.values()) or int(strange):
        losses = " and ".join(f"{count} of {node}" for node, count in lost_counts.items())
        problem = f"{about}: of {counts['1']} and {counts['2']} records, {losses} are missing, and {strange} are torn"
        raise _lost_records_error(bench, claim, problem)
    return (
        f"pods on {bench.node} and {second} appended {counts['1']} and {counts['2']} records to one file at the same "
        "time, and the file held each record intact and once"
    )


def _lost_records_error(bench: Bench, claim: Claim, problem: str) -> Exception:
    volume = bench.api.get(VOLUMES, bench.volume_of(claim))
    if "nfs" in volume["spec"]:
        return bench.missing(
            f"{problem}; these are NFS volumes, and the NFS protocol has no appends: clients find the end of the file "
            "and write there (open(2), O_APPEND)"
        )
    return StorageFailure(f"{problem}; logs and queues that several nodes append to lose entries there")

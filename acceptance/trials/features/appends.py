"""Two nodes that append to one file (O_APPEND): every record of both must be in it, whole and once."""

from __future__ import annotations

from acceptance.cluster.claims import Claim
from acceptance.cluster.resources import VOLUMES
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.declared import Tries
from acceptance.trials.features.two_nodes import another_node, last_said, shared_claim, start, within_s

RECORDS = 1000
"""that the second node appends; the first appends for as long as it does"""


@Tries("appends", "Several nodes append to a file (RWX)", pods=3, two_nodes=True)
def try_appends(bench: Bench) -> str:
    """How two nodes were seen to append. Raises Unsupported where the class has no such volumes, or its protocol has no
    appends, StorageFailure where records are gone, torn or there twice, or the nodes do not see each other's file."""
    claim = shared_claim(bench, "appends")
    variables = {"COUNT": str(RECORDS)}
    pods = {"1": start(bench, claim, "append", WHO="1", **variables)}
    second = another_node(bench, claim)
    pods["2"] = start(bench, claim, "append", node=second, WHO="2", **variables)
    about = (
        f"on a volume of StorageClass {bench.storage_class.name}, to which pods on {bench.node} and {second} appended"
    )
    appended: dict[str, int] = {}
    for who in ("2", "1"):  # the first ends after the second, or never has its company
        last = last_said(bench, pods[who])[-1]
        if last[0] != "appended":
            raise StorageFailure(
                f"{about} at once, neither saw the other's file within {within_s(bench)} s (said: {' '.join(last)})"
            )
        appended[who] = int(last[1])
    ((_, first_whole, second_whole, strange),) = last_said(bench, start(bench, claim, "check"))
    lost = {bench.node: appended["1"] - int(first_whole), second: appended["2"] - int(second_whole)}
    if any(lost.values()) or int(strange):
        gone = " and ".join(f"{count} of {node}" for node, count in lost.items())
        what = f"{about} {appended['1']} and {appended['2']} records at once, {gone} are gone, and {strange} torn"
        raise _refused(bench, claim, what)
    return (
        f"pods on {bench.node} and {second} appended {appended['1']} and {appended['2']} records to one file at once, "
        "and all were in it, whole and once"
    )


def _refused(bench: Bench, claim: Claim, what: str) -> Exception:
    volume = bench.api.get(VOLUMES, bench.volume_of(claim))
    if "nfs" in volume["spec"]:
        return bench.missing(
            f"{what}; these are NFS volumes, whose protocol has no appends: clients look for the file's end and "
            "write there (open(2), O_APPEND)"
        )
    return StorageFailure(f"{what}; logs and queues that several nodes append to lose entries there")

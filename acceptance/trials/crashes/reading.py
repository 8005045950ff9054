"""The reader: a pod that shows that the volume is writable again, and prints every record on it."""

from __future__ import annotations

from dataclasses import dataclass

from acceptance.cluster.claims import Claim
from acceptance.cluster.objects import object_name
from acceptance.cluster.one_shot_pod import ended_pod
from acceptance.cluster.pod_manifest import PodPlan, volume_path
from acceptance.cluster.pods import create_pod, end_pod
from acceptance.cluster.workspace import Workspace
from acceptance.text.errors import EnvironmentFailure, StorageFailure
from acceptance.trials.crashes.acknowledged_records import MOST_BYTES
from acceptance.trials.crashes.writer import LEDGER, script

READER = "reader"
PROBE = f"{volume_path(0)}/written-again"
DEADLINE_S = 600
MESSAGE_BYTES = 300
"""Bytes of the last output of a reader that failed, for the error message."""
WRITTEN_LINE, MISSING, RECORDS = (
    f"storage-acceptance: {word}\n".encode() for word in ("written", "missing", "records")
)
END = b"\nstorage-acceptance: end\n"


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The content that a pod on `node` read from the file of records; empty if there was no such file."""

    node: str
    content: bytes


def reader_plan(
    workspace: Workspace,
    claim: Claim,
    *,
    token: str,
    node: str | None,
    away_from: str | None = None,
    ledger: str = LEDGER,
) -> PodPlan:
    """Return the pod that reads; `node`: where it runs, None leaves that to the scheduler, which does not send it to
    `away_from`. `ledger`: the file of records."""
    return PodPlan(
        name=object_name(claim.name, READER),
        claims=(claim,),
        image=workspace.image,
        command=["sh", "-c", script("read_records.sh")],
        environment={"LEDGER": ledger, "PROBE": PROBE, "TOKEN": token, "LIMIT": str(MOST_BYTES)},
        deadline_s=DEADLINE_S,
        node=node,
        away_from=away_from,
        defaults=workspace.pods,
    )


def read_records(workspace: Workspace, plan: PodPlan) -> Reading:
    """Have the pod read the volume, and end it. Raises StorageFailure if it cannot mount, write or read the volume."""
    create_pod(workspace.api, plan, timeout_s=workspace.timeout_s)
    return finish_reading(workspace, plan)


def finish_reading(workspace: Workspace, plan: PodPlan, *, timeout_s: float | None = None) -> Reading:
    """Return the records that a requested pod has read; the pod is deleted then."""
    outcome = ended_pod(workspace, plan, timeout_s=timeout_s or workspace.timeout_s)
    if outcome.status:
        message = "; ".join(outcome.content[-MESSAGE_BYTES:].decode(errors="replace").splitlines()[-3:])
        raise StorageFailure(
            f"after the crash pod {plan.name} on StorageClass {plan.classes} could not write and read the volume: "
            f"{message or 'no output'} ({outcome.state})"
        )
    end_pod(workspace.api, plan, timeout_s=workspace.timeout_s)
    return Reading(node=outcome.node, content=printed_records(outcome.content, pod=plan.name))


def printed_records(log: bytes, *, pod: str) -> bytes:
    """Return the records from the reader's log. Raises EnvironmentFailure if the log is incomplete."""
    _, marker, rest = log.partition(WRITTEN_LINE)
    if marker and rest.startswith(RECORDS) and rest.endswith(END):
        return rest.removeprefix(RECORDS).removesuffix(END)
    if marker and rest == MISSING:
        return b""
    raise EnvironmentFailure(
        f"the log of pod {pod} is incomplete: the line before or after the records is missing; the node rotated "
        "the log, or the suite read only a part of it"
    )

"""Why an operation was not done in time, in the cluster's own words."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from acceptance.cluster.events import last_warning
from acceptance.cluster.refusals import read_refusal, refuses_copy
from acceptance.cluster.workspace import Workspace
from acceptance.results.operations import Operation
from acceptance.text.errors import EnvironmentFailure
from acceptance.text.sanitizing import on_one_line
from acceptance.trials.operations.timeline import Tracked

NOTHING = "NothingSaid"
_MOST = 300


def why_failed(workspace: Workspace, tracked: Tracked, operation: Operation) -> str:
    """`ProvisioningFailed: no space left`: the last warning about claim and pod, or about the volume to be deleted.

    Raises EnvironmentFailure for a pod that found no room on any node: the storage was not asked. Raises ApiError.
    """
    if tracked.no_room:
        raise EnvironmentFailure(
            f"pod {tracked.name} has no room on any node: {tracked.no_room}; ask for fewer at once"
        )
    api, namespace = workspace.api, workspace.namespace
    if operation == "delete":  # events about what has no namespace are in this one
        warning = last_warning(api, namespace="default", name=tracked.volume)
    else:
        warning = last_warning(api, namespace=namespace, name=tracked.name)
    if warning is None:
        warning = f"{NOTHING}: {tracked.trouble or 'no event tells why'}"
    return on_one_line(warning.removeprefix("Warning "))[:_MOST]


def reason_of(why: str) -> str:
    """The reason by which failures are counted: `ProvisioningFailed`."""
    return why.partition(":")[0]


def cannot_clone(objects: Collection[Tracked]) -> str | None:
    """Why the class has no clones, where that is what was seen; None where it has, or where nobody knows.

    Provisioners that are no CSI drivers ignore what a claim is to be filled from; CSI's own provisioner says of a
    driver that it cannot.
    """
    if any("bound" in each.at_s and not each.csi for each in objects):
        return "only CSI drivers can clone, and the provisioner is none"
    clones = [each for each in objects if each.kind == "clone"]
    refused = [clone.failed["clone"] for clone in clones if "clone" in clone.failed]
    if clones and len(refused) == len(clones) and all(map(_says_no_clones, refused)):
        return refused[0]
    return None


def _says_no_clones(why: str) -> bool:
    refusal = read_refusal(why.removeprefix("ProvisioningFailed: "), names=())
    return refuses_copy(refusal, "PersistentVolumeClaim")


def untold(objects: Collection[Tracked]) -> Iterator[tuple[Operation, str]]:
    """The parts of a start that the cluster does not tell of, though pods were ready, and why."""
    started = [each for each in objects if each.kind == "volume" and "ready" in each.at_s]
    if started and not any("attaching" in each.at_s for each in started):
        yield "attach", "capability 'attaching': no VolumeAttachment was made: the driver attaches nothing"
    if started and not any("mounted" in each.at_s for each in started):
        yield "mount", "capability 'mount times': no pod has the condition PodReadyToStartContainers (Kubernetes 1.29)"

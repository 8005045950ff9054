"""Why an operation was not done in time, in the cluster's own words."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from acceptance.cluster.events import last_warning
from acceptance.cluster.refusals import read_refusal, refuses_copy
from acceptance.cluster.workspace import Workspace
from acceptance.results.operations import Operation
from acceptance.text.errors import EnvironmentFailure
from acceptance.text.sanitizing import on_one_line
from acceptance.trials.operations.timeline import TrackedObject

NO_EVENT = "NothingSaid"
_MOST = 300


def why_failed(workspace: Workspace, obj: TrackedObject, operation: Operation) -> str:
    """Return the last warning about claim and pod, or about the volume to be deleted: `ProvisioningFailed: no space
    left`.

    Raises EnvironmentFailure for a pod that found no room on any node: the storage was not involved. Raises ApiError.
    """
    if obj.no_room:
        raise EnvironmentFailure(
            f"pod {obj.name} has no room on any node: {obj.no_room}; request fewer at the same time"
        )
    api, namespace = workspace.api, workspace.namespace
    if operation == "delete":  # events about cluster-scoped objects are in this namespace
        warning = last_warning(api, namespace="default", name=obj.volume)
    else:
        warning = last_warning(api, namespace=namespace, name=obj.name)
    if warning is None:
        warning = f"{NO_EVENT}: {obj.trouble or 'no event gives a reason'}"
    return on_one_line(warning.removeprefix("Warning "))[:_MOST]


def reason_of(why: str) -> str:
    """Return the reason by which failures are counted: `ProvisioningFailed`."""
    return why.partition(":")[0]


def cannot_clone(objects: Collection[TrackedObject]) -> str | None:
    """Return why the class has no clones, if its objects show that; None if it has clones, or if nothing shows that it
    has none.

    Provisioners that are no CSI drivers ignore the source from which a claim is to be filled; CSI's own provisioner
    reports that a driver cannot.
    """
    if any("bound" in obj.at_s and not obj.csi for obj in objects):
        return "only CSI drivers can clone, and the provisioner is not one"
    clones = [obj for obj in objects if obj.kind == "clone"]
    refusals = [clone.failures["clone"] for clone in clones if "clone" in clone.failures]
    if clones and len(refusals) == len(clones) and all(map(_says_no_clones, refusals)):
        return refusals[0]
    return None


def _says_no_clones(why: str) -> bool:
    refusal = read_refusal(why.removeprefix("ProvisioningFailed: "), names=())
    return refuses_copy(refusal, "PersistentVolumeClaim")


def missing_reports(objects: Collection[TrackedObject]) -> Iterator[tuple[Operation, str]]:
    """Yield the parts of a start that the cluster does not report, although pods were ready, and why."""
    ready_objects = [obj for obj in objects if obj.kind == "volume" and "ready" in obj.at_s]
    if ready_objects and not any("attaching" in obj.at_s for obj in ready_objects):
        yield "attach", "capability 'attaching': no VolumeAttachment was created: the driver attaches no volumes"
    if ready_objects and not any("mounted" in obj.at_s for obj in ready_objects):
        yield "mount", "capability 'mount times': no pod has the condition PodReadyToStartContainers (Kubernetes 1.29)"

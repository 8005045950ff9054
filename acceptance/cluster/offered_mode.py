"""Whether a class offers the access mode of the run: one volume shows it, before many are requested together."""

from __future__ import annotations

from acceptance.cluster.claims import create_claim, remove_claim
from acceptance.cluster.objects import object_name
from acceptance.cluster.one_shot_pod import run_one_shot_pod
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.workspace import Workspace
from acceptance.process.undoing import Undoing
from acceptance.results.access_modes import DEFAULT_MODE

_DEADLINE_S = 600


def require_mode(workspace: Workspace, *, storage_class: str, size: int, block: bool, node: str | None = None) -> None:
    """Have a pod use one volume in the access mode of the run, and delete both; nothing in the default mode.

    Trials that create many volumes count those that never come, and do not ask why. Raises NotTried if the class
    refuses the access mode, StorageFailure if the volume cannot be used for another reason.
    """
    if workspace.access_mode_of(storage_class) == DEFAULT_MODE:
        return
    api, timeout_s = workspace.api, workspace.timeout_s
    claim = workspace.claim("access-mode", storage_class, storage_class=storage_class, size=size, block=block)
    plan = PodPlan(
        name=object_name(claim.name, "user"),
        claims=(claim,),
        image=workspace.image,
        command=["true"],
        deadline_s=_DEADLINE_S,
        node=node,
        defaults=workspace.pods,
    )
    with Undoing() as undoing:
        undoing.callback(lambda: remove_claim(api, claim, timeout_s=timeout_s))
        create_claim(api, claim)
        run_one_shot_pod(workspace, plan, timeout_s=timeout_s)

"""A volume that lost a replica on purpose is put back as it was, whatever happens meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from acceptance.cluster.run_namespace import remember_undo
from acceptance.cluster.workspace import Workspace
from acceptance.process.undoing import Undoing
from acceptance.text.errors import AcceptanceError
from acceptance.trials.rebuild.driver import ReplicaRebuild


@contextmanager
def restore(rebuild: ReplicaRebuild, workspace: Workspace) -> Iterator[None]:
    """Have the volume as it was, whatever the block does; what fails first is what its reader hears of.

    The cluster knows meanwhile how that is done: a run that is killed cannot. Raises ApiError, ApiUnreachable before
    anything is done to the volume.
    """
    undo = rebuild.undo()

    def restore() -> None:
        rebuild.restore()
        if undo is not None:
            with suppress(AcceptanceError):  # it is as it was, whatever is noted
                remember_undo(workspace.api, namespace=workspace.namespace, what=undo.what, how=None)

    if undo is not None:
        remember_undo(workspace.api, namespace=workspace.namespace, what=undo.what, how=undo.how)
    with Undoing() as undoing:
        undoing.callback(restore, what="the volume could not be restored")
        yield

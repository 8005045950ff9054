"""A volume that lost a replica on purpose is restored as it was, whatever happens meanwhile."""

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
    """Restore the volume as it was, whatever the block does; the first failure is the one that is raised.

    The cluster holds meanwhile the command for that, because a run that is killed cannot do it. Raises ApiError,
    ApiUnreachable before anything is done to the volume.
    """
    undo = rebuild.undo()

    def restore() -> None:
        rebuild.restore()
        if undo is not None:
            with suppress(AcceptanceError):  # the volume is restored, whatever is noted
                remember_undo(workspace.api, namespace=workspace.namespace, component=undo.subject, how=None)

    if undo is not None:
        remember_undo(workspace.api, namespace=workspace.namespace, component=undo.subject, how=undo.how)
    with Undoing() as undoing:
        undoing.callback(restore, note="the volume could not be restored")
        yield

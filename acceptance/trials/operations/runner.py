"""Has each class do its control operations once, however often they are requested."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from acceptance.cluster.claims import require_no_unclaimed_volumes
from acceptance.cluster.node_room import total_room
from acceptance.cluster.nodes import nodes_that_take_pods
from acceptance.cluster.objects import name_of
from acceptance.cluster.offered_mode import require_mode
from acceptance.cluster.snapshots import snapshot_class_of
from acceptance.cluster.workspace import Workspace
from acceptance.process.once import Once
from acceptance.results.clusters import StorageClass
from acceptance.results.operations import OPERATIONS, Operation, OperationsRecord
from acceptance.text.errors import EnvironmentFailure, Unsupported
from acceptance.trials import Say
from acceptance.trials.operations.failing import cannot_clone, missing_reports
from acceptance.trials.operations.observer import Observer
from acceptance.trials.operations.plan import REQUESTS, VOLUME_SIZE, OperationSettings
from acceptance.trials.operations.record_of import object_records, operation_records
from acceptance.trials.operations.round import Round

OF_SNAPSHOTS: frozenset[Operation] = frozenset({"snapshot", "restore", "snapshots_of_one"})


class OperationsRunner:
    """All control operations of a session; each record is passed to `keep`, once."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        settings: OperationSettings,
        say: Say,
        keep: Callable[[OperationsRecord], object],
    ) -> None:
        self._workspace = workspace
        self._settings = settings
        self._say = say
        self._classes: dict[str, StorageClass] = {}
        self._records = Once(self._operate, keep=keep)

    def record(self, storage_class: StorageClass) -> OperationsRecord:
        """Return the record of the operations of the class.

        An operation that failed is not tried again. Raises what `require_mode` raises; EnvironmentFailure if nodes have
        no room for the pods or the cluster can no longer be watched; ApiError and ApiUnreachable.
        """
        self._classes[storage_class.name] = storage_class
        return self._records(storage_class.name)

    def _operate(self, name: str) -> OperationsRecord:
        """Run the operations. The removal of the run deletes what an error leaves behind."""
        storage_class, settings, api = self._classes[name], self._settings, self._workspace.api
        require_no_unclaimed_volumes(api, storage_classes=[name])
        require_mode(self._workspace, storage_class=name, size=VOLUME_SIZE, block=settings.block, node=settings.node)
        require_room(self._workspace, node=settings.node, pods=settings.at_once)
        missing = dict(missing_operations(self._workspace, storage_class, settings.all_operations))
        operations = settings.all_operations - missing.keys()
        snapshot_class = snapshot_class_for(self._workspace, storage_class, operations)
        began_s: dict[int, float] = {}
        earlier_requests = api.request_counts.copy()
        with Observer(self._workspace, snapshots=bool(snapshot_class)) as observer:
            for number in range(1, settings.rounds + 1):
                began_s[number] = observer.now_s()
                Round(
                    workspace=self._workspace,
                    observer=observer,
                    storage_class=storage_class,
                    settings=settings,
                    operations=settings.all_operations - missing.keys(),
                    snapshot_class=snapshot_class,
                    number=number,
                    say=self._say,
                ).run()
                objects = list(observer.timeline.objects.values())
                if "clone" in settings.all_operations and (why := cannot_clone(objects)) is not None:
                    missing["clone"] = f"capability 'clone': StorageClass {name} has no clones: {why}"
                # More rounds would not help, and each waits the whole timeout for what fails.
                if any(obj.failures.keys() - missing.keys() for obj in objects):
                    break
        missing |= {part: why for part, why in missing_reports(objects) if part in settings.all_operations}
        waits = storage_class.waits_for_pod
        return OperationsRecord(
            storage_class=name,
            at_once=settings.at_once,
            rounds=len(began_s),
            binding_mode=storage_class.binding_mode,
            timeout_s=settings.timeout_s,
            operations=operation_records(objects, waits=waits, missing=missing),
            missing=missing,
            objects=object_records(objects, began_s=began_s.__getitem__),
            requests=dict(sorted((api.request_counts - earlier_requests).items())),
        )


def require_room(workspace: Workspace, *, node: str | None, pods: int) -> None:
    """Raise EnvironmentFailure if the nodes cannot hold as many pods as are requested at once."""
    nodes = nodes_that_take_pods(workspace.api, workspace.pods.template)
    nodes = [candidate for candidate in nodes if node in (None, name_of(candidate))]
    room = total_room(workspace.api, nodes, requests=REQUESTS)
    if room < pods:
        raise EnvironmentFailure(
            f"the {len(nodes)} nodes hold {room} more pods of {REQUESTS['cpu']} CPU and {REQUESTS['memory']} each, "
            f"but {pods} at the same time were requested, so none was created; free capacity, add "
            "nodes, or request fewer with --storage-with operations=N"
        )


def missing_operations(
    workspace: Workspace, storage_class: StorageClass, operations: Collection[Operation]
) -> Iterator[tuple[Operation, str]]:
    """Yield the operations that the class cannot do, or that the cluster does not report for it, with the reason."""
    name = storage_class.name
    try:
        snapshot_class_for(workspace, storage_class, operations)
    except Unsupported as error:
        for operation in OPERATIONS:
            if operation in OF_SNAPSHOTS & set(operations):
                yield operation, f"capability 'snapshot': {error}"
    if "expand" in operations and not storage_class.allow_expansion:
        yield (
            "expand",
            f"capability 'expansion': StorageClass {name} does not allow it (allowVolumeExpansion is not true)",
        )
    if storage_class.reclaim_policy != "Delete":
        yield "delete", f"StorageClass {name} keeps its volumes (reclaimPolicy {storage_class.reclaim_policy})"


def snapshot_class_for(workspace: Workspace, storage_class: StorageClass, operations: Collection[Operation]) -> str:
    """Return the snapshot class; empty if none is required. Raises Unsupported."""
    return snapshot_class_of(workspace.api, storage_class) if OF_SNAPSHOTS & set(operations) else ""

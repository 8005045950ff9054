"""The fixture setup of one capability: its claims, snapshots and pods, all deleted at the end."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Self

from acceptance.cluster.api import Api
from acceptance.cluster.claims import AccessMode, Claim, DataSource, create_claim, remove_claim, wait_bound
from acceptance.cluster.nfs_clients import why_not_shared
from acceptance.cluster.objects import object_name
from acceptance.cluster.one_shot_pod import OneShotPod, ended_pod, run_one_shot_pod
from acceptance.cluster.pod_manifest import MAIN, GroupPolicy, PodPlan, volume_path
from acceptance.cluster.pod_states import node_of
from acceptance.cluster.pods import ask_for_pod, create_pod, end_pod, wait_started
from acceptance.cluster.snapshots import Snapshot, undo_snapshot
from acceptance.cluster.workspace import Workspace
from acceptance.process.undoing import Undoing
from acceptance.results.clusters import StorageClass
from acceptance.results.features import Capability
from acceptance.results.file_operations import OperationRecord
from acceptance.text.errors import NotTried, StorageFailure, Unsupported
from acceptance.text.quantities import parse_size

SIZE = parse_size("1Gi")
DEADLINE_S = 900
_OF_SEVERAL_NODES: tuple[AccessMode, ...] = ("ReadWriteMany", "ReadOnlyMany")


class Bench:
    """A fixture setup: creates what the trial of one capability needs, and deletes it at the end of a `with` block.

    `node`: where pods run unless the caller names another node; None leaves the first pod to the scheduler, and later
    pods run on its node. `keep`: leave all objects in place if the block fails. `pod_s`: how long a pod may run; None:
    as long as an object may take. `node_volumes`: the maximum number of volumes to fill a node with. `refused_size`:
    bytes that the storage must refuse to a volume. `large_volume`: the bytes of a large volume. `pool_used`: returns
    the used bytes of the pool; None: no command reports them.
    """

    def __init__(
        self,
        workspace: Workspace,
        storage_class: StorageClass,
        *,
        capability: Capability,
        node: str | None,
        keep: bool,
        pod_s: int | None = None,
        node_volumes: int = 0,
        refused_size: int | None = None,
        large_volume: int = 0,
        pool_used: Callable[[], int] | None = None,
    ) -> None:
        self.workspace = workspace
        self.storage_class = storage_class
        self.node_volumes = node_volumes
        self.refused_size = refused_size
        self.operations: tuple[OperationRecord, ...] = ()
        """The outcome of each operation on files, for the record of the capability."""
        self.large_volume = large_volume
        self.pool_used = pool_used
        self._capability = capability
        self._keep = keep
        self._pod_s = pod_s
        self._node = node
        self._count = 0
        self._undo = Undoing()
        self._failed = False

    @property
    def api(self) -> Api:
        """The API of the cluster."""
        return self.workspace.api

    @property
    def timeout_s(self) -> float:
        """The time in s within which an object must appear or be deleted."""
        return self.workspace.timeout_s

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Delete all objects. Raises StorageFailure for those that remain; a failed block gets a note instead."""
        self._undo.__exit__(kind, error, trace)

    def missing(self, why: str) -> Unsupported:
        """Return the error for a class that does not have the capability."""
        return Unsupported(f"capability '{self._capability}': {why}")

    def not_tried(self, why: str) -> NotTried:
        """Return the error for a capability that could not be tested."""
        return NotTried(f"capability '{self._capability}': {why}")

    def claim(
        self,
        part: str,
        *,
        size: int = SIZE,
        source: DataSource | None = None,
        access: AccessMode | None = None,
        block: bool = False,
        group: str = "",
    ) -> Claim:
        """Request a volume of `size` bytes; `block`: a raw block device; `group`: see Claim.

        `access`: the access mode that the capability is about; None: that of the run.
        Raises NotTried if nodes are known to lack what an access mode for several of them requires.
        """
        if access is not None:  # that of the run was checked before the first test
            self.require_access(access)
        claim = replace(self.unmade_claim(part, size=size, block=block), source=source, group=group)
        if access is not None:
            claim = replace(claim, access_mode=access, mode_of_run=False)
        self.undo_with(lambda: remove_claim(self.api, claim, timeout_s=self.timeout_s))
        create_claim(self.api, claim)
        return claim

    def require_access(self, access: AccessMode) -> None:
        """Raise NotTried if nodes are known to lack what the access mode requires; to be called before any creation."""
        if access in _OF_SEVERAL_NODES and (why := why_not_shared(self.api, self.storage_class)) is not None:
            raise self.not_tried(why)

    def unmade_claim(self, part: str, *, size: int = SIZE, block: bool = False) -> Claim:
        """Return a claim that is not requested yet."""
        name = self.storage_class.name
        return self.workspace.claim(self._capability, part, name, storage_class=name, size=size, block=block)

    def volume_of(self, claim: Claim) -> str:
        """Return the name of the claim's volume, once it is bound."""
        return wait_bound(self.api, claim, timeout_s=self.timeout_s)

    def keep_track(self, snapshot: Snapshot) -> None:
        """Have the snapshot deleted together with the other objects."""
        self.undo_with(lambda: undo_snapshot(self.api, snapshot, timeout_s=self.timeout_s))

    def undo_with(self, undo: Callable[[], object]) -> None:
        """Register the deletion of an object. The newest is deleted first: storage releases objects in that order."""
        self._undo.callback(lambda: None if self.is_kept else undo())

    def run(
        self,
        claim: Claim,
        script: str,
        *,
        beside: Sequence[Claim] = (),
        node: str | None = None,
        read_only: bool = False,
        sub_path: str | None = None,
        files: str | None = None,
        **variables: str,
    ) -> str:
        """Run the script in a pod to its end, and return its output. Raises StorageFailure if the pod fails.

        $VOLUME is the folder, or the device, of the volume, and $VOLUME_2 that of the first claim in `beside`;
        `sub_path`: a folder of the volume, mounted instead of the whole volume; `files`: a ConfigMap to mount, too.
        """
        plan = self.plan(claim, *beside, script=script, node=node, **variables)
        return self._well(self.run_plan(replace(plan, read_only=read_only, sub_path=sub_path, files=files)))

    def one_shot_pod(
        self,
        claim: Claim,
        script: str,
        *,
        beside: Sequence[Claim] = (),
        node: str | None = None,
        read_only: bool = False,
        fs_group: int | None = None,
        group_policy: GroupPolicy = "OnRootMismatch",
        **variables: str,
    ) -> OneShotPod:
        """Run the script in a pod to its end, and return the pod, whatever its exit status."""
        plan = self.plan(claim, *beside, script=script, node=node, **variables)
        return self.run_plan(replace(plan, read_only=read_only, fs_group=fs_group, group_policy=group_policy))

    def run_plan(self, plan: PodPlan) -> OneShotPod:
        """Run the pod to its end, and return it, whatever its exit status."""
        pod = run_one_shot_pod(self.workspace, plan, timeout_s=self._pod_s or self.timeout_s)
        self._node = self._node or pod.node
        return pod

    def wait_output(self, plan: PodPlan) -> str:
        """Wait until a requested pod has ended, and return its output. Raises StorageFailure if the pod fails."""
        wait_started(self.api, plan, timeout_s=self.timeout_s)
        return self._well(ended_pod(self.workspace, plan, timeout_s=self._pod_s or self.timeout_s))

    def _well(self, pod: OneShotPod) -> str:
        if pod.status:
            raise StorageFailure(
                f"a pod on a volume of StorageClass {self.storage_class.name} failed with status {pod.status}: "
                f"{pod.output.strip()}"
            )
        return pod.output

    def start(self, claim: Claim, script: str, *, node: str | None = None, **variables: str) -> PodPlan:
        """Start a pod that runs the script, and return it once it has started; it is ended with the other objects."""
        return self.start_plan(self.plan(claim, script=script, node=node, **variables))

    def start_as(
        self,
        claim: Claim,
        script: str,
        *,
        user: int | None,
        groups: tuple[int, ...],
        node: str | None,
        **variables: str,
    ) -> PodPlan:
        """Start such a pod as this user, who is in these groups, too; None: the user of all pods."""
        plan = self.plan(claim, script=script, node=node, **variables)
        return self.start_plan(replace(plan, user=user, groups=groups))

    def start_plan(self, plan: PodPlan) -> PodPlan:
        """Start the pod, and return it once it has started; it is ended with the other objects."""
        self.ask_for(plan)
        pod = wait_started(self.api, plan, timeout_s=self.timeout_s)
        self._node = self._node or node_of(pod)
        return plan

    def ask_for(self, plan: PodPlan, *, guarded: bool = True) -> None:
        """Request the pod, whether or not it can start; it is ended with the other objects.

        `guarded`: it does not run on a volume that may belong to others. Without it the pod must only read, and the
        caller must wait for the volumes of its claims.
        """
        self.undo_with(lambda: end_pod(self.api, plan, timeout_s=self.timeout_s))
        if plan.ephemeral:  # its volume is created with it: the pod itself checks whose that is
            ask_for_pod(self.api, plan, guarded_claims=range(len(plan.claims)))
        elif not guarded:
            ask_for_pod(self.api, plan, guarded_claims=())
        else:
            create_pod(self.api, plan, timeout_s=self.timeout_s)

    def end(self, plan: PodPlan) -> None:
        """End a started pod, and wait until it is deleted."""
        end_pod(self.api, plan, timeout_s=self.timeout_s)

    def output_of(self, plan: PodPlan) -> str:
        """Return what a started pod has printed so far."""
        return self.api.log(plan.name, namespace=plan.namespace, container=MAIN)

    @property
    def node(self) -> str | None:
        """The node where pods run."""
        return self._node

    def stay_on(self, node: str) -> None:
        """Have later pods run on this node."""
        self._node = node

    def fail(self) -> None:
        """Record that a finding fails the class, although the block will end without an error."""
        self._failed = True

    def plan(self, *claims: Claim, script: str, node: str | None = None, **variables: str) -> PodPlan:
        """Return a pod that runs the script on volumes ($VOLUME, $VOLUME_2 and so on); it is not requested yet."""
        self._count += 1
        paths = [volume_path(number, block=claim.block) for number, claim in enumerate(claims)]
        further = {f"VOLUME_{number}": path for number, path in enumerate(paths[1:], 2)}
        return PodPlan(
            name=object_name(claims[0].name, str(self._count)),
            claims=claims,
            image=self.workspace.image,
            command=["sh", "-c", script],
            environment={"VOLUME": paths[0], **further, **variables},
            deadline_s=max(DEADLINE_S, 2 * (self._pod_s or 0)),
            node=node or self._node,
            defaults=self.workspace.pods,
        )

    @property
    def is_kept(self) -> bool:
        """True if all objects stay for inspection: the block failed, and the user requested that."""
        error = self._undo.error
        return self._keep and (self._failed or (error is not None and not isinstance(error, Unsupported)))


def new_mark() -> str:
    """Return words that no volume holds by chance."""
    return secrets.token_hex(16)

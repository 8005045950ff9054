"""The bench of a cluster: pods prepare claimed volumes, and pods on their node run the load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acceptance.cluster.claims import Claim, create_claim, wait_bound
from acceptance.cluster.objects import object_name
from acceptance.cluster.pod_manifest import FILES_PATH, PodPlan, volume_path
from acceptance.cluster.pod_states import image_digest, node_of
from acceptance.cluster.pods import create_pod, wait_placed, wait_started
from acceptance.cluster.workspace import FILES, Workspace
from acceptance.loads.profiles import Profile
from acceptance.measuring.ending import longest_s, require_success
from acceptance.measuring.load import Load, PreparedVolume, Preparing, Segment, Watch
from acceptance.measuring.load_log import output_of
from acceptance.measuring.load_script import FIO, commands, load_environment, load_script
from acceptance.measuring.pod_load import PodLoad
from acceptance.measuring.prefill import (
    PREFILL_FILE,
    SLOWEST_B_PER_S,
    SPARE_S,
    TEST_FILE,
    prefill_output,
    prefill_text,
    require_written,
    watch_writing,
)
from acceptance.measuring.space_check import check_environment, check_script, measures_fio, space_needed
from acceptance.text.errors import AcceptanceError, EnvironmentFailure


@dataclass(frozen=True, kw_only=True)
class ClaimedVolume(PreparedVolume):
    """A volume of the cluster, with the claim that it is bound to."""

    claim: Claim
    volume: str


@dataclass(frozen=True, kw_only=True)
class _Prefill:
    """A test file that is being written."""

    claim: Claim
    plan: PodPlan
    load: PodLoad


class ClusterLoadRunner:
    """The implementation of `Bench` for a cluster. `profiles` are all profiles that may be run; sizes in bytes."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        profiles: Sequence[Profile],
        volume_size: int,
        test_size: int,
        block: bool = False,
    ) -> None:
        self._workspace = workspace
        self._profiles = profiles
        self._volume_size = volume_size
        self._test_size = test_size
        self._block = block
        self._space = space_needed(profiles, test_size=test_size)

    def offer_profiles(self) -> None:
        """Make the profiles readable for the pods of the run."""
        self._workspace.offer_files(
            {PREFILL_FILE: prefill_text()} | {profile.path.name: profile.text for profile in self._profiles}
        )

    def prepare(
        self, storage_classes: Sequence[str], *, node: str | None, progress: Preparing
    ) -> dict[str, PreparedVolume | AcceptanceError]:
        """Prepare the volumes, see `Bench`: they are provisioned and written at the same time.

        Errors: WrongUsage for a profile that fio rejects, StorageFailure if a volume is not provisioned, is too small
        or cannot be written, EnvironmentFailure if it is on a shared disk that is nearly full.
        """
        results: dict[str, PreparedVolume | AcceptanceError] = {}
        prefills: dict[str, _Prefill] = {}
        for storage_class in storage_classes:
            try:
                claim = self._workspace.claim(
                    "load", storage_class, storage_class=storage_class, size=self._volume_size, block=self._block
                )
                create_claim(self._workspace.api, claim)
                prefills[storage_class] = prefill = self._begin_prefill(claim, node=node, together=len(storage_classes))
                node = node or self._node_of_prefill(prefill)
            except AcceptanceError as error:
                results[storage_class] = error
        for storage_class, prefill in prefills.items():
            try:
                results[storage_class] = self._finish_prefill(prefill, node, progress)
            except AcceptanceError as error:
                results[storage_class] = error
        return results

    def fill(self, claims: Sequence[Claim], *, node: str | None, progress: Preparing) -> list[ClaimedVolume]:
        """Prepare volumes that the caller has claimed and removes again, of the size of the others, one by one.

        All are on `node`; None for the node of the first. Raises the errors that `prepare` returns.
        """
        volumes: list[ClaimedVolume] = []
        for claim in claims:
            prefill = self._begin_prefill(claim, node=node, together=1)
            node = node or self._node_of_prefill(prefill)
            volumes.append(self._finish_prefill(prefill, node, progress))
        return volumes

    def run(self, load: Load, *, watch: Watch) -> list[Segment]:
        """Run the load, see `Bench`: one pod with all volumes runs it."""
        volumes = [volume for volume in load.volumes if isinstance(volume, ClaimedVolume)]
        seconds = longest_s(load)
        script = load_script(commands(load.profile))
        plan = self._plan(
            load.name,
            [volume.claim for volume in volumes],
            command=["sh", "-c", script, "load", *(self._target(place) for place in load.order)],
            runtime=load.runtime,
            environment=load_environment(
                load.profile, job_file=f"{FILES_PATH}/{load.profile.path.name}", rate=load.rate
            ),
            deadline_s=seconds,
            node=volumes[0].node,
        )
        pod_load = PodLoad(self._workspace, plan, new_output=output_of(load.profile), timeout_s=seconds + SPARE_S)
        try:
            with pod_load:
                create_pod(self._workspace.api, plan, timeout_s=self._workspace.timeout_s)
                pod = wait_started(self._workspace.api, plan, timeout_s=self._workspace.timeout_s)
                samples, enough = pod_load.follow(watch)
        finally:
            pod_load.log.keep(load.names, keep_output=self._workspace.keep_output)
        require_success(load, pod_load.log, stopped_early=enough)
        return pod_load.log.recorded_segments(samples, pod=plan.name, node=node_of(pod))

    def _begin_prefill(self, claim: Claim, *, node: str | None, together: int) -> _Prefill:
        """Create the pod that writes the test file of a volume, on `node`; None leaves the node to the scheduler.

        `together`: the number of test files that are written at the same time.
        """
        workspace = self._workspace
        check = check_script(self._profiles, space=self._space, together=together, claim_size=self._volume_size)
        script = load_script(f'{FIO} "{FILES_PATH}/{PREFILL_FILE}"', check=check)
        deadline_s = self._test_size // SLOWEST_B_PER_S + SPARE_S
        plan = self._plan(
            object_name(claim.name, "prefill"),
            [claim],
            command=["sh", "-c", script, "prefill", self._target(0)],
            runtime="1s",
            environment=check_environment(self._profiles, folder=FILES_PATH),
            deadline_s=deadline_s,
            node=node,
        )
        load = PodLoad(workspace, plan, new_output=prefill_output, timeout_s=deadline_s + SPARE_S)
        create_pod(workspace.api, plan, timeout_s=workspace.timeout_s)
        return _Prefill(claim=claim, plan=plan, load=load)

    def _node_of_prefill(self, prefill: _Prefill) -> str:
        """Return the node of the first volume, as soon as it is chosen, before the volume exists."""
        return wait_placed(self._workspace.api, prefill.plan, timeout_s=self._workspace.timeout_s)

    def _finish_prefill(self, prefill: _Prefill, node: str | None, progress: Preparing) -> ClaimedVolume:
        api, timeout_s = self._workspace.api, self._workspace.timeout_s
        load, storage_class = prefill.load, prefill.claim.storage_class
        try:
            with load:
                pod = wait_started(api, prefill.plan, timeout_s=timeout_s)
                load.follow(watch_writing(storage_class, progress))
        finally:
            load.log.keep([prefill.plan.name], keep_output=self._workspace.keep_output)
        request = f"StorageClass {storage_class}, {self._volume_size} bytes requested"
        where = f"the volume of PVC {prefill.claim.name} ({request})"
        require_written(load.log, where=where, space=self._space, is_measured=measures_fio(self._profiles))
        if node_of(pod) != node:
            raise EnvironmentFailure(
                f"{where}: expected a pod on node {node}, found it on {node_of(pod)}; all volumes of a comparison must "
                "be on one node; name a node that all classes can use with --storage-node"
            )
        return ClaimedVolume(
            storage_class=storage_class,
            node=node_of(pod),
            test_size=self._test_size,
            image_digest=image_digest(pod),
            claim=prefill.claim,
            volume=wait_bound(api, prefill.claim, timeout_s=timeout_s),
        )

    def _plan(
        self,
        name: str,
        claims: Sequence[Claim],
        *,
        command: Sequence[str],
        runtime: str,
        environment: Mapping[str, str],
        deadline_s: int,
        node: str | None,
    ) -> PodPlan:
        return PodPlan(
            name=name,
            claims=tuple(claims),
            image=self._workspace.image,
            command=command,
            deadline_s=deadline_s + SPARE_S,
            environment={"SIZE": str(self._test_size), "RUNTIME": runtime, **environment},
            files=FILES,
            node=node,
            defaults=self._workspace.pods,
        )

    def _target(self, place: int) -> str:
        """Return the target of the load on the volume at `place`: a file on it, or the device itself."""
        path = volume_path(place, block=self._block)
        return path if self._block else f"{path}/{TEST_FILE}"

"""A volume that is written in full with checksums, and read again by other pods, on this node and on others."""

from __future__ import annotations

from typing import Any

from acceptance.cluster.claims import create_claim, remove_claim, wait_bound
from acceptance.cluster.nodes import nodes_for_volume
from acceptance.cluster.objects import metadata, object_name
from acceptance.cluster.one_shot_pod import OneShotPod, run_one_shot_pod
from acceptance.cluster.pod_manifest import FILES_PATH, PodPlan, volume_path
from acceptance.cluster.resources import CONFIG_MAPS
from acceptance.cluster.workspace import Workspace
from acceptance.judging.failure import OutcomeFailure
from acceptance.judging.integrity import damage
from acceptance.loads.fio.documents import DocumentReader
from acceptance.loads.verified.jobs import DATA_FILE, header_place, job_files, verify_command, write_command
from acceptance.loads.verified.mismatches import read_verification
from acceptance.measuring.prefill import SLOWEST_B_PER_S, SPARE_S
from acceptance.measuring.space_check import check_script, explain_refusal
from acceptance.text.errors import StorageFailure
from acceptance.wording.integrity import WHERE, Where, read_again, volume_of

FILES = "integrity-jobs"
REFUSED = 99
"""the exit status of a pod whose check found the volume unfit"""


class VerifiedVolume:
    """One claim of the class, whose `size` bytes are written once and read again and again.

    `node`: where it was written, and read unless another one is named; None leaves it to the scheduler.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        storage_class: str,
        purpose: str,
        size: int,
        claimed: int,
        block: bool,
        node: str | None,
    ) -> None:
        self._workspace = workspace
        self.claim = workspace.claim(
            "integrity", purpose, storage_class, storage_class=storage_class, size=claimed, block=block
        )
        self.size = size
        self._pods = 0
        self.node = node or ""
        self.writings = 1
        self.file = volume_path(0, block=True) if block else f"{volume_path(0)}/{DATA_FILE}"

    def write(self) -> None:
        """Claim the volume, write all of it in one pod, and read it again in the same one.

        Raises StorageFailure where it cannot be written or is not what was written, with which blocks are not.
        """
        self.prepare()
        script = f"{write_command(FILES_PATH)} >&2 || exit\n{verify_command(FILES_PATH)}"
        done = self._run(self.plan("write", script, check=True))
        self.node = done.node
        self.require_intact(done, "writing_pod")

    def prepare(self) -> None:
        """Offer the job files to pods, and ask for the claim."""
        body = {"metadata": metadata(FILES, run_id=self._workspace.run_id), "data": job_files()}
        self._workspace.api.create(CONFIG_MAPS, body, namespace=self._workspace.namespace)
        create_claim(self._workspace.api, self.claim)

    def verify(self, *, node: str | None = None) -> None:
        """Read all of it in a new pod. Raises StorageFailure with which blocks are not what was written."""
        done = self._run(self.plan("verify", verify_command(FILES_PATH), node=node))
        self.require_intact(done, "same_node" if done.node == self.node else "another_node")

    @property
    def nodes(self) -> list[str]:
        """The nodes that the volume may be used from."""
        return nodes_for_volume(self._workspace.api, self.bound(), self._workspace.pods.template)

    def bound(self) -> str:
        """The volume's name, once the claim is bound."""
        return wait_bound(self._workspace.api, self.claim, timeout_s=self._workspace.timeout_s)

    def delete(self) -> None:
        """Have the claim gone."""
        remove_claim(self._workspace.api, self.claim, timeout_s=self._workspace.timeout_s)

    def plan(self, what: str, script: str, *, node: str | None = None, check: bool = False, held_s: int = 0) -> PodPlan:
        """A pod that runs the script on the volume; with `check` only where the volume has the space.

        `held_s`: how much longer than to write and read it may run.
        """
        needed = self.size
        if check:
            fits = check_script([], needed=needed, together=1, claimed=self.claim.size)
            script = f'check() {{\n{fits}\n}}\ncheck || {{ echo "refused $?"; exit {REFUSED}; }}\n{script}'
        self._pods += 1
        return PodPlan(
            name=object_name(self.claim.name, str(self._pods), what),
            claims=(self.claim,),
            image=self._workspace.image,
            command=["sh", "-c", script],
            environment={
                "FILE": self.file,
                "SIZE": str(needed),
                "READ": str(needed) if self.claim.block else "100%",
                "PLACE": str(header_place(self.writings)),
                "HELD": str(held_s),
            },
            deadline_s=int(self.timeout_s + SPARE_S) + held_s,
            files=FILES,
            node=node or self.node or None,
            defaults=self._workspace.pods,
        )

    @property
    def timeout_s(self) -> float:
        """How long one pod may take to write all of it and to read it again."""
        return 2 * self.size / SLOWEST_B_PER_S + SPARE_S

    def require_intact(self, done: OneShotPod, where: Where) -> None:
        """Raise StorageFailure where what the pod read is not what was written; `where` it was read."""
        about = volume_of(self.claim.name, self.claim.storage_class)
        if done.status == REFUSED:
            said, _, status = done.output.strip().rpartition("refused ")
            raise explain_refusal(int(status), said, where=about, needed=self.size)
        if done.status:
            raise StorageFailure(f"{about} could not be written in full: {_words(done.output)}")
        try:
            found = damage(read_verification(done.output, wanted=self.size))
        except StorageFailure as error:
            raise StorageFailure(
                f"what was written to {about} was read {WHERE[where]} ({done.node}): {error}"
            ) from error
        if found:
            facts: dict[str, Any] = {**found.facts, "claim": self.claim.name, "where": where, "node": done.node}
            text = read_again(self.claim.storage_class, **facts)
            raise OutcomeFailure(text, found=found.model_copy(update={"facts": facts}))

    def _run(self, plan: PodPlan) -> OneShotPod:
        return run_one_shot_pod(self._workspace, plan, timeout_s=self.timeout_s)


def _words(output: str) -> str:
    """What fio said beside its documents."""
    reader = DocumentReader()
    reader.feed(output + "\n")
    return "; ".join(reader.messages) or output.strip()[-500:] or "no output"

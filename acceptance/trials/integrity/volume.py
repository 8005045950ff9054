"""A volume that is written in full with checksums, and read again by other pods, on the same node and on others."""

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
REFUSED_STATUS = 99
"""The exit status of a pod whose check found the volume unfit."""


class VerifiedVolume:
    """One claim of the class, whose `size` bytes are written once and read repeatedly.

    `node`: the node that writes, and reads unless the caller names another node; None leaves it to the scheduler.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        storage_class: str,
        purpose: str,
        size: int,
        claim_size: int,
        block: bool,
        node: str | None,
    ) -> None:
        self._workspace = workspace
        self.claim = workspace.claim(
            "integrity", purpose, storage_class, storage_class=storage_class, size=claim_size, block=block
        )
        self.size = size
        self._pods = 0
        self.node = node or ""
        self.writings = 1
        self.file = volume_path(0, block=True) if block else f"{volume_path(0)}/{DATA_FILE}"

    def write(self) -> None:
        """Claim the volume, write all of it in one pod, and read it again in the same pod.

        Raises StorageFailure if it cannot be written or is not what was written, with the blocks that differ.
        """
        self.prepare()
        script = f"{write_command(FILES_PATH)} >&2 || exit\n{verify_command(FILES_PATH)}"
        pod = self._run(self.plan("write", script, check=True))
        self.node = pod.node
        self.require_intact(pod, "writing_pod")

    def prepare(self) -> None:
        """Offer the job files to pods, and request the claim."""
        body = {"metadata": metadata(FILES, run_id=self._workspace.run_id), "data": job_files()}
        self._workspace.api.create(CONFIG_MAPS, body, namespace=self._workspace.namespace)
        create_claim(self._workspace.api, self.claim)

    def verify(self, *, node: str | None = None) -> None:
        """Read all of it in a new pod. Raises StorageFailure with the blocks that are not what was written."""
        pod = self._run(self.plan("verify", verify_command(FILES_PATH), node=node))
        self.require_intact(pod, "same_node" if pod.node == self.node else "another_node")

    @property
    def nodes(self) -> list[str]:
        """The nodes from which the volume may be used."""
        return nodes_for_volume(self._workspace.api, self.volume_name(), self._workspace.pods.template)

    def volume_name(self) -> str:
        """Return the volume's name, once the claim is bound."""
        return wait_bound(self._workspace.api, self.claim, timeout_s=self._workspace.timeout_s)

    def delete(self) -> None:
        """Delete the claim, and wait until it no longer exists."""
        remove_claim(self._workspace.api, self.claim, timeout_s=self._workspace.timeout_s)

    def plan(self, task: str, script: str, *, node: str | None = None, check: bool = False, held_s: int = 0) -> PodPlan:
        """Return a pod that runs the script on the volume; with `check` only if the volume has the space.

        `held_s`: seconds that it may run in addition to writing and reading.
        """
        size = self.size
        if check:
            fits = check_script([], space=size, together=1, claim_size=self.claim.size)
            script = f'check() {{\n{fits}\n}}\ncheck || {{ echo "refused $?"; exit {REFUSED_STATUS}; }}\n{script}'
        self._pods += 1
        return PodPlan(
            name=object_name(self.claim.name, str(self._pods), task),
            claims=(self.claim,),
            image=self._workspace.image,
            command=["sh", "-c", script],
            environment={
                "FILE": self.file,
                "SIZE": str(size),
                "READ": str(size) if self.claim.block else "100%",
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
        """The time in s in which one pod must write all of it and read it again."""
        return 2 * self.size / SLOWEST_B_PER_S + SPARE_S

    def require_intact(self, pod: OneShotPod, where: Where) -> None:
        """Raise StorageFailure if what the pod read is not what was written; `where`: where it was read."""
        about = volume_of(self.claim.name, self.claim.storage_class)
        if pod.status == REFUSED_STATUS:
            check_output, _, status = pod.output.strip().rpartition("refused ")
            raise explain_refusal(int(status), check_output, where=about, space=self.size)
        if pod.status:
            raise StorageFailure(f"{about} could not be written in full: {_words(pod.output)}")
        try:
            outcome = damage(read_verification(pod.output, expected_size=self.size))
        except StorageFailure as error:
            raise StorageFailure(f"the data on {about} was read again {WHERE[where]} ({pod.node}): {error}") from error
        if outcome:
            facts: dict[str, Any] = {**outcome.facts, "claim": self.claim.name, "where": where, "node": pod.node}
            text = read_again(self.claim.storage_class, **facts)
            raise OutcomeFailure(text, finding=outcome.model_copy(update={"facts": facts}))

    def _run(self, plan: PodPlan) -> OneShotPod:
        return run_one_shot_pod(self._workspace, plan, timeout_s=self.timeout_s)


def _words(output: str) -> str:
    """Return fio's messages outside its documents."""
    reader = DocumentReader()
    reader.feed(output + "\n")
    return "; ".join(reader.messages) or output.strip()[-500:] or "no output"

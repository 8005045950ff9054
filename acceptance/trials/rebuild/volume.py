"""The volume whose replica is rebuilt: claimed, filled with a data pattern, and deleted again."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Self

from acceptance.cluster.claims import create_claim, remove_claim, wait_bound
from acceptance.cluster.objects import metadata, object_name
from acceptance.cluster.pod_manifest import FILES_PATH, PodPlan, volume_path
from acceptance.cluster.pod_states import node_of
from acceptance.cluster.pods import create_pod, end_pod, wait_started
from acceptance.cluster.resources import CONFIG_MAPS
from acceptance.cluster.workspace import Workspace
from acceptance.loads.fio.output import FioOutput
from acceptance.measuring.load_script import FIO, load_script
from acceptance.measuring.pod_load import PodLoad
from acceptance.measuring.prefill import SPARE_S, require_written, watch_writing
from acceptance.measuring.space_check import check_script
from acceptance.process.undoing import Undoing
from acceptance.results.rebuilds import Pattern
from acceptance.text.quantities import format_quantity
from acceptance.trials import Say
from acceptance.trials.rebuild.driver import TargetVolume
from acceptance.trials.rebuild.foreground import Foreground
from acceptance.trials.rebuild.patterns import (
    DATA_JOB,
    FOREGROUND_SIZE,
    job_files,
    longest_writing_s,
    pattern_file,
)

FILES = "rebuild-jobs"
_MIB = 1024**2
FILE_SYSTEM_B = 256 * _MIB
"""The bytes that a file system keeps for itself at least; beyond that a tenth, of which ext4 gives half to root
alone."""


def claim_size(size: int) -> int:
    """Return the size of a claim (bytes, whole MiB) that holds `size` bytes of data and the foreground's file."""
    return -(-(size + FOREGROUND_SIZE + size // 10 + FILE_SYSTEM_B) // _MIB) * _MIB


class PatternVolume:
    """A volume of the class that holds `size` bytes of the pattern, in a `with` block: at its end the claim is deleted.

    `name`: of its claim, in parts. `node`: where it is used, None leaves that to the scheduler. `keep`: keep it if the
    block fails.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        storage_class: str,
        pattern: Pattern,
        size: int,
        name: Sequence[str],
        node: str | None,
        keep: bool,
        say: Say,
    ) -> None:
        self._workspace = workspace
        self._pattern = pattern
        self._size = size
        self._node = node
        self._keep = keep
        self._say = say
        self._undo = Undoing()
        self._claim = workspace.claim(*name, storage_class=storage_class, size=claim_size(size))

    def __enter__(self) -> Self:
        """Create the volume and write it. Raises StorageFailure if that fails, EnvironmentFailure for the rest."""
        body = {"metadata": metadata(FILES, run_id=self._workspace.run_id), "data": job_files()}
        self._workspace.api.create(CONFIG_MAPS, body, namespace=self._workspace.namespace)
        with self._undo as undoing:
            undoing.callback(self._remove)
            create_claim(self._workspace.api, self._claim)
            self._write()
            self._undo = undoing.passed_on()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Raise StorageFailure for a claim that stays, unless the block failed: then that is a note of its error."""
        self._undo.__exit__(kind, error, trace)

    def target(self) -> TargetVolume:
        """Return the volume as drivers know it."""
        return TargetVolume(
            volume=wait_bound(self._workspace.api, self._claim, timeout_s=self._workspace.timeout_s),
            claim=self._claim.name,
            namespace=self._claim.namespace,
            storage_class=self._claim.storage_class,
            node=self._node or "",
            size=self._size,
        )

    def foreground(self, *, longest_s: int) -> Foreground:
        """Return the load that runs while replicas are rebuilt, for `longest_s` at most; on the node where the data was
        written."""
        return Foreground(self._workspace, self._claim, files=FILES, longest_s=longest_s, node=self._node)

    def _remove(self) -> None:
        if not (self._keep and self._undo.error is not None):
            remove_claim(self._workspace.api, self._claim, timeout_s=self._workspace.timeout_s)

    def _write(self) -> None:
        workspace, required_bytes = self._workspace, self._size + FOREGROUND_SIZE
        check = check_script([], space=required_bytes, together=1, claim_size=self._claim.size)
        script = load_script(f'{FIO} "{FILES_PATH}/{pattern_file(self._pattern)}"', check=check)
        deadline_s = longest_writing_s(self._pattern, size=self._size)
        plan = PodPlan(
            name=object_name(self._claim.name, DATA_JOB),
            claims=(self._claim,),
            image=workspace.image,
            command=["sh", "-c", script, DATA_JOB, f"{volume_path(0)}/{DATA_JOB}"],
            deadline_s=deadline_s + SPARE_S,
            environment={"SIZE": str(self._size)},
            files=FILES,
            node=self._node,
            defaults=workspace.pods,
        )
        load = PodLoad(workspace, plan, new_output=lambda: FioOutput(jobs=[DATA_JOB]), timeout_s=deadline_s)
        try:
            with load:
                create_pod(workspace.api, plan, timeout_s=workspace.timeout_s)
                self._node = node_of(wait_started(workspace.api, plan, timeout_s=workspace.timeout_s))
                load.follow(watch_writing(self._claim.storage_class, self._report_progress))
        finally:
            load.log.keep([plan.name], keep_output=workspace.keep_output)
        where = f"the volume of PVC {self._claim.name} (StorageClass {self._claim.storage_class})"
        require_written(load.log, where=where, space=required_bytes)
        end_pod(workspace.api, plan, timeout_s=workspace.timeout_s)

    def _report_progress(self, storage_class: str, written_bytes: int) -> None:
        self._say(f"writing {self._pattern} on {storage_class}: {format_quantity(written_bytes, unit='B')}")

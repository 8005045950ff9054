"""All pods of the storage system that may be killed, selector by selector, once for each class."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from acceptance.cluster.claims import Claim, create_claim, remove_claim
from acceptance.cluster.objects import object_name
from acceptance.cluster.resources import PODS
from acceptance.cluster.storage_pods import Strength
from acceptance.cluster.workspace import Workspace
from acceptance.process.once import Once
from acceptance.process.undoing import Undoing
from acceptance.results.disruptions import StoragePodsRecord
from acceptance.settings.pod_selectors import PodSelector
from acceptance.trials import Say
from acceptance.trials.crashes.reading import READER
from acceptance.trials.crashes.trial import CrashSettings
from acceptance.trials.crashes.trials import CLAIM_SIZE
from acceptance.trials.crashes.writer import WRITER
from acceptance.trials.disruptions.storage_pods import StoragePodsTrial


class StoragePodsTrials:
    """Kills the pods of `selectors`, which the user named, and no others. `keep` gets each record immediately."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        selectors: Sequence[PodSelector],
        settings: CrashSettings,
        say: Say,
        keep: Callable[[StoragePodsRecord], object],
    ) -> None:
        self._workspace = workspace
        self._selectors = selectors
        self._settings = settings
        self._say = say
        self._keep = keep
        self._records: Once[str, Sequence[StoragePodsRecord]] = Once(self._kill_all)

    def records(self, storage_class: str) -> Sequence[StoragePodsRecord]:
        """Return the record of each selector; after one whose pods, or volumes, did not come back, nothing more is
        killed.

        Raises EnvironmentFailure before anything is killed if a selector selects nothing or pods are not Ready;
        StorageFailure if a volume is unusable afterwards. Every caller gets the same error.
        """
        return self._records(storage_class)

    def _kill_all(self, storage_class: str) -> Sequence[StoragePodsRecord]:
        strength = Strength.measure(self._workspace.api, self._selectors)
        records: list[StoragePodsRecord] = []
        for selector in self._selectors:
            records.append(self._kill(storage_class, selector, strength))
            self._keep(records[-1])
            if records[-1].problem:
                break
        return records

    def _kill(self, storage_class: str, selector: PodSelector, strength: Strength) -> StoragePodsRecord:
        workspace = self._workspace
        claim = workspace.claim(
            "storage-pods", str(selector), storage_class, storage_class=storage_class, size=CLAIM_SIZE
        )
        trial = StoragePodsTrial(
            workspace=workspace,
            claim=claim,
            selector=selector,
            strength=strength,
            settings=self._settings,
            say=self._say,
        )
        record: StoragePodsRecord | None = None
        with Undoing() as undoing:
            undoing.callback(
                lambda: self._remove(
                    claim, has_failed=record is None or bool(record.lost or record.problem or record.unread)
                )
            )
            create_claim(workspace.api, claim)
            record = trial.run()
        return record

    def _remove(self, claim: Claim, *, has_failed: bool) -> None:
        if self._settings.keep and has_failed:
            return
        api = self._workspace.api
        for part in (WRITER, READER):
            api.delete(PODS, object_name(claim.name, part), namespace=claim.namespace, grace_s=1)
        remove_claim(api, claim, timeout_s=self._workspace.timeout_s)

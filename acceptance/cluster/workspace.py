"""The place of a run: its connection, its namespace, its image; passed to all code that creates objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from acceptance.cluster.api import Api
from acceptance.cluster.claims import Claim
from acceptance.cluster.objects import metadata, object_name
from acceptance.cluster.pod_manifest import PodDefaults
from acceptance.cluster.resources import CONFIG_MAPS
from acceptance.results.access_modes import DEFAULT_MODE, RunAccessMode

FILES = "profiles"


def _forget(name: str, pieces: Iterable[str]) -> None:
    pass


def _default_mode(storage_class: str) -> RunAccessMode:
    return DEFAULT_MODE


@dataclass(frozen=True, kw_only=True)
class Workspace:
    """The place of a run. `timeout_s`: how long a PVC may take to bind, a pod to start, an object to be deleted.

    `keep_output` takes the name of a pod and all that its load printed, in pieces, whether or not it succeeded.
    `access_mode_of` returns the access mode that the run has for claims of a class.
    """

    api: Api
    run_id: str
    namespace: str
    image: str
    timeout_s: float
    pods: PodDefaults = field(default_factory=PodDefaults)
    keep_output: Callable[[str, Iterable[str]], None] = _forget
    access_mode_of: Callable[[str], RunAccessMode] = _default_mode

    def claim(self, *parts: str, storage_class: str, size: int, block: bool = False) -> Claim:
        """Return a claim of this run, in its access mode, not yet created.

        `size` in bytes; `parts`: of its name; `block`: a raw device.
        """
        return Claim(
            name=object_name(*parts),
            namespace=self.namespace,
            storage_class=storage_class,
            size=size,
            run_id=self.run_id,
            block=block,
            access_mode=self.access_mode_of(storage_class),
            mode_of_run=True,
        )

    def offer_files(self, files: Mapping[str, str]) -> None:
        """Make files readable to the run's pods, by name."""
        body = {"metadata": metadata(FILES, run_id=self.run_id), "data": dict(files)}
        self.api.create(CONFIG_MAPS, body, namespace=self.namespace)

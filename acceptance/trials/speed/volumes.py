"""The volumes of a run's loads, one for each class, prepared once, on the node that loads."""

from __future__ import annotations

from collections.abc import Sequence

from acceptance.measuring.load import Bench, PreparedVolume, Preparing
from acceptance.text.errors import AcceptanceError, EnvironmentFailure, StorageFailure, Unsupported


class PreparedVolumes:
    """The volumes of classes, prepared together where they are needed together.

    `node`: the node that loads; None leaves it to the first volume. `baseline_class`: it is prepared with the first
    candidate, on the same node.
    """

    def __init__(self, bench: Bench, *, node: str | None, baseline_class: str | None, preparing: Preparing) -> None:
        self._bench = bench
        self._node = node
        self._baseline_class = baseline_class
        self._preparing = preparing
        self._volumes: dict[str, PreparedVolume | AcceptanceError] = {}

    def volume(self, storage_class: str) -> PreparedVolume:
        """Return the volume of the class, with its test file. Raises what the bench raised."""
        self._prepare([storage_class])
        return self._prepared(storage_class)

    def with_baseline(self, storage_class: str) -> tuple[PreparedVolume, PreparedVolume | None]:
        """Return the volumes of the class and of the baseline, if there is one.

        Raises what the bench raised; EnvironmentFailure if the baseline failed, because there is nothing to compare
        with.
        """
        self._prepare([*([self._baseline_class] if self._baseline_class else []), storage_class])
        baseline = self._baseline()
        return self._prepared(storage_class), baseline

    def _baseline(self) -> PreparedVolume | None:
        if self._baseline_class is None:
            return None
        try:
            return self._prepared(self._baseline_class)
        except Unsupported:
            raise
        except StorageFailure as error:
            raise EnvironmentFailure(
                f"the baseline class {self._baseline_class} failed, so there is nothing to compare with: {error}"
            ) from error

    def _prepare(self, storage_classes: Sequence[str]) -> None:
        """Prepare the volumes of classes that have none yet, together, on the node of the other volumes."""
        missing = [storage_class for storage_class in storage_classes if storage_class not in self._volumes]
        if missing:
            self._volumes |= self._bench.prepare(missing, node=self._node, progress=self._preparing)
            nodes = [volume.node for volume in self._volumes.values() if isinstance(volume, PreparedVolume)]
            self._node = self._node or (nodes[0] if nodes and self._baseline_class else None)

    def _prepared(self, storage_class: str) -> PreparedVolume:
        volume = self._volumes[storage_class]
        if isinstance(volume, AcceptanceError):
            raise volume
        return volume

"""Load in turn on volumes that are ready, whoever runs it: a cluster's pods, or processes of this host."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

from acceptance.loads.fio.samples import Sample
from acceptance.loads.profiles import Profile
from acceptance.text.errors import AcceptanceError

V = TypeVar("V", bound="PreparedVolume")


@dataclass(frozen=True, kw_only=True)
class PreparedVolume:
    """A volume with its test file, and the node that it is loaded from. `test_size` in bytes.

    `image_digest` is that of the image that the load runs in, where there is one.
    """

    storage_class: str
    node: str
    test_size: int
    image_digest: str | None = None


@dataclass(frozen=True, kw_only=True)
class Load:
    """One profile on volumes of the same node, a segment of load after the other; the last volume is the candidate's.

    `order` holds the place in `volumes` of each segment; `names` a name of each, unique in the run. `runtimes_s`:
    whole seconds of load in each segment, after the profile's ramp. `rate`: of a profile that is rate-limited.
    """

    name: str
    profile: Profile
    volumes: tuple[PreparedVolume, ...]
    order: tuple[int, ...]
    names: tuple[str, ...]
    runtimes_s: tuple[int, ...]
    rate: int | None = None

    @property
    def runtime(self) -> str:
        """What the load's script takes for $RUNTIME: a word for each segment."""
        return " ".join(f"{seconds}s" for seconds in self.runtimes_s)


@dataclass(frozen=True, kw_only=True)
class Segment:
    """What one stretch of load showed. `pod` ran it, or for a host the process. `fio_version`: as fio spells it."""

    pod: str
    node: str
    fio_version: str
    started: datetime
    samples: tuple[Sample, ...]


Watch = Callable[[int, Sequence[Sample]], bool]
"""Sees the place in the order of the segment that runs, and its samples so far, after each new one; True to end."""

Preparing = Callable[[str, int], None]
"""Hears of a StorageClass how many bytes of its test file are written."""


class Bench(Protocol):
    """Where volumes are made ready and loaded."""

    def prepare(
        self, storage_classes: Sequence[str], *, node: str | None, progress: Preparing
    ) -> dict[str, PreparedVolume | AcceptanceError]:
        """Make a volume of each class ready, all on one node; for each class the volume, or what went wrong with it.

        `node`: where to; None leaves it to the first.
        """

    def run(self, load: Load, *, watch: Watch) -> list[Segment]:
        """Run the load to its end, or until `watch` says that it is enough: the segments that were begun.

        No load runs any more when this returns or raises. Raises StorageFailure with the load generator's own words,
        EnvironmentFailure when the load could not run for reasons other than the storage.
        """

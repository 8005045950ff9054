"""Load in turn on prepared volumes, run by a cluster's pods or by processes of this host."""

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

    `image_digest` is the digest of the image that the load runs in, if there is one.
    """

    storage_class: str
    node: str
    test_size: int
    image_digest: str | None = None


@dataclass(frozen=True, kw_only=True)
class Load:
    """One profile on volumes of the same node, one segment of load after the other; the last volume is the candidate's.

    `order` holds the place in `volumes` of each segment; `names` the name of each, unique in the run. `runtimes_s`:
    whole seconds of load in each segment, after the profile's ramp. `rate`: the rate of a rate-limited profile.
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
        """The value of $RUNTIME for the load's script: a word for each segment."""
        return " ".join(f"{seconds}s" for seconds in self.runtimes_s)


@dataclass(frozen=True, kw_only=True)
class Segment:
    """The samples of one stretch of load. `pod` ran it, or on a host the process. `fio_version`: as fio spells it."""

    pod: str
    node: str
    fio_version: str
    start_time: datetime
    samples: tuple[Sample, ...]


Watch = Callable[[int, Sequence[Sample]], bool]
"""Takes the place of the running segment in the order, and its samples so far, after each new one; True to end."""

Preparing = Callable[[str, int], None]
"""Takes a StorageClass and the number of bytes of its test file that are written."""


class Bench(Protocol):
    """A place that prepares volumes and loads them."""

    def prepare(
        self, storage_classes: Sequence[str], *, node: str | None, progress: Preparing
    ) -> dict[str, PreparedVolume | AcceptanceError]:
        """Prepare a volume of each class, all on one node; return for each class the volume, or its error.

        `node`: the node to use; None for the node of the first volume.
        """

    def run(self, load: Load, *, watch: Watch) -> list[Segment]:
        """Run the load to its end, or until `watch` ends it; return the segments that began.

        No load runs any more when this returns or raises. Raises StorageFailure with the load generator's own words,
        EnvironmentFailure if the load could not run for reasons other than the storage.
        """

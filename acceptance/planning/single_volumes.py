"""How long the life of a volume, its features, and data that is read back block by block take."""

from __future__ import annotations

from dataclasses import asdict, replace

from acceptance.planning.assumed_throughput import AssumedThroughput
from acceptance.planning.failures import LOOKS_S
from acceptance.planning.records import PlannedStep, Volumes
from acceptance.results.features import Capability
from acceptance.settings.run import Settings
from acceptance.text.quantities import format_size
from acceptance.trials.features.bench import SIZE
from acceptance.trials.features.trying import DECLARED
from acceptance.trials.many_files.trial import OTHERS, REPEATS

FILES_PER_S = {"create": 1000.0, "list": 20_000.0, "stat": 2000.0, "delete": 1000.0}
"""What a network file system does by one client, about; local ones do ten times as much."""
WRITINGS = 3
"""How often a file is written until a rebuild is seen to have begun during one of them."""


def on_trial(storage_class: str, what: str, *, size: int, pods: int, assumed: AssumedThroughput) -> PlannedStep:
    """A volume in its life: claimed, used by one pod after the other, deleted."""
    seconds = assumed.claim_s + (pods - 1) * assumed.pod_s + 1.0
    return PlannedStep(
        what=f"{storage_class}: {what}",
        about_s=seconds,
        volumes=(Volumes(storage_class=storage_class, number=1, size=size),),
        pods=pods,
    )


def featured(
    storage_class: str, capability: Capability, *, node_volumes: int = 0, assumed: AssumedThroughput
) -> PlannedStep:
    """One capability tried; a copy is a second volume, a snapshot one more, and several pods look at them.

    `node_volumes`: so many a node may be filled with; one more is made.
    """
    declared = DECLARED[capability]
    number = sum(volume.number for volume in declared.volumes)
    volumes = tuple(Volumes(storage_class=storage_class, **asdict(volume)) for volume in declared.volumes)
    if declared.fills_node:
        number = node_volumes + 1
        volumes = tuple(replace(volume, number=number) for volume in volumes)
    seconds = number * assumed.claim_s + max(declared.pods - number, 0) * assumed.pod_s + assumed.gone_s
    seconds += declared.recreated * (assumed.claim_s + assumed.gone_s) + declared.snapshots * assumed.gone_s
    seconds += declared.copied / assumed.bandwidth + declared.files / FILES_PER_S["create"] + declared.waits_s
    return PlannedStep(
        what=f"{storage_class}: {declared.title}",
        about_s=seconds,
        volumes=volumes,
        pods=declared.pods,
    )


def snapped(storage_class: str, *, volumes: int, write_s: float, assumed: AssumedThroughput) -> PlannedStep:
    """Records written, a snapshot taken meanwhile, restored to as many volumes again, and deleted."""
    seconds = 2 * volumes * assumed.claim_s + write_s + assumed.pod_s + 2 * LOOKS_S + assumed.gone_s
    taken = "a snapshot" if volumes == 1 else f"a group snapshot of {volumes} volumes"
    return PlannedStep(
        what=f"{storage_class}: records, {taken} taken and deleted while they are written",
        about_s=seconds,
        volumes=(Volumes(storage_class=storage_class, number=2 * volumes, size=SIZE, beside=volumes * SIZE),),
        pods=2,
    )


def filled(storage_class: str, settings: Settings, *, assumed: AssumedThroughput) -> PlannedStep:
    """A volume filled and half of it written again, read each time, grown to twice its size, emptied; another one."""
    size = settings.volume_size
    # Checksums are worked out beside the writing, which is half as fast for it; it is read three times.
    seconds = 2 * assumed.claim_s + 8 * assumed.pod_s + (2 * 1.5 + 3) * size / assumed.bandwidth + assumed.gone_s
    return PlannedStep(
        what=f"{storage_class}: a volume filled to its end",
        about_s=seconds,
        volumes=(
            Volumes(storage_class=storage_class, number=1, size=size),
            Volumes(storage_class=storage_class, number=1, size=2 * size),
        ),
        pods=10,
    )


def with_many_files(
    storage_class: str, settings: Settings, *, files: int, baseline: str | None, assumed: AssumedThroughput
) -> PlannedStep:
    """Files made, listed, looked up and deleted, pods started on them and on none; of a baseline the files."""
    classes = (storage_class,) if baseline is None else (storage_class, baseline)
    starts = 2 * (REPEATS + len(OTHERS))
    each_s = sum(files / rate for rate in FILES_PER_S.values())
    seconds = len(classes) * (assumed.claim_s + each_s + 2 * assumed.pod_s + assumed.gone_s)
    seconds += assumed.claim_s + starts * assumed.pod_s
    beside = "" if baseline is None else f", and on {baseline}"
    return PlannedStep(
        what=f"{storage_class}: {files:,} files made, found and deleted{beside}; {starts} pods started",
        about_s=seconds,
        volumes=tuple(
            Volumes(storage_class=each, number=2 if each == storage_class else 1, size=settings.volume_size)
            for each in classes
        ),
        pods=starts + 3 + 3 * (len(classes) - 1),
    )


def written(storage_class: str, settings: Settings, *, assumed: AssumedThroughput) -> PlannedStep:
    """A file written in full with checksums, and read in the same pod."""
    # Each block's checksum is worked out while it is written, which takes about as long again.
    seconds = assumed.claim_s + 3 * settings.test_size / assumed.bandwidth
    return PlannedStep(
        what=f"{format_size(settings.test_size)} with checksums written to {storage_class} and read again",
        about_s=seconds,
        volumes=(Volumes(storage_class=storage_class, number=1, size=settings.volume_size, lasts="file"),),
        pods=1,
    )


def verified(storage_class: str, settings: Settings, *, assumed: AssumedThroughput) -> PlannedStep:
    """All of the file read in a new pod."""
    seconds = assumed.pod_s + settings.test_size / assumed.bandwidth
    return PlannedStep(what=f"the same file of {storage_class} read by a new pod", about_s=seconds, pods=1)


def rewritten(storage_class: str, settings: Settings, *, assumed: AssumedThroughput) -> PlannedStep:
    """A file written over and over while a replica is rebuilt, and read again."""
    file_s = settings.test_size / assumed.bandwidth
    healing_s = settings.test_size / assumed.rebuild["full-data"] / 2
    seconds = assumed.claim_s + 2 * WRITINGS * file_s + 2 * assumed.pod_s + LOOKS_S + healing_s + file_s
    return PlannedStep(
        what=f"a file on {storage_class} written anew during the rebuild of a replica, and read again",
        about_s=seconds,
        volumes=(
            Volumes(
                storage_class=storage_class,
                number=1,
                size=settings.volume_size,
                lasts="file",
                beside=settings.volume_size,
            ),
        ),
        pods=3,
    )

"""The duration of a volume's life, of its features, and of reading data back block by block."""

from __future__ import annotations

from dataclasses import asdict, replace

from acceptance.planning.assumed_throughput import AssumedThroughput
from acceptance.planning.failures import LOOKS_S
from acceptance.planning.records import PlannedStep, Volumes
from acceptance.results.features import Capability
from acceptance.settings.run import Settings
from acceptance.text.quantities import format_size
from acceptance.trials.features.bench import SIZE
from acceptance.trials.features.trying import DECLARATIONS
from acceptance.trials.many_files.trial import OTHER_GROUPS, REPEATS

FILES_PER_S = {"create": 1000.0, "list": 20_000.0, "stat": 2000.0, "delete": 1000.0}
"""The approximate rates of a network file system with one client; local file systems are ten times as fast."""
WRITINGS = 3
"""The number of times that a file is written until a rebuild is observed to begin during one of them."""


def on_trial(storage_class: str, activity: str, *, size: int, pods: int, speeds: AssumedThroughput) -> PlannedStep:
    """Plan the life of a volume: claimed, used by one pod after the other, deleted."""
    seconds = speeds.claim_s + (pods - 1) * speeds.pod_s + 1.0
    return PlannedStep(
        description=f"{storage_class}: {activity}",
        about_s=seconds,
        volumes=(Volumes(storage_class=storage_class, number=1, size=size),),
        pods=pods,
    )


def plan_capability(
    storage_class: str, capability: Capability, *, node_volumes: int = 0, large: int = 0, speeds: AssumedThroughput
) -> PlannedStep:
    """Plan the test of one capability; a copy is a second volume, a snapshot another, and several pods check them.

    `node_volumes`: the number of volumes that a node may be filled with; one more is created. `large`: the size of a
    large volume in bytes.
    """
    entry = DECLARATIONS[capability]
    number = sum(volume.number for volume in entry.volumes)
    volumes = tuple(Volumes(storage_class=storage_class, **asdict(volume)) for volume in entry.volumes)
    if entry.fills_node:
        number = node_volumes + 1
        volumes = tuple(replace(volume, number=number) for volume in volumes)
    if entry.large:
        volumes = tuple(replace(volume, size=large) for volume in volumes)
    seconds = number * speeds.claim_s + max(entry.pods - number, 0) * speeds.pod_s + speeds.gone_s
    seconds += entry.recreations * (speeds.claim_s + speeds.gone_s) + entry.snapshots * speeds.gone_s
    seconds += entry.copied_bytes / speeds.bandwidth + entry.files / FILES_PER_S["create"] + entry.waits_s
    return PlannedStep(
        description=f"{storage_class}: {entry.title}",
        about_s=seconds,
        volumes=volumes,
        pods=entry.pods,
    )


def plan_snapshot(storage_class: str, *, volumes: int, write_s: float, speeds: AssumedThroughput) -> PlannedStep:
    """Plan a snapshot taken while records are written, restored to as many volumes again, and deleted."""
    seconds = 2 * volumes * speeds.claim_s + write_s + speeds.pod_s + 2 * LOOKS_S + speeds.gone_s
    snapshot_text = "a snapshot" if volumes == 1 else f"a group snapshot of {volumes} volumes"
    return PlannedStep(
        description=f"{storage_class}: records, {snapshot_text} taken and deleted while they are written",
        about_s=seconds,
        volumes=(Volumes(storage_class=storage_class, number=2 * volumes, size=SIZE, beside=volumes * SIZE),),
        pods=2,
    )


def plan_full_volume(storage_class: str, settings: Settings, *, speeds: AssumedThroughput) -> PlannedStep:
    """Plan a volume that is filled, half rewritten, read each time, doubled in size, and emptied; then another one."""
    size = settings.volume_size
    # Checksums are computed during the writing, which makes it half as fast; the volume is read three times.
    seconds = 2 * speeds.claim_s + 8 * speeds.pod_s + (2 * 1.5 + 3) * size / speeds.bandwidth + speeds.gone_s
    return PlannedStep(
        description=f"{storage_class}: a volume filled to its end",
        about_s=seconds,
        volumes=(
            Volumes(storage_class=storage_class, number=1, size=size),
            Volumes(storage_class=storage_class, number=1, size=2 * size),
        ),
        pods=10,
    )


def with_many_files(
    storage_class: str, settings: Settings, *, files: int, baseline: str | None, speeds: AssumedThroughput
) -> PlannedStep:
    """Plan files that are created, listed, looked up and deleted, with pod starts; on a baseline only the files."""
    classes = (storage_class,) if baseline is None else (storage_class, baseline)
    starts = 2 * (REPEATS + len(OTHER_GROUPS))
    each_s = sum(files / rate for rate in FILES_PER_S.values())
    seconds = len(classes) * (speeds.claim_s + each_s + 2 * speeds.pod_s + speeds.gone_s)
    seconds += speeds.claim_s + starts * speeds.pod_s
    beside = "" if baseline is None else f", and on {baseline}"
    return PlannedStep(
        description=f"{storage_class}: {files:,} files created, looked up and deleted{beside}; {starts} pods started",
        about_s=seconds,
        volumes=tuple(
            Volumes(storage_class=name, number=2 if name == storage_class else 1, size=settings.volume_size)
            for name in classes
        ),
        pods=starts + 3 + 3 * (len(classes) - 1),
    )


def plan_write(storage_class: str, settings: Settings, *, speeds: AssumedThroughput) -> PlannedStep:
    """Plan a file that is written in full with checksums, and read in the same pod."""
    # Each block's checksum is computed while it is written, which takes about as long again.
    seconds = speeds.claim_s + 3 * settings.test_size / speeds.bandwidth
    return PlannedStep(
        description=f"{format_size(settings.test_size)} with checksums written to {storage_class} and read again",
        about_s=seconds,
        volumes=(Volumes(storage_class=storage_class, number=1, size=settings.volume_size, lasts="file"),),
        pods=1,
    )


def plan_verification(storage_class: str, settings: Settings, *, speeds: AssumedThroughput) -> PlannedStep:
    """Plan reading the complete file in a new pod."""
    seconds = speeds.pod_s + settings.test_size / speeds.bandwidth
    return PlannedStep(description=f"the same file of {storage_class} read by a new pod", about_s=seconds, pods=1)


def plan_rewrite(storage_class: str, settings: Settings, *, speeds: AssumedThroughput) -> PlannedStep:
    """Plan a file that is rewritten repeatedly while a replica is rebuilt, and read again."""
    file_s = settings.test_size / speeds.bandwidth
    healing_s = settings.test_size / speeds.rebuild["full-data"] / 2
    seconds = speeds.claim_s + 2 * WRITINGS * file_s + 2 * speeds.pod_s + LOOKS_S + healing_s + file_s
    return PlannedStep(
        description=f"a file on {storage_class} rewritten during the rebuild of a replica, and read again",
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

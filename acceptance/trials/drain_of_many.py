"""Several pods of one node, each with a volume, that are evicted at the same time, as in a drain of the node."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from pydantic import JsonValue

from acceptance.cluster.claims import Claim
from acceptance.cluster.nodes import nodes_for_volume
from acceptance.cluster.pods import create_pod, end_pod, wait_started
from acceptance.results.figures import FiguresRecord, NamedFigure
from acceptance.text.errors import StorageFailure
from acceptance.trials import Say
from acceptance.trials.crashes.acknowledged_records import lost_records, ranges
from acceptance.trials.crashes.draining import evict
from acceptance.trials.crashes.reading import finish_reading, reader_plan
from acceptance.trials.crashes.trial import LEAST_RECORDS
from acceptance.trials.crashes.writer import Writer
from acceptance.trials.features.bench import Bench
from acceptance.trials.operations.at_once import at_once

TIME = "drain_of_many.time"
"""The metric: the time from the evictions until a new pod has started with the last of the volumes on another node."""
PAUSE_S = 0.2
"""Seconds between records: many pods write at the same time."""
WRITE_S = 3.0


@dataclass(frozen=True, kw_only=True)
class MovedVolume:
    """The volume of one evicted pod. `seconds`: from the evictions until a new pod started with it on `node`; None if
    none did. `lost`: the numbers of acknowledged records that are missing or altered."""

    claim: str
    node: str = ""
    seconds: float | None = None
    acknowledged: int = 0
    lost: tuple[int, ...] = ()
    problem: str = ""


def drain_many(bench: Bench, *, pods: int, say: Say) -> list[MovedVolume]:
    """Write records in `pods` pods on one node, evict all at the same time, and read the records on other nodes.

    No node is cordoned. Raises NotTried if only one node can use the volumes; StorageFailure if the pods cannot write
    beforehand; ApiError and ApiUnreachable.
    """
    name, writers = bench.storage_class.name, list[Writer]()
    try:
        first = _started(bench, bench.claim(f"1-of-{pods}"), node=bench.node)
        writers.append(first)
        volume = bench.volume_of(first.plan.claims[0])
        if nodes_for_volume(bench.api, volume, bench.workspace.pods.template) == [first.node]:
            raise bench.not_tried(f"volumes of StorageClass {name} can be used from {first.node} only")
        claims = [bench.claim(f"{number}-of-{pods}") for number in range(2, pods + 1)]
        at_once(partial(_start_on, bench, claim, first.node, writers) for claim in claims)
        say(f"{name}: {pods} pods on {first.node} write records")
        for writer in writers:
            writer.write_for(WRITE_S if writer is first else 0.0, records=LEAST_RECORDS)
        say(f"{name}: {pods} pods on {first.node} are evicted")
        began_s = time.monotonic()
        with ThreadPoolExecutor(max_workers=pods, thread_name_prefix="drain") as pool:
            return list(pool.map(partial(_move, bench, began_s=began_s), writers))
    finally:
        for writer in writers:
            writer.__exit__(None, None, None)


def require_moved(volumes: Sequence[MovedVolume], *, storage_class: str) -> None:
    """Raise StorageFailure that names each volume that no other node used, or that lost acknowledged records."""
    wrong = [f"{volume.claim}: {problem}" for volume in volumes if (problem := _problem(volume))]
    if wrong:
        raise StorageFailure(
            f"{len(volumes)} pods with a volume of StorageClass {storage_class} each were evicted at the same time, "
            f"and {len(wrong)} volumes are wrong: {'; '.join(wrong)}"
        )


def figures_of(volumes: Sequence[MovedVolume], *, storage_class: str) -> FiguresRecord:
    """Return the time of the last volume, which is unknown if no other node used one."""
    moved_s = [volume.seconds for volume in volumes if volume.seconds is not None]
    missing = len(volumes) - len(moved_s)
    rows: list[dict[str, JsonValue]] = [
        {
            "PVC": volume.claim,
            "Moved to": volume.node,
            "After (s)": None if volume.seconds is None else round(volume.seconds, 1),
            "Records": volume.acknowledged,
            "Problem": _problem(volume),
        }
        for volume in volumes
    ]
    return FiguresRecord(
        subject="durability",
        storage_class=storage_class,
        done=f"{len(volumes)} pods of one node were evicted at the same time; new pods used their volumes elsewhere",
        figures=[
            NamedFigure(
                metric=TIME,
                value=None if missing else max(moved_s),
                unit="s",
                unknown=f"{missing} of {len(volumes)} volumes were not used elsewhere" if missing else "",
            )
        ],
        rows=rows,
    )


def _problem(volume: MovedVolume) -> str:
    if volume.problem or not volume.lost:
        return volume.problem
    numbers = ", ".join(f"{start} to {end}" for start, end in ranges(volume.lost))
    return f"{len(volume.lost)} of {volume.acknowledged} acknowledged records are lost or altered: {numbers}"


def _started(bench: Bench, claim: Claim, *, node: str | None) -> Writer:
    """Start a pod that writes records, until it is asked to end; it is ended with the other objects."""
    writer = Writer(bench.workspace, claim, node=node, heeds_term=True, pause_s=PAUSE_S)
    bench.undo_with(lambda: end_pod(bench.api, writer.plan, timeout_s=bench.timeout_s))
    return writer.__enter__()


def _start_on(bench: Bench, claim: Claim, node: str, writers: list[Writer]) -> None:
    writers.append(_started(bench, claim, node=node))


def _move(bench: Bench, writer: Writer, *, began_s: float) -> MovedVolume:
    """Evict the pod, start one with its volume on another node, and read the records there."""
    (claim,) = writer.plan.claims
    plan = reader_plan(bench.workspace, claim, token=writer.token, node=None, away_from=writer.node)
    bench.undo_with(lambda: end_pod(bench.api, plan, timeout_s=bench.timeout_s))
    seconds = None
    try:
        evict(bench.api, writer, timeout_s=bench.timeout_s)
        create_pod(bench.api, plan, timeout_s=bench.timeout_s)
        wait_started(bench.api, plan, timeout_s=bench.timeout_s)
        seconds = time.monotonic() - began_s
        reading = finish_reading(bench.workspace, plan)
    except StorageFailure as error:
        return MovedVolume(
            claim=claim.name, seconds=seconds, acknowledged=writer.acknowledged_count, problem=str(error)
        )
    lost = lost_records(reading.content, token=writer.token, acknowledged_count=writer.acknowledged_count)
    return MovedVolume(
        claim=claim.name,
        node=reading.node,
        seconds=seconds,
        acknowledged=writer.acknowledged_count,
        lost=tuple(lost),
    )

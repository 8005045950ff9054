"""Control operations of different kinds at the same time, while a pod writes records to another volume of the class."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from pydantic import JsonValue

from acceptance.cluster.claims import require_no_unclaimed_volumes
from acceptance.cluster.pods import end_pod
from acceptance.cluster.workspace import Workspace
from acceptance.process.undoing import Undoing
from acceptance.results.clusters import StorageClass
from acceptance.results.figures import FiguresRecord, NamedFigure
from acceptance.results.operations import Operation
from acceptance.text.errors import StorageFailure, Unsupported
from acceptance.trials import Say
from acceptance.trials.crashes.acknowledged_records import lost_records, ranges
from acceptance.trials.crashes.gaps import longest_gap
from acceptance.trials.crashes.reading import read_records, reader_plan
from acceptance.trials.crashes.trial import LEAST_RECORDS
from acceptance.trials.crashes.writer import Writer
from acceptance.trials.features.bench import Bench
from acceptance.trials.operations.failing import cannot_clone
from acceptance.trials.operations.mixed import MIXED, MixedRound
from acceptance.trials.operations.observer import Observer
from acceptance.trials.operations.plan import OperationSettings
from acceptance.trials.operations.runner import missing_operations, require_room, snapshot_class_for

FAILED, SLOWEST, WRITE_GAP = (f"mixed_operations.{name}" for name in ("failed", "slowest", "write_gap"))
PAUSE_S = 0.1
"""Seconds between records: the records of a writer then last for half an hour."""
AROUND_S = 3.0
"""Seconds for which records are written before the first request, and after the last operation."""
VOLUMES = 8
"""Volumes of each operation at a time: a new one, a restored one, a clone, and those that other kinds need before."""
TITLES: dict[Operation, str] = {
    "bind": "create",
    "snapshot": "snapshot",
    "restore": "restore",
    "clone": "clone",
    "expand": "expand",
    "delete": "delete",
}


@dataclass(frozen=True, kw_only=True)
class KindOutcome:
    """The operations of one kind. `seconds`: of those that were done; `span_s`: from the first request to the end of
    the last that was done, in s after the first request of all kinds."""

    operation: Operation
    requested: int
    seconds: tuple[float, ...]
    span_s: tuple[float, float] | None = None
    reasons: tuple[str, ...] = ()

    @property
    def failed(self) -> int:
        """The number of operations that were not done in time."""
        return self.requested - len(self.seconds)


@dataclass(frozen=True, kw_only=True)
class WritesOutcome:
    """The records that a pod wrote meanwhile. `lost`: the numbers of acknowledged ones that are missing or altered;
    `problem`: why the pod stopped, or why the records could not be read."""

    acknowledged: int
    gap_s: float
    lost: tuple[int, ...] = ()
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class MixedOutcome:
    """The outcome for a class. `left_out`: the kinds that it lacks, with the reason."""

    kinds: Sequence[KindOutcome]
    writes: WritesOutcome
    left_out: dict[Operation, str]


def operations_of_each(requested: int) -> int:
    """Return the number of operations of each kind if at most `requested` run at the same time, at least 1."""
    return max(1, requested // len(MIXED))


@dataclass(frozen=True, kw_only=True)
class MixedOperations:
    """All kinds of operations at the same time on one class; `at_once`: the number of operations of all kinds."""

    workspace: Workspace
    storage_class: StorageClass
    at_once: int
    node: str | None
    keep: bool
    say: Say

    def run(self) -> MixedOutcome:
        """Prepare the volumes, write records, request all kinds, wait for all; then read the records.

        Raises Unsupported if the class lacks all kinds but two; StorageFailure if the preparation fails;
        EnvironmentFailure if nodes have no room; ApiError and ApiUnreachable.
        """
        workspace, storage_class = self.workspace, self.storage_class
        left_out = dict(missing_operations(workspace, storage_class, MIXED))
        kinds = frozenset(MIXED) - left_out.keys()
        if len(kinds) < 3:
            raise Unsupported(f"capability 'several kinds of operations': {'; '.join(left_out.values())}")
        number = operations_of_each(self.at_once)
        require_no_unclaimed_volumes(workspace.api, storage_classes=[storage_class.name])
        pods = VOLUMES if storage_class.waits_for_pod else 1
        require_room(workspace, node=self.node, pods=1 + pods * number)
        bench = Bench(workspace, storage_class, capability="mixed operations", node=self.node, keep=self.keep)
        with bench, Observer(workspace, snapshots="snapshot" in kinds) as observer:
            mixed = MixedRound(
                workspace=workspace,
                observer=observer,
                storage_class=storage_class,
                settings=OperationSettings(
                    at_once=number, count=number, operations=kinds, timeout_s=workspace.timeout_s, node=self.node
                ),
                operations=kinds,
                snapshot_class=snapshot_class_for(workspace, storage_class, kinds),
                number=1,
                say=self.say,
            )
            with Undoing() as undoing:
                mixed.prepare(undoing)
                writes = self._write_during(bench, mixed, undoing)
                objects = list(observer.timeline.objects.values())
                if "clone" in kinds and (why := cannot_clone(objects)) is not None:
                    left_out["clone"] = f"capability 'clone': StorageClass {storage_class.name} has no clones: {why}"
                outcomes = [kind for kind in _outcomes(mixed) if kind.operation not in left_out]
                mixed.remove_copies()
            mixed.remove_volumes()
        return MixedOutcome(kinds=outcomes, writes=writes, left_out=left_out)

    def _write_during(self, bench: Bench, mixed: MixedRound, undoing: Undoing) -> WritesOutcome:
        """Have a pod write records to a volume of its own while the operations run; then read them."""
        workspace, problem = self.workspace, ""
        claim = bench.claim("records")
        writer = Writer(workspace, claim, node=self.node, heeds_term=True, pause_s=PAUSE_S)
        bench.undo_with(lambda: end_pod(workspace.api, writer.plan, timeout_s=workspace.timeout_s))
        with writer:
            writer.write_for(AROUND_S, records=LEAST_RECORDS)
            before = writer.acknowledged_count
            mixed.mix(undoing)
            with suppress(StorageFailure):
                writer.write_for(AROUND_S, records=writer.acknowledged_count + LEAST_RECORDS)
            if (error := writer.fault()) is not None:
                if not isinstance(error, StorageFailure):
                    raise error
                problem = str(error)
            silent_s = time.monotonic() - writer.last_s
            gap_s = longest_gap(writer.moments, since=before) or longest_gap(writer.arrivals, since=before) or 0.0
            end_pod(workspace.api, writer.plan, timeout_s=workspace.timeout_s)
            if not problem:
                writer.wait_over()
            plan = reader_plan(workspace, claim, token=writer.token, node=writer.node)
            bench.undo_with(lambda: end_pod(workspace.api, plan, timeout_s=workspace.timeout_s))
            acknowledged_count, lost = writer.acknowledged_count, list[int]()
            try:
                content = read_records(workspace, plan).content
                lost = lost_records(content, token=writer.token, acknowledged_count=acknowledged_count)
            except StorageFailure as error:
                problem = problem or str(error)
        gap_s = max(gap_s, silent_s if silent_s > AROUND_S else 0.0)
        return WritesOutcome(acknowledged=acknowledged_count, gap_s=gap_s, lost=tuple(lost), problem=problem)


def _outcomes(mixed: MixedRound) -> list[KindOutcome]:
    spans = {kind: span for kind in mixed.kinds if (span := mixed.span_s(kind)) is not None}
    first_s = min((begin for begin, _ in spans.values()), default=0.0)
    return [
        KindOutcome(
            operation=record.operation,
            requested=record.asked,
            seconds=tuple(record.seconds),
            span_s=(spans[record.operation][0] - first_s, spans[record.operation][1] - first_s)
            if record.operation in spans
            else None,
            reasons=tuple(mixed.reasons(record.operation)),
        )
        for record in mixed.records()
    ]


def figures_of(outcome: MixedOutcome, *, storage_class: str) -> FiguresRecord:
    """Return the number of operations that failed, the time of the slowest, and the longest gap between records."""
    requested, failed = sum(kind.requested for kind in outcome.kinds), sum(kind.failed for kind in outcome.kinds)
    slowest_s = max((seconds for kind in outcome.kinds for seconds in kind.seconds), default=None)
    names = ", ".join(f"{kind.requested} {TITLES[kind.operation]}" for kind in outcome.kinds)
    reasons = [reason for kind in outcome.kinds for reason in kind.reasons]
    rows: list[dict[str, JsonValue]] = [
        {
            "Operation": TITLES[kind.operation],
            "Requested": kind.requested,
            "Failed": kind.failed,
            "Slowest (s)": round(max(kind.seconds), 1) if kind.seconds else None,
            "All done after (s)": None if kind.span_s is None else round(kind.span_s[1], 1),
            "Problem": "; ".join(kind.reasons),
        }
        for kind in outcome.kinds
    ]
    rows += [
        {"Operation": TITLES[operation], "Requested": 0, "Failed": 0, "Problem": f"left out: {why}"}
        for operation, why in outcome.left_out.items()
    ]
    done = f"requested at the same time: {names}; a pod wrote {outcome.writes.acknowledged} records meanwhile"
    return FiguresRecord(
        subject="control-plane",
        storage_class=storage_class,
        done=f"{done}; failed: {'; '.join(reasons)}" if reasons else done,
        figures=[
            NamedFigure(metric=FAILED, value=failed, unit="count"),
            NamedFigure(
                metric=SLOWEST,
                value=None if failed else slowest_s,
                unit="s",
                unknown=f"{failed} of {requested} operations were not done in time" if failed else "",
            ),
            NamedFigure(metric=WRITE_GAP, value=outcome.writes.gap_s, unit="s"),
        ],
        rows=rows,
    )


def require_intact(outcome: MixedOutcome, *, storage_class: str) -> None:
    """Raise StorageFailure if writes failed during the operations, or if acknowledged records are lost."""
    writes = outcome.writes
    if writes.problem:
        raise StorageFailure(
            f"while operations of different kinds ran on StorageClass {storage_class}, writes failed: {writes.problem}"
        )
    if writes.lost:
        numbers = ", ".join(f"{first} to {last}" for first, last in ranges(writes.lost))
        raise StorageFailure(
            f"while operations of different kinds ran on StorageClass {storage_class}, {len(writes.lost)} of "
            f"{writes.acknowledged} acknowledged records of another volume were lost or altered: {numbers}"
        )

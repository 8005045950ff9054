"""From the timeline of a trial to its record. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from acceptance.judging.operations import CONFIDENCE
from acceptance.limits.declared import PERCENTILES
from acceptance.results.operations import (
    OPERATIONS,
    Moment,
    ObjectKind,
    ObjectRecord,
    Operation,
    OperationRecord,
    PercentileTime,
)
from acceptance.statistics.order_statistics import percentile
from acceptance.trials.operations.failing import reason_of
from acceptance.trials.operations.timeline import Tracked

SHOWN = ("p50", "p95", "p99")


@dataclass(frozen=True, kw_only=True)
class Span:
    """An operation: from one of `begins`, the last that there is, to `end`, of objects of these kinds."""

    kinds: tuple[ObjectKind, ...]
    begins: tuple[Moment, ...]
    end: Moment


COMING: tuple[Moment, ...] = ("asked", "pod_asked")
OWN: tuple[ObjectKind, ...] = ("volume",)
VOLUMES: tuple[ObjectKind, ...] = ("volume", "restored", "clone")


def spans(*, waits: bool) -> Mapping[Operation, Span]:
    """What each operation is. `waits`: volumes come only when a pod is asked for, as their class says."""
    coming = COMING if waits else COMING[:1]
    return {
        "bind": Span(kinds=OWN, begins=coming, end="bound"),
        "attach": Span(kinds=OWN, begins=("attaching",), end="attached"),
        "mount": Span(kinds=OWN, begins=("scheduled", "bound", "attached"), end="mounted"),
        "start": Span(kinds=OWN, begins=("pod_asked",), end="ready"),
        "snapshot": Span(kinds=("snapshot",), begins=("asked",), end="ready"),
        "snapshots_of_one": Span(kinds=("snapshot-of-one",), begins=("asked",), end="ready"),
        "restore": Span(kinds=("restored",), begins=coming, end="bound"),
        "clone": Span(kinds=("clone",), begins=coming, end="bound"),
        "expand": Span(kinds=OWN, begins=("growth_asked",), end="expanded"),
        "delete": Span(kinds=VOLUMES, begins=("deletion_asked",), end="gone"),
    }


def operation_records(
    objects: Collection[Tracked], *, waits: bool, missing: Collection[Operation]
) -> list[OperationRecord]:
    """One of each operation that was begun, in their order."""
    found = spans(waits=waits)
    records = (_record(operation, found[operation], objects) for operation in OPERATIONS if operation not in missing)
    return [record for record in records if record.asked]


def _record(operation: Operation, span: Span, objects: Iterable[Tracked]) -> OperationRecord:
    of_kind = [each for each in objects if each.kind in span.kinds]
    failed = Counter(reason_of(each.failed[operation]) for each in of_kind if operation in each.failed)
    done = [each for each in of_kind if operation not in each.failed and _took(each, span) is not None]
    counted = [each for each in done if not _is_late(each, span)]
    seconds = [round(took, 3) for each in counted if (took := _took(each, span)) is not None]
    times = [*seconds, *([math.inf] * sum(failed.values()))]
    return OperationRecord(
        operation=operation,
        asked=len(done) + sum(failed.values()),
        failed=dict(failed),
        late=len(done) - len(counted),
        per_s=_per_s(done, span),
        seconds=seconds,
        percentiles=_percentiles(times) if times else {},
        confidence=CONFIDENCE,
    )


def _begin(tracked: Tracked, span: Span) -> Moment | None:
    known = [begin for begin in span.begins if begin in tracked.at_s]
    return max(known, key=lambda each: tracked.at_s[each], default=None)


def _took(tracked: Tracked, span: Span) -> float | None:
    """How long; None where it was not begun or is not done."""
    begin, end = _begin(tracked, span), tracked.at_s.get(span.end)
    return None if begin is None or end is None else max(0.0, end - tracked.at_s[begin])


def _is_late(tracked: Tracked, span: Span) -> bool:
    return bool(tracked.late & {_begin(tracked, span), span.end})


def _per_s(done: Sequence[Tracked], span: Span) -> float | None:
    """All that were done, by the time that their rounds took for it; None where that is none."""
    in_round: dict[tuple[int, ObjectKind], list[Tracked]] = {}
    for each in done:
        in_round.setdefault((each.round, each.kind), []).append(each)
    lasted = 0.0
    for together in in_round.values():
        begins = [each.at_s[begin] for each in together if (begin := _begin(each, span)) is not None]
        lasted += max(each.at_s[span.end] for each in together) - min(begins)
    return len(done) / lasted if lasted > 0.0 else None


def _percentiles(times: Sequence[float]) -> dict[str, PercentileTime]:
    found = {name: percentile(times, PERCENTILES[name], confidence=CONFIDENCE) for name in SHOWN}
    return {
        name: PercentileTime(seconds=_known(each.value), low=min(each.low, _last(times)), high=_known(each.high))
        for name, each in found.items()
    }


def _known(seconds: float) -> float | None:
    return seconds if math.isfinite(seconds) else None


def _last(times: Iterable[float]) -> float:
    """The slowest that was seen: where most failed, it is surely slower than that."""
    return max((time_s for time_s in times if math.isfinite(time_s)), default=0.0)


def object_records(objects: Iterable[Tracked], *, began_s: Callable[[int], float]) -> list[ObjectRecord]:
    """The timelines; `began_s`: when the round of that number began."""
    return [
        ObjectRecord(
            name=each.name,
            kind=each.kind,
            round=each.round,
            at_s={moment: round(at_s - began_s(each.round), 3) for moment, at_s in each.at_s.items()},
            failed=dict(each.failed),
        )
        for each in objects
    ]

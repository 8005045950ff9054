"""The record of a trial from its timeline. Pure."""

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
from acceptance.trials.operations.timeline import TrackedObject

PERCENTILE_NAMES = ("p50", "p95", "p99")


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
    """Return the span of each operation. `waits`: volumes are provisioned only when a pod requests them, as their class
    says."""
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
    objects: Collection[TrackedObject], *, waits: bool, missing: Collection[Operation]
) -> list[OperationRecord]:
    """Return a record of each operation that was begun, in their order."""
    span_of = spans(waits=waits)
    records = (_record(operation, span_of[operation], objects) for operation in OPERATIONS if operation not in missing)
    return [record for record in records if record.asked]


def _record(operation: Operation, span: Span, objects: Iterable[TrackedObject]) -> OperationRecord:
    of_kind = [obj for obj in objects if obj.kind in span.kinds]
    failure_counts = Counter(reason_of(obj.failures[operation]) for obj in of_kind if operation in obj.failures)
    successes = [obj for obj in of_kind if operation not in obj.failures and _took(obj, span) is not None]
    punctual = [obj for obj in successes if not _is_late(obj, span)]
    seconds = [round(took, 3) for obj in punctual if (took := _took(obj, span)) is not None]
    times = [*seconds, *([math.inf] * sum(failure_counts.values()))]
    return OperationRecord(
        operation=operation,
        asked=len(successes) + sum(failure_counts.values()),
        failed=dict(failure_counts),
        late=len(successes) - len(punctual),
        per_s=_per_s(successes, span),
        seconds=seconds,
        percentiles=_percentiles(times) if times else {},
        confidence=CONFIDENCE,
    )


def _begin(obj: TrackedObject, span: Span) -> Moment | None:
    moments = [begin for begin in span.begins if begin in obj.at_s]
    return max(moments, key=lambda moment: obj.at_s[moment], default=None)


def _took(obj: TrackedObject, span: Span) -> float | None:
    """Return how long the operation took; None if it was not begun or is not done."""
    begin, end = _begin(obj, span), obj.at_s.get(span.end)
    return None if begin is None or end is None else max(0.0, end - obj.at_s[begin])


def _is_late(obj: TrackedObject, span: Span) -> bool:
    return bool(obj.late & {_begin(obj, span), span.end})


def _per_s(successes: Sequence[TrackedObject], span: Span) -> float | None:
    """Return the rate of all that were done, by the time that their rounds took for it; None if that is none."""
    in_round: dict[tuple[int, ObjectKind], list[TrackedObject]] = {}
    for obj in successes:
        in_round.setdefault((obj.round, obj.kind), []).append(obj)
    total_s = 0.0
    for together in in_round.values():
        begins = [obj.at_s[begin] for obj in together if (begin := _begin(obj, span)) is not None]
        total_s += max(obj.at_s[span.end] for obj in together) - min(begins)
    return len(successes) / total_s if total_s > 0.0 else None


def _percentiles(times: Sequence[float]) -> dict[str, PercentileTime]:
    percentiles = {name: percentile(times, PERCENTILES[name], confidence=CONFIDENCE) for name in PERCENTILE_NAMES}
    return {
        name: PercentileTime(seconds=_finite(span.value), low=min(span.low, _last(times)), high=_finite(span.high))
        for name, span in percentiles.items()
    }


def _finite(seconds: float) -> float | None:
    return seconds if math.isfinite(seconds) else None


def _last(times: Iterable[float]) -> float:
    """Return the slowest time that was seen: if most failed, it is surely slower than that."""
    return max((time_s for time_s in times if math.isfinite(time_s)), default=0.0)


def object_records(objects: Iterable[TrackedObject], *, began_s: Callable[[int], float]) -> list[ObjectRecord]:
    """Return the records of the timelines; `began_s` returns when the round of that number began."""
    return [
        ObjectRecord(
            name=obj.name,
            kind=obj.kind,
            round=obj.round,
            at_s={moment: round(at_s - began_s(obj.round), 3) for moment, at_s in obj.at_s.items()},
            failed=dict(obj.failures),
        )
        for obj in objects
    ]

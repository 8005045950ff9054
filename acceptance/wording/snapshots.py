"""Sentences about snapshots of volumes in use, and about write rates with many snapshots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from acceptance.results.document import Verdict
from acceptance.results.ratio_words import share
from acceptance.results.snapshots import Pace, Stage
from acceptance.text.quantities import format_quantity
from acceptance.wording.phrasing import Renderer, Sentence, held_against, surely, wherever_it_lies
from acceptance.wording.records import Ranges, count_in, ranges_in_words, shown_time

RULE = (
    "a snapshot taken while records are written is crash-consistent: it holds all records acknowledged before it, and "
    "no later record without all earlier ones"
)
GROUP_RULE = (
    "the snapshots of a group, taken while records are written alternately to its volumes, are crash-consistent: "
    "together they hold all records acknowledged before them, and no later record without all earlier ones"
)
_STAGES: dict[Stage, str] = {
    "before": "before the snapshot",
    "taken": "while it was taken",
    "restored": "while it was restored and read",
    "deleted": "while it was deleted",
}


def crash_consistent(
    verdict: Verdict,
    *,
    snapshot_class: str,
    volumes: int,
    acknowledged: int,
    whole: int,
    paces: Sequence[dict[str, Any]],
) -> str:
    """Return the sentence for a complete snapshot. `paces`: the fields of the `Pace` of each stage."""
    pace_words = ", ".join(_pace(Pace.model_validate(pace)) for pace in paces)
    return (
        f"{_subject(verdict, snapshot_class, volumes)} holds all {acknowledged:,} records that were acknowledged "
        f"before it was requested, and {whole - acknowledged:,} more without a gap. Records a second: {pace_words}."
    )


def records_missing(
    verdict: Verdict,
    *,
    snapshot_class: str,
    volumes: int,
    acknowledged: int,
    lost: Ranges = (),
    last: int = 0,
    holes: Ranges = (),
) -> str:
    """Return the sentence for missing records: acknowledged ones (`lost`), then `holes` before the record `last`."""
    wrong = []
    if lost:
        wrong.append(
            f"lacks {count_in(lost):,} of the {acknowledged:,} records that were acknowledged before it was requested: "
            f"{ranges_in_words(lost)}{_location(volumes, lost)}"
        )
    if holes:
        wrong.append(
            f"is not crash-consistent: it has a part of record {last:,}, which was begun after all earlier records "
            f"were durable, but these earlier records are incomplete: {ranges_in_words(holes)}"
            f"{_location(volumes, holes)}"
        )
    return f"{_subject(verdict, snapshot_class, volumes)} {'; it '.join(wrong)}."


def writes_left_unknown(
    verdict: Verdict, *, count: int, piece: int, with_snapshots: float | None, without: float | None
) -> str:
    """Return the sentence if there is no ratio."""
    return _no_judgment(
        f"{_load_subject(verdict, count, piece)} cannot be compared with a volume without snapshots: no operation was "
        "completed on one of them"
    )


def writes_left_too_few_samples(
    verdict: Verdict, *, count: int, piece: int, with_snapshots: float | None, without: float | None
) -> str:
    """Return the sentence for a ratio without an interval."""
    statement = f"{_ratio(verdict, count, piece)} ({_rates(with_snapshots, without)})"
    return _no_judgment(f"{statement}, from too few samples for a confidence interval")


def writes_left(
    verdict: Verdict, *, count: int, piece: int, with_snapshots: float | None, without: float | None
) -> Sentence:
    """Return the sentence for the ratio of write rates with `count` snapshots, one per `piece` bytes, to none."""
    assert verdict.confidence is not None  # a verdict with an interval has a confidence
    sure = surely(verdict.confidence, _share(verdict, verdict.low), _share(verdict, verdict.high))
    return held_against(
        verdict,
        f"{_ratio(verdict, count, piece)} ({sure}; {_rates(with_snapshots, without)})",
        left_open="a quieter machine or a longer measurement (--storage-load longest) would decide it",
    )


SENTENCES: dict[str, Renderer] = {
    "crash_consistent": crash_consistent,
    "records_missing": records_missing,
    "not_crash_consistent": records_missing,
    "writes_left_unknown": writes_left_unknown,
    "writes_left_too_few_samples": writes_left_too_few_samples,
    **wherever_it_lies("writes_left", writes_left),
}


def _subject(verdict: Verdict, snapshot_class: str, volumes: int) -> str:
    """Return `a snapshot of class snap, taken while records were written to a volume of fast,`."""
    group, where = ("", "to a volume") if volumes == 1 else ("group ", f"alternately to {volumes} volumes")
    about = f"a {group}snapshot of class {snapshot_class}, taken while records were written {where}"
    return f"{about} of {verdict.storage_class},"


def _location(volumes: int, missing: Ranges) -> str:
    """Return ` (all on volume 1 of 2)` if only one of several volumes lacks any: the records are on them in turn."""
    places = {(number - 1) % volumes for first, last in missing for number in range(first, last + 1)}
    return f" (all on volume {min(places) + 1} of {volumes})" if len(places) < min(volumes, 2) else ""


def _pace(pace: Pace) -> str:
    """Return `80 while it was taken (longest pause 0.6 s)`."""
    pause = "" if pace.stage == "before" else f" (longest pause {shown_time(pace.longest_s)})"
    return f"{pace.rate:,.0f} {_STAGES[pace.stage]}{pause}"


def _load_subject(verdict: Verdict, count: int, piece: int) -> str:
    return (
        f"{verdict.metric} of {verdict.profile} on a volume of {verdict.storage_class} with {count} snapshots, "
        f"each at least {format_quantity(piece, unit='B')} of writes after the previous one,"
    )


def _ratio(verdict: Verdict, count: int, piece: int) -> str:
    share_in_words = _share(verdict, verdict.measured)
    return f"{_load_subject(verdict, count, piece)} is {share_in_words} of that on a volume without snapshots"


def _share(verdict: Verdict, ratio: float | None) -> str:
    assert ratio is not None  # called only if there is a ratio
    return share(ratio, beside=verdict.requirement.bound)


def _rates(*rates: float | None) -> str:
    """Return `920 IOPS with snapshots, 1,000 IOPS without`."""
    with_rate, without_rate = ("unknown" if rate is None else format_quantity(rate, unit="1/s") for rate in rates)
    return f"{with_rate} with snapshots, {without_rate} without"


def _no_judgment(statement: str) -> str:
    return f"{statement}, so it cannot be judged; a full-length measurement would decide it."

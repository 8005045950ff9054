"""What is said of snapshots of volumes in use, and of what many of them leave of a volume's writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from acceptance.results.document import Verdict
from acceptance.results.ratio_words import share
from acceptance.results.snapshots import Pace, Stage
from acceptance.text.quantities import format_quantity
from acceptance.wording.phrasing import Said, Sentence, held_against, surely, wherever_it_lies
from acceptance.wording.records import Ranges, count_in, ranges_in_words, shown_time

RULE = (
    "a snapshot taken while records are written holds all that were acknowledged before, and no later one without them"
)
GROUP_RULE = (
    "the snapshots of a group, taken while records are written in turn to all its volumes, together hold all that were "
    "acknowledged before, and no later one without them"
)
_STAGES: dict[Stage, str] = {
    "before": "before it",
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
    """All that must be there is. `paces`: what `Pace` holds of each stage."""
    told = ", ".join(_pace(Pace.model_validate(pace)) for pace in paces)
    return (
        f"{_taken(verdict, snapshot_class, volumes)} holds all {acknowledged:,} records that were acknowledged before "
        f"it was asked for, and {whole - acknowledged:,} more without a hole. Records a second: {told}."
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
    """What was acknowledged before is told first (`lost`); a hole is told of what is later, up to record `last`."""
    wrong = []
    if lost:
        wrong.append(
            f"lacks {count_in(lost):,} of the {acknowledged:,} records that were acknowledged before it was asked for: "
            f"{ranges_in_words(lost)}{_whose(volumes, lost)}"
        )
    if holes:
        wrong.append(
            f"does not show one moment: part of record {last:,} is there, which was begun when all earlier records "
            f"were durable, but these earlier ones are not whole: {ranges_in_words(holes)}{_whose(volumes, holes)}"
        )
    return f"{_taken(verdict, snapshot_class, volumes)} {'; it '.join(wrong)}."


def writes_left_unknown(
    verdict: Verdict, *, count: int, piece: int, with_snapshots: float | None, without: float | None
) -> str:
    """There is no ratio."""
    return _not_judged(
        f"{_loaded(verdict, count, piece)} cannot be compared with one without: nothing was done on one of them"
    )


def writes_left_too_few_samples(
    verdict: Verdict, *, count: int, piece: int, with_snapshots: float | None, without: float | None
) -> str:
    """There is a ratio, and no interval."""
    told = f"{_loaded(verdict, count, piece)} is {_left(verdict, verdict.measured)} of that on one without"
    return _not_judged(f"{told} ({_rates(with_snapshots, without)}), from too few samples for a confidence interval")


def writes_left(
    verdict: Verdict, *, count: int, piece: int, with_snapshots: float | None, without: float | None
) -> Sentence:
    """`count` snapshots, each after `piece` bytes of writes; rates of the volume that has them, and of the other."""
    assert verdict.confidence is not None  # what has an interval has one
    sure = surely(verdict.confidence, _left(verdict, verdict.low), _left(verdict, verdict.high))
    told = f"{_loaded(verdict, count, piece)} is {_left(verdict, verdict.measured)} of that on one without"
    return held_against(
        verdict,
        f"{told} ({sure}; {_rates(with_snapshots, without)})",
        left_open="a quieter machine or a longer measurement (--storage-load longest) would decide it",
    )


SENTENCES: dict[str, Said] = {
    "crash_consistent": crash_consistent,
    "records_missing": records_missing,
    "not_crash_consistent": records_missing,
    "writes_left_unknown": writes_left_unknown,
    "writes_left_too_few_samples": writes_left_too_few_samples,
    **wherever_it_lies("writes_left", writes_left),
}


def _taken(verdict: Verdict, snapshot_class: str, volumes: int) -> str:
    """`a snapshot of class snap, taken while records were written to a volume of fast,`"""
    group, where = ("", "to a volume") if volumes == 1 else ("group ", f"in turn to {volumes} volumes")
    about = f"a {group}snapshot of class {snapshot_class}, taken while records were written {where}"
    return f"{about} of {verdict.storage_class},"


def _whose(volumes: int, missing: Ranges) -> str:
    """` (all on volume 1 of 2)` where only one of several volumes lacks any: the records are on them in turn."""
    places = {(number - 1) % volumes for first, last in missing for number in range(first, last + 1)}
    return f" (all on volume {min(places) + 1} of {volumes})" if len(places) < min(volumes, 2) else ""


def _pace(pace: Pace) -> str:
    """`80 while it was taken (longest pause 0.6 s)`"""
    pause = "" if pace.stage == "before" else f" (longest pause {shown_time(pace.longest_s)})"
    return f"{pace.rate:,.0f} {_STAGES[pace.stage]}{pause}"


def _loaded(verdict: Verdict, count: int, piece: int) -> str:
    return (
        f"{verdict.metric} of {verdict.profile} on a volume of {verdict.storage_class} with {count} snapshots, "
        f"each {format_quantity(piece, unit='B')} of writes or more after the one before it,"
    )


def _left(verdict: Verdict, ratio: float | None) -> str:
    assert ratio is not None  # not told of what has none
    return share(ratio, beside=verdict.requirement.bound)


def _rates(*rates: float | None) -> str:
    """`920 IOPS with them, 1,000 IOPS without`"""
    with_them, without = ("unknown" if rate is None else format_quantity(rate, unit="1/s") for rate in rates)
    return f"{with_them} with them, {without} without"


def _not_judged(told: str) -> str:
    return f"{told}, so it cannot be judged; a measurement of its full length would decide it."

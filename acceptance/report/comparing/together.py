"""One verdict over several runs of the same: each was a day of its own, and all of them are to pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from acceptance.results.completeness import classes_under_test, missing
from acceptance.results.document import Overall, Results

_WORST_FIRST: tuple[Overall, ...] = ("fail", "inconclusive", "partial", "pass")
# Settings that say what was measured, and not where to, or how it is told.
_ASKED = ("volume_size", "test_size", "volume_mode", "baseline_class")


@dataclass(frozen=True, kw_only=True)
class Together:
    """`status` is None where the runs are of the same storage and do not ask the same: `sentence` then says why."""

    status: Overall | None
    sentence: str


def together(runs: Sequence[Results]) -> Together | None:
    """The verdict over all runs; None where they are not runs of the same classes on the same cluster.

    Any fail is a fail, for with enough tries anything passes once; and one that is inconclusive leaves it open.
    """
    places = {(tuple(sorted(classes_under_test(run))), run.cluster.identity if run.cluster else "") for run in runs}
    if len(runs) < 2 or len(places) > 1 or places & {((), "")} or not next(iter(places))[1]:
        return None
    if len({run.run.id for run in runs}) < len(runs):
        return Together(status=None, sentence="No verdict over all runs: one of them is here twice.")
    if differs := list(_unlike(runs)):
        return Together(status=None, sentence=f"No verdict over all runs: they differ in {', '.join(differs)}.")
    counted = {status: sum(run.overall == status for run in runs) for status in _WORST_FIRST}
    status: Overall = next((each for each in _WORST_FIRST if counted[each]), "pass")
    told = ", ".join(f"{count} {word}" for word, count in counted.items() if count)
    classes, tier = ", ".join(classes_under_test(runs[0])), runs[0].settings.get("tier")
    sentence = f"{classes}, tier {tier}, {len(runs)} runs from {_days(runs)}: {told}."
    part = sum(missing(run).in_part for run in runs)
    if status in ("pass", "partial") and part:
        sentence += f" In {part} of them the tier was judged in part only."
    if status not in ("pass", "partial"):
        sentence += " All are to pass; none may be left out."
    return Together(status=status, sentence=sentence)


def _unlike(runs: Sequence[Results]) -> Iterator[str]:
    """What of the question is not the same."""
    digests = {run.tested_with.limits_digest if run.tested_with else "" for run in runs}
    if len({str(run.settings.get("tier")) for run in runs}) > 1:
        yield "the tier"
    if len(digests) > 1 or "" in digests:
        yield "the limits, or it is not known which they were"
    if len({run.run.suite_version for run in runs}) > 1:
        yield "the version of the suite"
    for name in _ASKED:
        if len({str(run.settings.get(name)) for run in runs}) > 1:
            yield f"the setting {name}"


def _days(runs: Sequence[Results]) -> str:
    days = sorted({f"{run.run.started:%Y-%m-%d}" for run in runs})
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"

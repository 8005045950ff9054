"""One verdict over several runs of the same classes: each run was a day of its own, and all of them must pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from acceptance.results.access_modes import access_mode_in
from acceptance.results.completeness import classes_under_test, missing
from acceptance.results.document import Overall, Results

_WORST_FIRST: tuple[Overall, ...] = ("fail", "inconclusive", "partial", "pass")
# Settings that say what was measured, not where results are written or how they are printed.
_COMPARED_SETTINGS = ("volume_size", "test_size", "volume_mode", "baseline_class")


@dataclass(frozen=True, kw_only=True)
class Together:
    """The verdict over several runs.

    `status` is None if the runs are of the same storage but not of the same question: `sentence` then says why.
    """

    status: Overall | None
    sentence: str


def together(runs: Sequence[Results]) -> Together | None:
    """Return the verdict over all runs; None if they are not runs of the same classes on the same cluster.

    Any fail is a fail, because with enough tries anything passes once. An inconclusive run leaves the verdict
    undecided.
    """
    places = {(tuple(sorted(classes_under_test(run))), run.cluster.identity if run.cluster else "") for run in runs}
    if len(runs) < 2 or len(places) > 1 or places & {((), "")} or not next(iter(places))[1]:
        return None
    if len({run.run.id for run in runs}) < len(runs):
        return Together(status=None, sentence="No verdict over all runs: one run is given twice.")
    if differs := list(_unlike(runs)):
        return Together(status=None, sentence=f"No verdict over all runs: the runs differ in {', '.join(differs)}.")
    counts = {status: sum(run.overall == status for run in runs) for status in _WORST_FIRST}
    status: Overall = next((worst_status for worst_status in _WORST_FIRST if counts[worst_status]), "pass")
    counts_in_words = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    classes, tier = ", ".join(classes_under_test(runs[0])), runs[0].settings.get("tier")
    sentence = f"{classes}, tier {tier}, {len(runs)} runs from {_days(runs)}: {counts_in_words}."
    part = sum(missing(run).in_part for run in runs)
    if status in ("pass", "partial") and part:
        sentence += f" In {part} of the runs the tier was judged in part only."
    if status not in ("pass", "partial"):
        sentence += " All runs must pass; none may be left out."
    return Together(status=status, sentence=sentence)


def _unlike(runs: Sequence[Results]) -> Iterator[str]:
    """Yield the parts of the question in which the runs differ."""
    digests = {run.tested_with.limits_digest if run.tested_with else "" for run in runs}
    if len({str(run.settings.get("tier")) for run in runs}) > 1:
        yield "the tier"
    if len(digests) > 1 or "" in digests:
        yield "the limits, or the limits of a run are not known"
    if len({run.run.suite_version for run in runs}) > 1:
        yield "the version of the suite"
    for name in _COMPARED_SETTINGS:
        if len({str(run.settings.get(name)) for run in runs}) > 1:
            yield f"the setting {name}"
    if len({access_mode_in(run.settings) for run in runs}) > 1:
        yield "the setting access_mode"


def _days(runs: Sequence[Results]) -> str:
    days = sorted({f"{run.run.started:%Y-%m-%d}" for run in runs})
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"

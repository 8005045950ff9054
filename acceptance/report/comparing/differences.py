"""What changed from one run to another, profile by profile and metric by metric. Pure: nothing is measured or drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from acceptance.report.comparing.between_runs import told_between_runs
from acceptance.report.comparing.facts import Facts, class_facts, run_facts, unlike
from acceptance.report.comparing.model import ClassDifferences, Difference, NamedRun, RunComparison
from acceptance.report.comparing.ratios import as_change, finding_of, multiple, quotient_where_known
from acceptance.results.completeness import measured_classes
from acceptance.results.document import Estimate, Measurement, Results, Verdict
from acceptance.results.history_file import History
from acceptance.results.metrics import Metric
from acceptance.results.verdicts import OF_ONE_VOLUME
from acceptance.text.errors import WrongUsage

# Percentiles are known to a bin of the histogram; fio's are 1/64 of the value wide (FIO_IO_U_PLAT_BITS in its stat.h).
# Batches that all fall into one bin have no spread, and yet two such values tell nothing smaller than a bin.
HISTOGRAM_BIN = 1 / 64


def compare_runs(
    first: NamedRun,
    second: NamedRun,
    *,
    history: History,
    classes: tuple[str, str] | None = None,
    absolute: bool = False,
) -> RunComparison:
    """What changed from the first run to the second one.

    Classes of one name belong together; so do the only classes of two runs, whatever they are called; `classes` names
    one of each run instead. `absolute` compares the values themselves even where both runs have a baseline.
    `history` tells what runs differ by when nothing has changed; without runs in it nothing is better or worse.
    Raises WrongUsage where no class of the one has a class of the other beside it.
    """
    ours, theirs = measured_classes(first.results), measured_classes(second.results)
    pairs = [classes] if classes else _pairs(ours, theirs)
    if not pairs or pairs[0][0] not in ours or pairs[0][1] not in theirs:
        raise WrongUsage(
            f"wanted classes to compare, found measurements of {_listed(ours)} in {first.name} and of "
            f"{_listed(theirs)} in {second.name}; name one of each with --classes FIRST SECOND"
        )
    found = [
        _class_differences(first.results, second.results, pair, history=history, absolute=absolute) for pair in pairs
    ]
    return RunComparison(
        first=first,
        second=second,
        unlike=unlike([_facts(each.results, found) for each in (first, second)]),
        classes=found,
        with_history=bool(history.runs),
        missing=[] if classes else [*_lone(ours, theirs, pairs, of=first), *_lone(theirs, ours, pairs, of=second)],
    )


def candidates(results: Results, storage_class: str) -> dict[str, Measurement]:
    """The measurements of a class under test, by profile."""
    return {
        measurement.profile: measurement
        for measurement in results.measurements
        if measurement.role == "candidate" and measurement.storage_class == storage_class
    }


def baseline_of(candidate: Measurement, results: Results) -> Measurement | None:
    """What was measured in turn with the candidate; None where nothing was."""
    return next(
        (measurement for measurement in results.measurements if measurement.id == candidate.compared_with), None
    )


def differences(first: Results, second: Results, pair: tuple[str, str], *, absolute: bool = False) -> list[Difference]:
    """Each metric of each profile that both classes have, profile by profile; not those whose ratio says nothing.

    Where both were measured in turn with a baseline of one name on the same nodes, their multiples of it are compared:
    what the machine did to all of one run then cancels out.
    """
    found = []
    theirs = candidates(second, pair[1])
    one_cluster = not absolute and _machines(first) == _machines(second)
    for profile, ours in sorted(candidates(first, pair[0]).items()):
        if profile not in theirs:
            continue
        baselines = (baseline_of(ours, first), baseline_of(theirs[profile], second))
        same = _same_baseline(*baselines) if one_cluster else None
        for metric in ours.metrics:
            if metric in theirs[profile].metrics and Metric.parse(metric).is_comparable:
                found.append(_difference(metric, ours, theirs[profile], same))
    return found


def _machines(results: Results) -> tuple[str, str | None, frozenset[str]] | None:
    """By what two runs are of one cluster, as far as results tell."""
    cluster = results.cluster
    return None if cluster is None else (cluster.kind, cluster.identity, frozenset(node.name for node in cluster.nodes))


def _same_baseline(first: Measurement | None, second: Measurement | None) -> tuple[Measurement, Measurement] | None:
    """Both baselines, where one can stand for the other: the same class on the same node."""
    if first is None or second is None:
        return None
    return (first, second) if (first.storage_class, first.node) == (second.storage_class, second.node) else None


def _difference(
    metric: str, first: Measurement, second: Measurement, baselines: tuple[Measurement, Measurement] | None
) -> Difference:
    ours, theirs = first.metrics[metric], second.metrics[metric]
    change = multiples = None
    if baselines is not None:
        before, after = multiple(first, baselines[0], metric), multiple(second, baselines[1], metric)
        if (change := quotient_where_known(after, before)) and before and after:
            multiples = (before.ratio, after.ratio)
    change = change or quotient_where_known(as_change(theirs), as_change(ours))
    if change and Metric.parse(metric).statistic == "percentile":
        change = change.widened(HISTOGRAM_BIN * (2 if multiples else 1))
    return Difference(
        profile=first.profile,
        metric=metric,
        first=ours,
        second=theirs,
        change=change,
        finding=finding_of(change, metric=metric),
        baseline=baselines[0].storage_class if baselines and multiples else None,
        multiples=multiples,
        why_not="" if change else _why_not(ours, theirs),
    )


def _why_not(*estimates: Estimate) -> str:
    if any(estimate.mean == 0.0 for estimate in estimates):
        return "one of them is zero"
    if any(estimate.low is None or estimate.high is None for estimate in estimates):
        return "one of them was measured too shortly for a confidence interval"
    return "their CIs cannot be compared"


def _class_differences(
    first: Results, second: Results, pair: tuple[str, str], *, history: History, absolute: bool
) -> ClassDifferences:
    ours, theirs = candidates(first, pair[0]), candidates(second, pair[1])
    return ClassDifferences(
        first_class=pair[0],
        second_class=pair[1],
        unlike=unlike([class_facts(first, pair[0]), class_facts(second, pair[1])]),
        differences=[
            told_between_runs(
                difference, (first, ours[difference.profile]), (second, theirs[difference.profile]), history
            )
            for difference in differences(first, second, pair, absolute=absolute)
        ],
        missing=[
            *(f"{profile}: only in the first" for profile in ours if profile not in theirs),
            *(f"{profile}: only in the second" for profile in theirs if profile not in ours),
        ],
        judged=_judged(first, second, pair),
    )


def _judged(first: Results, second: Results, pair: tuple[str, str]) -> list[tuple[Verdict, Verdict]]:
    """By what was asked, however strictly."""
    ours, theirs = (
        {
            verdict.requirement.question: verdict
            for verdict in results.verdicts
            if verdict.storage_class == storage_class
            and verdict.subject not in OF_ONE_VOLUME
            and verdict.measured is not None
            and verdict.unit is not None
        }
        for results, storage_class in zip((first, second), pair, strict=True)
    )
    return [(ours[question], theirs[question]) for question in ours if question in theirs]


def _facts(results: Results, found: Iterable[ClassDifferences]) -> Facts:
    profiles = dict.fromkeys(difference.profile for each in found for difference in each.differences)
    return run_facts(results, profiles=profiles)


def _pairs(first: Sequence[str], second: Sequence[str]) -> list[tuple[str, str]]:
    if common := [(name, name) for name in first if name in second]:
        return common
    return [(first[0], second[0])] if len(first) == len(second) == 1 else []


def _lone(names: Sequence[str], others: Sequence[str], pairs: Sequence[tuple[str, str]], *, of: NamedRun) -> list[str]:
    paired = {name for pair in pairs for name in pair}
    return [f"{name}: only in {of.name}" for name in names if name not in paired and name not in others]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "no class"

"""The changes from one run to another, profile by profile and metric by metric. Pure: nothing is measured or drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from acceptance.report.comparing.between_runs import with_between_run_noise
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
# Batches that all fall into one bin have no spread, and yet two such values show no change smaller than a bin.
HISTOGRAM_BIN = 1 / 64


def compare_runs(
    first: NamedRun,
    second: NamedRun,
    *,
    history: History,
    classes: tuple[str, str] | None = None,
    absolute: bool = False,
) -> RunComparison:
    """Return the changes from the first run to the second one.

    Classes of one name belong together; so do the only classes of two runs, whatever they are called; `classes` names
    one of each run instead. `absolute` compares the values themselves even if both runs have a baseline. `history`
    tells how much runs differ when nothing has changed; without runs in it nothing is better or worse.

    Raises:
        WrongUsage: No class of one run has a counterpart in the other.
    """
    first_classes, second_classes = measured_classes(first.results), measured_classes(second.results)
    pairs = [classes] if classes else _pairs(first_classes, second_classes)
    if not pairs or pairs[0][0] not in first_classes or pairs[0][1] not in second_classes:
        raise WrongUsage(
            f"expected classes to compare, found measurements of {_names_in_words(first_classes)} in {first.name} and "
            f"of {_names_in_words(second_classes)} in {second.name}; name one of each with --classes FIRST SECOND"
        )
    class_differences = [
        _class_differences(first.results, second.results, pair, history=history, absolute=absolute) for pair in pairs
    ]
    return RunComparison(
        first=first,
        second=second,
        unlike=unlike([_facts(run.results, class_differences) for run in (first, second)]),
        classes=class_differences,
        with_history=bool(history.runs),
        missing=[]
        if classes
        else [
            *_lone(first_classes, second_classes, pairs, of=first),
            *_lone(second_classes, first_classes, pairs, of=second),
        ],
    )


def candidates(results: Results, storage_class: str) -> dict[str, Measurement]:
    """Return the measurements of a class under test, by profile."""
    return {
        measurement.profile: measurement
        for measurement in results.measurements
        if measurement.role == "candidate" and measurement.storage_class == storage_class
    }


def baseline_of(candidate: Measurement, results: Results) -> Measurement | None:
    """Return the measurement that was made in turn with the candidate; None if there is none."""
    return next(
        (measurement for measurement in results.measurements if measurement.id == candidate.compared_with), None
    )


def differences(first: Results, second: Results, pair: tuple[str, str], *, absolute: bool = False) -> list[Difference]:
    """Return each metric of each profile that both classes have, profile by profile.

    Metrics whose ratio says nothing are left out. If both classes were measured in turn with a baseline of one name on
    the same nodes, their multiples of it are compared: whatever the machine did to all of one run then cancels out.
    """
    metric_differences = []
    second_by_profile = candidates(second, pair[1])
    one_cluster = not absolute and _machines(first) == _machines(second)
    for profile, measurement in sorted(candidates(first, pair[0]).items()):
        if profile not in second_by_profile:
            continue
        baselines = (baseline_of(measurement, first), baseline_of(second_by_profile[profile], second))
        same = _same_baseline(*baselines) if one_cluster else None
        for metric in measurement.metrics:
            if metric in second_by_profile[profile].metrics and Metric.parse(metric).is_comparable:
                metric_differences.append(_difference(metric, measurement, second_by_profile[profile], same))
    return metric_differences


def _machines(results: Results) -> tuple[str, str | None, frozenset[str]] | None:
    """Return what identifies the cluster of a run, as far as its results tell."""
    cluster = results.cluster
    return None if cluster is None else (cluster.kind, cluster.identity, frozenset(node.name for node in cluster.nodes))


def _same_baseline(first: Measurement | None, second: Measurement | None) -> tuple[Measurement, Measurement] | None:
    """Return both baselines if one can stand for the other: the same class on the same node."""
    if first is None or second is None:
        return None
    return (first, second) if (first.storage_class, first.node) == (second.storage_class, second.node) else None


def _difference(
    metric: str, first: Measurement, second: Measurement, baselines: tuple[Measurement, Measurement] | None
) -> Difference:
    first_estimate, second_estimate = first.metrics[metric], second.metrics[metric]
    change = multiples = None
    if baselines is not None:
        before, after = multiple(first, baselines[0], metric), multiple(second, baselines[1], metric)
        if (change := quotient_where_known(after, before)) and before and after:
            multiples = (before.ratio, after.ratio)
    change = change or quotient_where_known(as_change(second_estimate), as_change(first_estimate))
    if change and Metric.parse(metric).statistic == "percentile":
        change = change.widen(HISTOGRAM_BIN * (2 if multiples else 1))
    return Difference(
        profile=first.profile,
        metric=metric,
        first=first_estimate,
        second=second_estimate,
        change=change,
        finding=finding_of(change, metric=metric),
        baseline=baselines[0].storage_class if baselines and multiples else None,
        multiples=multiples,
        why_not="" if change else _why_not(first_estimate, second_estimate),
    )


def _why_not(*estimates: Estimate) -> str:
    if any(estimate.mean == 0.0 for estimate in estimates):
        return "one of the values is zero"
    if any(estimate.low is None or estimate.high is None for estimate in estimates):
        return "one of the loads was too short for a confidence interval"
    return "the CIs cannot be compared"


def _class_differences(
    first: Results, second: Results, pair: tuple[str, str], *, history: History, absolute: bool
) -> ClassDifferences:
    before, after = candidates(first, pair[0]), candidates(second, pair[1])
    return ClassDifferences(
        first_class=pair[0],
        second_class=pair[1],
        unlike=unlike([class_facts(first, pair[0]), class_facts(second, pair[1])]),
        differences=[
            with_between_run_noise(
                difference, (first, before[difference.profile]), (second, after[difference.profile]), history
            )
            for difference in differences(first, second, pair, absolute=absolute)
        ],
        missing=[
            *(f"{profile}: only in the first" for profile in before if profile not in after),
            *(f"{profile}: only in the second" for profile in after if profile not in before),
        ],
        verdict_pairs=_verdict_pairs(first, second, pair),
    )


def _verdict_pairs(first: Results, second: Results, pair: tuple[str, str]) -> list[tuple[Verdict, Verdict]]:
    """Return the verdicts of both runs on the same question, however strict the limit is."""
    before, after = (
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
    return [(before[question], after[question]) for question in before if question in after]


def _facts(results: Results, pairs: Iterable[ClassDifferences]) -> Facts:
    profiles = dict.fromkeys(difference.profile for pair in pairs for difference in pair.differences)
    return run_facts(results, profiles=profiles)


def _pairs(first: Sequence[str], second: Sequence[str]) -> list[tuple[str, str]]:
    if common := [(name, name) for name in first if name in second]:
        return common
    return [(first[0], second[0])] if len(first) == len(second) == 1 else []


def _lone(names: Sequence[str], peers: Sequence[str], pairs: Sequence[tuple[str, str]], *, of: NamedRun) -> list[str]:
    paired_names = {name for pair in pairs for name in pair}
    return [f"{name}: only in {of.name}" for name in names if name not in paired_names and name not in peers]


def _names_in_words(names: Sequence[str]) -> str:
    return ", ".join(names) or "no class"

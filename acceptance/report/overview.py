"""The first screen of the report: what was tested, what failed and why, and the status of each subject."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from statistics import median

from acceptance.loads.size_rule import SIZE_IN_SECONDS, small_file
from acceptance.report.lab import Lab, lab_of
from acceptance.report.labels import NO_LIMIT, is_without_limit, label_of, label_of_all, without_limit_in_words
from acceptance.report.records.imports import imported_failures
from acceptance.report.subjects import chapters_of
from acceptance.results.access_modes import DEFAULT_MODE, access_mode_in
from acceptance.results.completeness import Missing, classes_under_test, is_whole, missing, totals
from acceptance.results.conditions import Conditions
from acceptance.results.document import Measurement, Results, Status, Verdict
from acceptance.results.verdicts import ORDER, worst
from acceptance.text.quantities import counted, format_quantity

FIRST = 4
"""Number of verdicts on the first screen when many did not pass."""


@dataclass(frozen=True, kw_only=True)
class SubjectVerdicts:
    """The status of a subject.

    `verdicts` has the worst first; `status` is None if there is none yet.
    """

    subject: str
    title: str
    status: Status | None
    verdicts: list[Verdict]

    @property
    def label(self) -> str:
        """Return the status in words."""
        return label_of_all(self.verdicts)

    @property
    def in_part(self) -> bool:
        """Return whether all judged verdicts passed, and some were skipped."""
        return self.status == "pass" and any(verdict.status == "skipped" for verdict in self.verdicts)

    @property
    def counts_in_words(self) -> str:
        """Return `1 fail, 3 pass`; for a part, `12 of 39 pass, 27 skipped`."""
        counts = Counter(map(label_of, self.verdicts))
        passes = [f"{counts.pop('pass')} of {len(self.verdicts)} pass"] if self.in_part else []
        return ", ".join([*passes, *_counted(counts)])


@dataclass(frozen=True, kw_only=True)
class Overview:
    """The first screen.

    `sentence` counts the tests, `verdict` follows it; `facts` are names and values; `bad` are the verdicts that did not
    pass, each with its subject.
    """

    sentence: str
    verdict: str
    whole: bool
    judged_limits: str
    facts: list[tuple[str, str]]
    bad: list[tuple[Verdict, str]]
    missing: Missing
    subjects: list[SubjectVerdicts]
    lab: Lab | None
    import_failures: list[str]
    """Failures of tests that other tools ran; the verdict does not count them."""

    @property
    def first(self) -> list[tuple[Verdict, str]]:
        """Return the verdicts that are shown without a click: all, if only one more would be hidden."""
        return self.bad if len(self.bad) <= FIRST + 1 else self.bad[:FIRST]

    @property
    def further(self) -> list[tuple[Verdict, str]]:
        return self.bad[len(self.first) :]


def _counted(counts: Counter[str]) -> Iterator[str]:
    """Yield the number of verdicts of each label, the worst first."""
    for label in (*ORDER, NO_LIMIT):
        if counts[label]:
            yield f"{counts[label]} {'measured without a limit' if label == NO_LIMIT else label}"


def overview(results: Results) -> Overview:
    """Return the content of the first screen."""
    verdicts, chapters, left_out = _worst_first(results.verdicts), chapters_of(results), missing(results)
    return Overview(
        sentence=outcomes_in_words(results),
        verdict=verdict_sentence(results),
        whole=is_whole(results),
        judged_limits=_judged_limits(left_out),
        facts=list(_facts(results)),
        bad=[(verdict, chapters.of(verdict)) for verdict in verdicts if verdict.status in ("fail", "inconclusive")],
        missing=left_out,
        subjects=subjects(results),
        lab=lab_of(results),
        import_failures=imported_failures(results),
    )


def subjects(results: Results) -> list[SubjectVerdicts]:
    """Return all subjects that verdicts or figures are about, in the order of the report."""
    chapters = chapters_of(results)
    by_subject: dict[str, list[Verdict]] = {title: [] for title in chapters.titles}
    for verdict in results.verdicts:
        by_subject[chapters.of(verdict)].append(verdict)
    return [
        SubjectVerdicts(
            subject=subject, title=chapters.titles[subject], status=worst(verdicts), verdicts=_worst_first(verdicts)
        )
        for subject, verdicts in by_subject.items()
    ]


def outcomes_in_words(results: Results) -> str:
    """Return the number of tests by outcome, in a sentence.

    Such as `120 of 142 tests passed, none failed, 1 undecided, 21 skipped; 61 not selected.` A test with several
    verdicts has the worst of them.
    """
    verdicts_by_test: dict[str, list[Verdict]] = {}
    for verdict in results.verdicts:
        verdicts_by_test.setdefault(verdict.test or verdict.id, []).append(verdict)
    counts, run_totals = Counter(map(worst, verdicts_by_test.values())), totals(results)
    no_limit_count = sum(all(map(is_without_limit, verdicts)) for verdicts in verdicts_by_test.values())
    test_count = counts.total() + run_totals.not_reached
    parts = [f"{counts['pass']} of {test_count} tests passed", f"{counts['fail'] or 'none'} failed"]
    parts += [f"{counts['inconclusive']} undecided"] if counts["inconclusive"] else []
    remark = without_limit_in_words(no_limit_count, among=counts["skipped"])
    parts += [f"{counts['skipped']} skipped{remark}"] if counts["skipped"] else []
    parts += [f"{run_totals.not_reached} without a verdict"] if run_totals.not_reached else []
    not_selected = f"; {run_totals.not_selected} not selected" if run_totals.not_selected else ""
    return f"{', '.join(parts) if test_count else 'No test ran'}{not_selected}."


def verdict_sentence(results: Results) -> str:
    """Return the verdict in one sentence, with the reasons if there is none."""
    classes = ", ".join(dict.fromkeys(verdict.storage_class for verdict in results.verdicts))
    tier, counts, left_out = _tier(results), totals(results), missing(results)
    if results.overall in ("pass", "partial"):
        if results.overall == "partial" or left_out.in_part:
            passes = "the only judged test" if counts.passed == 1 else f"all {counts.passed} judged tests"
            return (
                f"{classes} passes {passes}, but tier {tier} was judged in part only: "
                f"{_judged_limits(left_out)}{_without(left_out)}."
            )
        if counts.passed == 1:
            return f"{classes} passes tier {tier}: the only judged test passes."
        return f"{classes} passes tier {tier}: all {counts.passed} judged tests pass."
    if results.overall == "fail":
        if counts.judged_count == 1:
            return f"{classes} fails tier {tier}: the only judged test fails."
        return f"{classes} fails tier {tier}: {_failures(results.verdicts)} fail."
    why = [f"{counts.inconclusive} inconclusive"] if counts.inconclusive else []
    why += [counted(len(results.errors), "error")] if results.errors else []
    why += ["the run is not complete"] if not is_whole(results) else []
    subject = f" on {classes}" if classes else ""
    return f"No verdict{subject} for tier {tier}: {', '.join(why) or 'nothing was judged'}."


def _failures(verdicts: Iterable[Verdict]) -> str:
    """Return `2 of 3 limits and rules`, `1 of 72 other tests`, or both: the parts with a fail."""
    judged_verdicts = [verdict for verdict in verdicts if verdict.status != "skipped"]
    with_limit = [verdict for verdict in judged_verdicts if verdict.metric is not None]
    others = [verdict for verdict in judged_verdicts if verdict.metric is None]
    parts = ((with_limit, "limits and rules"), (others, "other tests" if with_limit else "tests"))
    counts = [(sum(verdict.status == "fail" for verdict in part), len(part), name) for part, name in parts]
    return " and ".join(f"{fails} of {total} {name}" for fails, total, name in counts if fails)


def totals_in_words(results: Results) -> str:
    """Return the number of verdicts by status, and of the judged limits.

    Such as `12 passed, 1 failed, 0 inconclusive, 43 skipped, 61 not selected; 40 of 48 limits and rules judged`.
    """
    counts = totals(results)
    no_limit_count = sum(map(is_without_limit, results.verdicts))
    parts = [f"{getattr(counts, name)} {name}" for name in ("passed", "failed", "inconclusive", "skipped")]
    parts[-1] += without_limit_in_words(no_limit_count, among=counts.skipped)
    parts += [f"{counts.not_reached} not reached"] if counts.not_reached else []
    parts += [f"{counts.not_selected} not selected"] if counts.not_selected else []
    return f"{', '.join(parts)}; {_judged_limits(missing(results))} judged"


def _judged_limits(left_out: Missing) -> str:
    """Return `2 of 48 limits and rules`, of a tier."""
    text = f"{left_out.judged_count} of {left_out.applying} limits and rules"
    idle = len(left_out.not_applicable)
    return f"{text} ({idle} not applicable)" if idle else text


def _without(left_out: Missing) -> str:
    tests = ", ".join(left_out.required_tests)
    sustained = "; sustained speed not tested" if left_out.sustained else ""
    budget = f"; {counted(len(left_out.left_out), 'test')} left out for time" if left_out.left_out else ""
    required = f"; tests that it requires did not run or were skipped: {tests}" if tests else ""
    return sustained + budget + required


def _tier(results: Results) -> str:
    """Return the tier, and the file of its limits: any file may give any tier any name."""
    tier, conditions = str(results.settings.get("tier")), results.tested_with
    if conditions is None:
        return tier
    of = f" {_of_limits(conditions, results)}" if conditions.limits_digest else ""
    workloads = ", ".join(workload.name for workload in conditions.workloads)
    return f"{tier}{of}{f' for {workloads}' if workloads else ''}"


def _of_limits(conditions: Conditions, results: Results) -> str:
    """Return the origin of the limits: the shipped ones of a version, or a file with its digest."""
    if conditions.limits_shipped:
        return f"of the shipped limits {results.run.suite_version}"
    files, single_limits = results.settings.get("thresholds"), results.settings.get("limit")
    names = ", ".join(PurePath(str(file)).name for file in (files if isinstance(files, list) else [files]))
    if isinstance(single_limits, list) and single_limits:
        names += f" and {len(single_limits)} --storage-limit"
    return f"of {names} (not the shipped limits; sha256 {conditions.limits_digest[:12]})"


def _worst_first(verdicts: Iterable[Verdict]) -> list[Verdict]:
    return sorted(verdicts, key=lambda verdict: ORDER[verdict.status])


def _facts(results: Results) -> Iterator[tuple[str, str]]:
    cluster, settings = results.cluster, results.settings
    yield "Tier", _tier(results)
    if results.tested_with is not None and (preset := results.tested_with.preset) is not None:
        yield "Preset", f"{preset.name} (sha256 {preset.digest[:12]})"
    of_host = cluster is not None and cluster.kind == "host"
    yield "Directory" if of_host else "StorageClass", ", ".join(classes_under_test(results)) or "the default class"
    if settings.get("baseline_class"):
        yield "Compared with", str(settings["baseline_class"])
    if settings.get("compare_with"):
        yield "Shown next to", f"{settings['compare_with']}, which affects no verdict"
    if (mode := access_mode_in(settings)) != DEFAULT_MODE:
        baseline = f"; of {settings['baseline_class']}: {DEFAULT_MODE}" if settings.get("baseline_class") else ""
        yield "Access mode", f"{mode}{baseline}"
    if cluster is None:
        yield "Cluster", "not reached"
    elif of_host:
        yield "Cluster", f"none: host {', '.join(node.name for node in cluster.nodes)}"
    else:
        nodes = counted(len(cluster.nodes), "node")
        yield "Cluster", f"{cluster.kind}, Kubernetes {cluster.kubernetes_version}, {nodes}"
    date = f"{results.run.started:%Y-%m-%d %H:%M %Z}"
    if results.run.finished is not None:
        seconds = max(0, round((results.run.finished - results.run.started).total_seconds()))
        date += f", {seconds // 60} min {seconds % 60} s" if seconds >= 60 else f", {seconds} s"
    yield "Date", date
    yield from _loads(results)


def _loads(results: Results) -> Iterator[tuple[str, str]]:
    """Yield the length of loads, and the number that a cache may have helped: both qualify every figure below."""
    loads = [measurement for measurement in results.measurements if measurement.role == "candidate"]
    if not loads:
        return
    lengths = sorted(round(measurement.duration_s) for measurement in loads)
    edges = [format_quantity(length, unit="s") for length in dict.fromkeys((lengths[0], lengths[-1]))]
    middle = f" (median {format_quantity(round(median(lengths)), unit='s')})" if len(edges) > 1 else ""
    yield "Loads", f"{counted(len(loads), 'measurement')} of {' to '.join(edges)} each{middle}"
    from_cache = [_may_be_of_a_cache(measurement, results) for measurement in loads]
    if None not in from_cache:
        yield (
            "Caches",
            (
                f"may have helped {sum(map(bool, from_cache))} of {len(loads)} measurements: each of these loads reads "
                f"or writes its whole test file in less than {SIZE_IN_SECONDS} s; use a larger --storage-test-size"
                if any(from_cache)
                else f"no load reads or writes its whole test file in less than {SIZE_IN_SECONDS} s"
            ),
        )


def _may_be_of_a_cache(measurement: Measurement, results: Results) -> bool | None:
    """Return whether a cache may have served the load, by the size of its file; None if the size is not known."""
    size, conditions = results.settings.get("test_size"), results.tested_with
    texts = {PurePath(name).stem: text for name, text in conditions.profiles.items()} if conditions is not None else {}
    text = texts.get(measurement.profile)
    if text is None or not isinstance(size, int):
        return None
    rates = [measurement.metrics.get(f"{direction}.bandwidth") for direction in ("read", "write")]
    return small_file(text, test_size=size, bandwidth=max(rate.mean if rate else 0.0 for rate in rates)) is not None

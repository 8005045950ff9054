"""What is read first: what was tested, what failed and why, and how each subject ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from statistics import median

from acceptance.loads.size_rule import SIZE_IN_SECONDS, small_file
from acceptance.report.lab import Lab, lab_of
from acceptance.report.records.imports import imported_failures
from acceptance.report.subjects import chapters_of
from acceptance.results.completeness import Missing, classes_under_test, is_whole, missing, totals
from acceptance.results.conditions import Conditions
from acceptance.results.document import Measurement, Results, Status, Verdict
from acceptance.results.verdicts import ORDER, worst
from acceptance.text.quantities import format_quantity

LABELS: dict[Status, str] = {"skipped": "not judged"}
"""Statuses that are shown under another name"""
FIRST = 4
"""Verdicts that are told on the first screen when many did not pass."""


@dataclass(frozen=True, kw_only=True)
class SubjectVerdicts:
    """How a subject ended. `verdicts` has the worst first; `status` is None where there is none yet."""

    subject: str
    title: str
    status: Status | None
    verdicts: list[Verdict]

    @property
    def in_part(self) -> bool:
        """Whether what was judged passed, and something was not judged."""
        return self.status == "pass" and any(verdict.status == "skipped" for verdict in self.verdicts)

    @property
    def counted(self) -> str:
        """`1 fail, 3 pass`; of a part, `12 of 39 pass, 27 not judged`"""
        counts = {status: sum(verdict.status == status for verdict in self.verdicts) for status in ORDER}
        if self.in_part:
            return f"{counts['pass']} of {len(self.verdicts)} pass, {counts['skipped']} not judged"
        return ", ".join(f"{count} {LABELS.get(status, status)}" for status, count in counts.items() if count)


@dataclass(frozen=True, kw_only=True)
class Overview:
    """The first screen. `facts` are names and values; `bad` is what did not pass, with the subject it belongs to."""

    sentence: str
    whole: bool
    totals: str
    facts: list[tuple[str, str]]
    bad: list[tuple[Verdict, str]]
    missing: Missing
    subjects: list[SubjectVerdicts]
    lab: Lab | None
    imported: list[str]
    """what failed where other tools ran it, which the verdict may not count"""

    @property
    def first(self) -> list[tuple[Verdict, str]]:
        """Those that are told at once: all, if that is but one more."""
        return self.bad if len(self.bad) <= FIRST + 1 else self.bad[:FIRST]

    @property
    def further(self) -> list[tuple[Verdict, str]]:
        return self.bad[len(self.first) :]


def overview(results: Results) -> Overview:
    """What the first screen says of the results."""
    verdicts, chapters = _worst_first(results.verdicts), chapters_of(results)
    return Overview(
        sentence=verdict_sentence(results),
        whole=is_whole(results),
        totals=totals_in_words(results),
        facts=list(_facts(results)),
        bad=[(verdict, chapters.of(verdict)) for verdict in verdicts if verdict.status in ("fail", "inconclusive")],
        missing=missing(results),
        subjects=subjects(results),
        lab=lab_of(results),
        imported=imported_failures(results),
    )


def subjects(results: Results) -> list[SubjectVerdicts]:
    """All subjects that verdicts or figures are about, in the order of the report."""
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


def verdict_sentence(results: Results) -> str:
    """The verdict in one sentence, with what stands in its way."""
    classes = ", ".join(dict.fromkeys(verdict.storage_class for verdict in results.verdicts))
    tier, counted, left_out = _tier(results), totals(results), missing(results)
    if results.overall in ("pass", "partial"):
        if results.overall == "partial" or left_out.in_part:
            some = "the only verdict that was" if counted.passed == 1 else f"all {counted.passed} verdicts that were"
            return (
                f"{classes} passes {some} reached, but tier {tier} was judged in part only: "
                f"{_judged(left_out)}{_without(left_out)}."
            )
        if counted.passed == 1:
            return f"{classes} passes tier {tier}: the only verdict is a pass."
        return f"{classes} passes tier {tier}: all {counted.passed} verdicts pass."
    if results.overall == "fail":
        if counted.judged == 1:
            return f"{classes} fails tier {tier}: the only verdict is a fail."
        return f"{classes} fails tier {tier}: {counted.failed} of {counted.judged} verdicts fail."
    why = [f"{counted.inconclusive} inconclusive"] if counted.inconclusive else []
    why += [f"{len(results.errors)} error{'s' * (len(results.errors) > 1)}"] if results.errors else []
    why += ["the run is not complete"] if not is_whole(results) else []
    subject = f" on {classes}" if classes else ""
    return f"No verdict{subject} for tier {tier}: {', '.join(why) or 'nothing was judged'}."


def totals_in_words(results: Results) -> str:
    """`12 passed, 1 failed, 0 inconclusive, 43 skipped, 61 not selected; 40 of its 48 limits and rules judged`"""
    counted = totals(results)
    told = [f"{getattr(counted, name)} {name}" for name in ("passed", "failed", "inconclusive", "skipped")]
    told += [f"{counted.not_reached} not reached"] if counted.not_reached else []
    told += [f"{counted.not_selected} not selected"] if counted.not_selected else []
    return f"{', '.join(told)}; {_judged(missing(results))} judged"


def _judged(left_out: Missing) -> str:
    """`2 of its 48 limits and rules`, of a tier"""
    told = f"{left_out.judged} of its {left_out.applying} limits and rules"
    idle = len(left_out.not_applicable)
    return f"{told} ({idle} not applicable)" if idle else told


def _without(left_out: Missing) -> str:
    required = ", ".join(left_out.required)
    return f"; tests that it requires did not run or were skipped: {required}" if required else ""


def _tier(results: Results) -> str:
    """The tier, and of which limits: any file may call any tier by any name."""
    tier, known = str(results.settings.get("tier")), results.tested_with
    if known is None:
        return tier
    of = f" {_of_limits(known, results)}" if known.limits_digest else ""
    workloads = ", ".join(workload.name for workload in known.workloads)
    return f"{tier}{of}{f' for {workloads}' if workloads else ''}"


def _of_limits(known: Conditions, results: Results) -> str:
    """Which limits they are: the shipped ones of a version, or a file that is told from others by its digest."""
    if known.limits_shipped:
        return f"of the shipped limits {results.run.suite_version}"
    files, asked = results.settings.get("thresholds"), results.settings.get("limit")
    names = ", ".join(PurePath(str(file)).name for file in (files if isinstance(files, list) else [files]))
    if isinstance(asked, list) and asked:
        names += f" and {len(asked)} --storage-limit"
    return f"of {names} (not the shipped limits; sha256 {known.limits_digest[:12]})"


def _worst_first(verdicts: Iterable[Verdict]) -> list[Verdict]:
    return sorted(verdicts, key=lambda verdict: ORDER[verdict.status])


def _facts(results: Results) -> Iterator[tuple[str, str]]:
    cluster, settings = results.cluster, results.settings
    yield "Tier", _tier(results)
    of_host = cluster is not None and cluster.kind == "host"
    yield "Directory" if of_host else "StorageClass", ", ".join(classes_under_test(results)) or "the default class"
    if settings.get("baseline_class"):
        yield "Compared with", str(settings["baseline_class"])
    if settings.get("compare_with"):
        yield "Shown beside", f"{settings['compare_with']}, not judged by it"
    if cluster is None:
        yield "Cluster", "not reached"
    elif of_host:
        yield "Cluster", f"none: host {', '.join(node.name for node in cluster.nodes)}"
    else:
        nodes = f"{len(cluster.nodes)} node{'s' * (len(cluster.nodes) != 1)}"
        yield "Cluster", f"{cluster.kind}, Kubernetes {cluster.kubernetes_version}, {nodes}"
    date = f"{results.run.started:%Y-%m-%d %H:%M %Z}"
    if results.run.finished is not None:
        lasted = max(0, round((results.run.finished - results.run.started).total_seconds()))
        date += f", {lasted // 60} min {lasted % 60} s" if lasted >= 60 else f", {lasted} s"
    yield "Date", date
    yield from _loads(results)


def _loads(results: Results) -> Iterator[tuple[str, str]]:
    """How long loads were, and how many of them a cache may have helped: what every figure below is to be read with."""
    measured = [measurement for measurement in results.measurements if measurement.role == "candidate"]
    if not measured:
        return
    lengths = sorted(round(each.duration_s) for each in measured)
    told = [format_quantity(each, unit="s") for each in dict.fromkeys((lengths[0], lengths[-1]))]
    half = round(median(lengths))
    middle = f", half of them at least {format_quantity(half, unit='s')}" if half > lengths[0] else ""
    yield "Loads", f"{len(measured)} measurement{'s' * (len(measured) != 1)} of {' to '.join(told)} each{middle}"
    helped = [_may_be_of_a_cache(each, results) for each in measured]
    if None not in helped:
        yield (
            "Caches",
            (
                f"may have helped {sum(map(bool, helped))} of {len(measured)} measurements: the file loaded holds less "
                f"than {SIZE_IN_SECONDS} s of what was read or written; larger with --storage-test-size"
                if any(helped)
                else f"no file loaded held less than {SIZE_IN_SECONDS} s of what was read or written"
            ),
        )


def _may_be_of_a_cache(measurement: Measurement, results: Results) -> bool | None:
    """By the size of its file; None where the results do not tell of it."""
    size, known = results.settings.get("test_size"), results.tested_with
    texts = {PurePath(name).stem: text for name, text in known.profiles.items()} if known is not None else {}
    text = texts.get(measurement.profile)
    if text is None or not isinstance(size, int):
        return None
    rates = [measurement.metrics.get(f"{each}.bandwidth") for each in ("read", "write")]
    return small_file(text, test_size=size, bandwidth=max(rate.mean if rate else 0.0 for rate in rates)) is not None

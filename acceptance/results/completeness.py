"""Which classes a run is about, and whether it did all it was asked: tests that were selected, limits of the tier."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from acceptance.results.conditions import worded
from acceptance.results.document import Overall, Results, Verdict
from acceptance.results.verdicts import PARTIAL_STATUS, overall


@dataclass(frozen=True, kw_only=True)
class Missing:
    """What a run left out. `tests`: selected and without a verdict, of `selected` in all.

    `limits`: limits of the tier that apply and were not judged; `not_applicable`: those that do not apply, of `asked`
    in all; `judged`: how many were. `required`: tests that the tier requires, and that did not pass on every class.
    """

    tests: list[str]
    selected: int
    limits: list[str]
    not_applicable: list[str]
    asked: int
    judged: int
    required: list[str]

    @property
    def applying(self) -> int:
        """How many limits of the tier apply."""
        return self.asked - len(self.not_applicable)

    @property
    def in_part(self) -> bool:
        """Whether the tier was judged in part: a limit that applies was not judged, or a required test not passed."""
        return self.judged < self.applying or bool(self.required)


def missing(results: Results, *, storage_class: str | None = None) -> Missing:
    """What a run that judges the whole tier would have said and this one does not.

    `storage_class`: of this class alone; None: of all. Results of older suites name neither the selected tests nor the
    limits: then these lists are empty, and the verdicts on a metric are counted.
    """
    reached = {verdict.test for verdict in results.verdicts}
    all_classes = classes_under_test(results)
    classes = all_classes if storage_class is None else [storage_class]
    limits = results.tested_with.limits if results.tested_with else []
    judged = {key for verdict in results.verdicts if verdict.status != "skipped" for key in _questions(verdict)}
    idle = {key for verdict in results.verdicts if not verdict.applies for key in _questions(verdict)} - judged
    left: list[str] = []
    not_applicable: list[str] = []
    for name in classes or [""]:
        for limit in limits:
            question = (name, *limit.question)
            if question not in judged:
                told = f"{limit.profile}: {limit.limit}" + (f", on {name}" if len(classes) > 1 else "")
                (not_applicable if question in idle else left).append(told)
    # Without the limits by name, of one class a share.
    asked = len(limits) * len(classes or [""]) or results.tier_limits * len(classes or [""]) // len(all_classes or [""])
    counted = sum(
        verdict.metric is not None and verdict.status != "skipped" and verdict.storage_class in classes
        for verdict in results.verdicts
    )
    return Missing(
        tests=[test for test in results.run.tests if test not in reached],
        selected=len(results.run.tests),
        limits=left,
        not_applicable=not_applicable,
        asked=asked,
        judged=asked - len(left) - len(not_applicable) if limits else min(counted, asked),
        required=_not_passed(results, classes or [""]),
    )


def _questions(verdict: Verdict) -> Iterator[tuple[object, ...]]:
    """The class, and what a verdict is on, as limits of the tier have it: as data, and as older suites wrote it."""
    for question in (verdict.requirement.question, worded(verdict.profile, verdict.limit)):
        yield verdict.storage_class, *question


def overall_of(results: Results) -> Overall:
    """What the results say of the storage: a run that broke off, or left objects behind, passes nothing.

    Results of older suites do not distinguish a tier that was judged in part.
    """
    in_part = results.tier_limits_judged is not None and missing(results).in_part
    judged = overall(results.verdicts, in_part=in_part)
    asked = results.settings.get("partial")
    expected = next((status for name, status in PARTIAL_STATUS.items() if name == asked), PARTIAL_STATUS["partial"])
    troubled = bool(results.errors) or results.run.exit_status != (expected if judged == "partial" else 0)
    return "inconclusive" if judged in ("pass", "partial") and troubled else judged


def _not_passed(results: Results, classes: list[str]) -> list[str]:
    passed = {
        (verdict.storage_class, verdict.test.partition("[")[0])
        for verdict in results.verdicts
        if verdict.status == "pass"
    }

    def has_passed(required: str, name: str) -> bool:
        return any(of == name and (test == required or test.startswith(f"{required}::")) for of, test in passed)

    return [
        required + (f", on {name}" if len(classes) > 1 else "")
        for name in classes
        for required in (results.tested_with.required if results.tested_with else [])
        if not has_passed(required, name)
    ]


@dataclass(frozen=True, kw_only=True)
class Totals:
    """How many verdicts have each status, and how many tests have none.

    `not_reached`: selected tests without a verdict; `not_selected`: None in results of older suites.
    """

    passed: int
    failed: int
    inconclusive: int
    skipped: int
    not_reached: int
    not_selected: int | None

    @property
    def judged(self) -> int:
        """How many verdicts say something of the storage."""
        return self.passed + self.failed + self.inconclusive


def totals(results: Results) -> Totals:
    """Count the verdicts by status, and the tests that have none."""
    counted = Counter(verdict.status for verdict in results.verdicts)
    return Totals(
        passed=counted["pass"],
        failed=counted["fail"],
        inconclusive=counted["inconclusive"],
        skipped=counted["skipped"],
        not_reached=len(missing(results).tests),
        not_selected=results.run.deselected,
    )


def is_whole(results: Results) -> bool:
    """Whether the run came to its end and reached a verdict in all tests that were selected.

    Older suites wrote `complete` as soon as there was an exit status, and an interrupted run has one too.
    """
    return results.run.complete and not missing(results).tests


def classes_under_test(results: Results) -> list[str]:
    """All that were asked for or found, as far as they are known: none where the cluster's default class was asked for
    and never found."""
    asked = results.settings.get("storage_class")
    judged = [verdict.storage_class for verdict in results.verdicts]
    return list(dict.fromkeys([*(map(str, asked) if isinstance(asked, list) else ()), *judged, *_measured(results)]))


def measured_classes(results: Results) -> list[str]:
    """Those of them that something was measured on, in the order of their measurement."""
    return list(dict.fromkeys(_measured(results)))


def _measured(results: Results) -> list[str]:
    return [measurement.storage_class for measurement in results.measurements if measurement.role == "candidate"]

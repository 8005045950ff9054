"""The classes that a run is about, and the completeness of the run: selected tests and limits of the tier."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from acceptance.results.conditions import TierLimit, question_in_words
from acceptance.results.document import Overall, Results, Verdict
from acceptance.results.verdicts import PARTIAL_STATUS, end_of_partial, overall


@dataclass(frozen=True, kw_only=True)
class Missing:
    """The parts that a run left out. `tests`: selected tests without a verdict, of `selected_count` in all.

    `left_out`: selected tests for which the time budget had no room.

    `limits`: limits of the tier that apply and were not judged; `not_applicable`: those that do not apply, of
    `limit_count` in all; `judged_count`: the number of judged limits. `required_tests`: tests that the tier requires,
    and that did not pass on every class. `sustained`: whether a limit on sustained speed applies, and was not judged.
    """

    tests: list[str]
    selected_count: int
    limits: list[str]
    not_applicable: list[str]
    limit_count: int
    judged_count: int
    required_tests: list[str]
    sustained: bool = False
    left_out: tuple[str, ...] = ()

    @property
    def applying(self) -> int:
        """The number of limits of the tier that apply."""
        return self.limit_count - len(self.not_applicable)

    @property
    def in_part(self) -> bool:
        """True if the tier was judged in part.

        Then a limit that applies was not judged, a required test did not pass, or the time budget left out a test.
        """
        return self.judged_count < self.applying or bool(self.required_tests) or bool(self.left_out)


def missing(results: Results, *, storage_class: str | None = None) -> Missing:
    """Return the tests and limits of the tier on which this run has no verdict.

    `storage_class`: for this class alone; None: for all. Results of older suites name neither the selected tests nor
    the limits: then these lists are empty, and the verdicts on a metric are counted.
    """
    reached_tests = {verdict.test for verdict in results.verdicts}
    all_classes = classes_under_test(results)
    classes = all_classes if storage_class is None else [storage_class]
    limits = results.tested_with.limits if results.tested_with else []
    judged_keys = {key for verdict in results.verdicts if verdict.status != "skipped" for key in _questions(verdict)}
    idle = {key for verdict in results.verdicts if not verdict.applies for key in _questions(verdict)} - judged_keys
    open_limits: list[str] = []
    not_applicable: list[str] = []
    sustained = False
    for name in classes or [""]:
        for limit in limits:
            question = (name, *limit.question)
            if question not in judged_keys:
                label = f"{limit.profile}: {limit.limit}" + (f", on {name}" if len(classes) > 1 else "")
                (not_applicable if question in idle else open_limits).append(label)
                sustained |= question not in idle and _is_sustained(limit)
    # If the limits are not known by name, one class has its share of their number.
    limit_count = len(limits) * len(classes or [""]) or results.tier_limits * len(classes or [""]) // len(
        all_classes or [""]
    )
    judgments = sum(
        verdict.metric is not None and verdict.status != "skipped" and verdict.storage_class in classes
        for verdict in results.verdicts
    )
    return Missing(
        tests=[test for test in results.run.tests if test not in reached_tests],
        selected_count=len(results.run.tests),
        limits=open_limits,
        not_applicable=not_applicable,
        limit_count=limit_count,
        judged_count=limit_count - len(open_limits) - len(not_applicable) if limits else min(judgments, limit_count),
        required_tests=_missing_passes(results, classes or [""]),
        sustained=sustained,
        left_out=tuple(results.run.left_out),
    )


def _is_sustained(limit: TierLimit) -> bool:
    """Return whether a limit is on the speed at the end of a long load."""
    return limit.requirement is not None and limit.requirement.rule.endswith("_sustained")


def _questions(verdict: Verdict) -> Iterator[tuple[object, ...]]:
    """Yield the class and the question of a verdict, as data and as older suites wrote it in words."""
    for question in (verdict.requirement.question, question_in_words(verdict.profile, verdict.limit)):
        yield verdict.storage_class, *question


def overall_of(results: Results) -> Overall:
    """Return the overall result: a run that broke off, or left objects behind, does not pass.

    Results of older suites do not distinguish a tier that was judged in part.
    """
    in_part = results.tier_limits_judged is not None and missing(results).in_part
    outcome = overall(results.verdicts, in_part=in_part)
    settings = (name for name in PARTIAL_STATUS if name == results.settings.get("partial"))
    expected = PARTIAL_STATUS[end_of_partial(next(settings, "partial"), left_out=results.run.left_out)]
    has_problems = bool(results.errors) or results.run.exit_status != (expected if outcome == "partial" else 0)
    return "inconclusive" if outcome in ("pass", "partial") and has_problems else outcome


def _missing_passes(results: Results, classes: list[str]) -> list[str]:
    passes = {
        (verdict.storage_class, verdict.test.partition("[")[0])
        for verdict in results.verdicts
        if verdict.status == "pass"
    }

    def has_pass(required_test: str, name: str) -> bool:
        return any(
            of == name and (test == required_test or test.startswith(f"{required_test}::")) for of, test in passes
        )

    return [
        required_test + (f", on {name}" if len(classes) > 1 else "")
        for name in classes
        for required_test in (results.tested_with.required if results.tested_with else [])
        if not has_pass(required_test, name)
    ]


@dataclass(frozen=True, kw_only=True)
class Totals:
    """The number of verdicts of each status, and the number of tests without a verdict.

    `not_reached`: the number of selected tests without a verdict; `not_selected`: None in results of older suites.
    """

    passed: int
    failed: int
    inconclusive: int
    skipped: int
    not_reached: int
    not_selected: int | None

    @property
    def judged_count(self) -> int:
        """The number of verdicts that pass, fail or are inconclusive."""
        return self.passed + self.failed + self.inconclusive


def totals(results: Results) -> Totals:
    """Count the verdicts by status, and the tests without a verdict."""
    counts = Counter(verdict.status for verdict in results.verdicts)
    return Totals(
        passed=counts["pass"],
        failed=counts["fail"],
        inconclusive=counts["inconclusive"],
        skipped=counts["skipped"],
        not_reached=len(missing(results).tests),
        not_selected=results.run.deselected,
    )


def is_whole(results: Results) -> bool:
    """Return whether the run came to its end and reached a verdict in all selected tests.

    Older suites wrote `complete` as soon as there was an exit status, and an interrupted run has one too.
    """
    return results.run.complete and not missing(results).tests


def classes_under_test(results: Results) -> list[str]:
    """Return all classes that were requested or tested, as far as they are known.

    The list is empty if the cluster's default class was requested and never found.
    """
    setting = results.settings.get("storage_class")
    classes = [verdict.storage_class for verdict in results.verdicts]
    return list(
        dict.fromkeys([*(map(str, setting) if isinstance(setting, list) else ()), *classes, *_candidates(results)])
    )


def measured_classes(results: Results) -> list[str]:
    """Return the candidate classes with measurements, in the order of their measurement."""
    return list(dict.fromkeys(_candidates(results)))


def _candidates(results: Results) -> list[str]:
    return [measurement.storage_class for measurement in results.measurements if measurement.role == "candidate"]

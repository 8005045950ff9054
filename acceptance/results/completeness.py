"""Which classes a run is about, and whether it did all it was asked: tests that were selected, limits of the tier."""

from __future__ import annotations

from dataclasses import dataclass

from acceptance.results.document import Results


@dataclass(frozen=True, kw_only=True)
class Missing:
    """`tests`: selected and without a verdict, of `selected` in all. `limits`: of the tier, and not judged.
    `required`: tests that the tier requires, and that did not pass on every class."""

    tests: list[str]
    selected: int
    limits: list[str]
    asked: int
    required: list[str]


def missing(results: Results) -> Missing:
    """What a whole run of the tier would have said and this one does not; all empty where all was judged.

    Results of older suites do not tell what was selected, nor the limits by name: then nothing is named.
    """
    reached = {each.test for each in results.verdicts}
    judged = {(each.storage_class, each.profile, each.limit) for each in results.verdicts if each.status != "skipped"}
    classes = classes_under_test(results)
    limits = results.tested_with.limits if results.tested_with else []
    return Missing(
        tests=[each for each in results.run.tests if each not in reached],
        selected=len(results.run.tests),
        limits=[
            f"{each.profile}: {each.limit}" + (f", on {name}" if len(classes) > 1 else "")
            for name in classes or [""]
            for each in limits
            if (name, each.profile, each.limit) not in judged
        ],
        asked=results.tier_limits,
        required=_not_passed(results, classes or [""]),
    )


def _not_passed(results: Results, classes: list[str]) -> list[str]:
    passed = {(each.storage_class, each.test.partition("[")[0]) for each in results.verdicts if each.status == "pass"}

    def has_passed(required: str, name: str) -> bool:
        return any(of == name and (test == required or test.startswith(f"{required}::")) for of, test in passed)

    return [
        required + (f", on {name}" if len(classes) > 1 else "")
        for name in classes
        for required in (results.tested_with.required if results.tested_with else [])
        if not has_passed(required, name)
    ]


def is_whole(results: Results) -> bool:
    """Whether the run came to its end and reached all tests that were selected.

    `run.complete` alone says only that it has an exit status, and one that was interrupted has that too.
    """
    return results.run.complete and not missing(results).tests


def classes_under_test(results: Results) -> list[str]:
    """All that were asked for or found, as far as they are known: none where the cluster's default class was asked for
    and never found."""
    asked = results.settings.get("storage_class")
    judged = [each.storage_class for each in results.verdicts]
    return list(dict.fromkeys([*(map(str, asked) if isinstance(asked, list) else ()), *judged, *_measured(results)]))


def measured_classes(results: Results) -> list[str]:
    """Those of them that something was measured on, in the order of their measurement."""
    return list(dict.fromkeys(_measured(results)))


def _measured(results: Results) -> list[str]:
    return [each.storage_class for each in results.measurements if each.role == "candidate"]

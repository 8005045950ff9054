"""Skipped tests take one line of the terminal for each reason."""

from __future__ import annotations

from acceptance.judging.outcome import plain_outcome, without_figures, without_limit
from acceptance.report.skipped import skipped_lines
from acceptance.results.document import Status, Verdict


def verdict(status: Status, reason: str) -> Verdict:
    return without_figures("a/b", storage_class="fast", status=status, finding=plain_outcome(reason), limit="it holds")


def test_the_most_frequent_reasons_are_counted() -> None:
    reasons = ["no cluster"] * 7 + ["no baseline"] * 4 + ["destructive"] * 5 + ["no import"] * 3 + ["no history"] * 2
    found = [verdict("pass", "held"), *(verdict("skipped", reason) for reason in [*reasons, "no workload"])]
    assert skipped_lines(found, all_shown_by="-rs") == [
        "22 tests, by reason (-rs lists each test):",
        "7: no cluster",
        "5: destructive",
        "4: no baseline",
        "3: no import",
        "2: no history",
        "1: other reasons",
    ]


def test_values_without_a_limit_are_one_reason() -> None:
    found = [
        without_limit(f"fast/{name}/none/none", storage_class="fast", profile=name, finding=plain_outcome(name))
        for name in ("a", "b")
    ]
    assert skipped_lines(found, all_shown_by="-rs")[1:] == ["2: measured, no limit"]


def test_there_is_no_line_about_nothing() -> None:
    assert skipped_lines([verdict("pass", "held"), verdict("fail", "slow")], all_shown_by="-rs") == []

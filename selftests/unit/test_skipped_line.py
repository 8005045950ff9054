"""Skipped tests take one line of the terminal, by reason."""

from __future__ import annotations

from acceptance.judging.outcome import plain_outcome, without_figures
from acceptance.report.skipped import skipped_line
from acceptance.results.document import Status, Verdict


def verdict(status: Status, reason: str) -> Verdict:
    return without_figures("a/b", storage_class="fast", status=status, finding=plain_outcome(reason), limit="it holds")


def test_the_most_frequent_reasons_are_counted() -> None:
    reasons = ["no cluster"] * 5 + ["no baseline"] * 2 + ["destructive"] * 3 + ["nothing imported", "no history"]
    found = [verdict("pass", "held"), *(verdict("skipped", reason) for reason in reasons)]
    line = skipped_line(found, all_shown_by="-rs")
    assert line == "12 tests (-rs shows each). 5: no cluster; 3: destructive; 2: no baseline; 2 more reasons"


def test_there_is_no_line_about_nothing() -> None:
    assert skipped_line([verdict("pass", "held"), verdict("fail", "slow")], all_shown_by="-rs") is None

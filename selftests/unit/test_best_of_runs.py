"""Who of several runs is called best: only whom all others are known to be worse than, or nobody is better than."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from acceptance.report.comparing.model import Difference, Finding
from acceptance.report.comparing.ranking import best_marks
from selftests.unit.compared_runs import estimate


@pytest.mark.parametrize(
    ("findings", "marks"),
    [
        # From the first to the second, from the first to the third, from the second to the third.
        (("worse", "worse", "within noise"), ["best", "", ""]),
        (("worse", "within noise", "within noise"), ["among the best", "", "among the best"]),
        (("worse", "within noise", "worse"), ["among the best", "", ""]),
        (("worse", "not known", "worse"), ["", "", ""]),
        (("worse", None, "worse"), ["", "", ""]),
    ],
)
def test_best_is_who_is_known_to_be_better_than_each_of_the_others(
    findings: Sequence[Finding | None], marks: list[str]
) -> None:
    pairs = {
        pair: None
        if finding is None
        else Difference(profile="p", metric="m", first=one, second=one, change=None, finding=finding)
        for one in [estimate(9.0)]
        for pair, finding in zip(((0, 1), (0, 2), (1, 2)), findings, strict=True)
    }
    assert best_marks([True] * 3, pairs) == marks

"""The time budget of a run: which tests it has room for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from acceptance.planning.records import Plan, PlannedStep
from acceptance.planning.rough_time import rough_time


class Budget:
    """The time budget of a run, and the steps that are done. Steps that several tests share are done once.

    `close_s`: the planned time after the last test.
    """

    def __init__(self, plan: Plan, *, budget_s: float, close_s: float) -> None:
        self.budget_s = budget_s
        self._close_s = close_s
        self._done: set[int] = set()
        self._steps_by_test: defaultdict[str, list[int]] = defaultdict(list)
        self._about_s = [step.about_s for step in plan.steps]
        for number, step in enumerate(plan.steps):
            for test in step.required_by:
                self._steps_by_test[test] += _with_others(plan, number, step)

    def seconds(self, test: str) -> float:
        """Return the planned time of the steps that the test requires and that are not done yet."""
        return sum(self._about_s[number] for number in set(self._steps_by_test.get(test, ())) - self._done)

    def has_room(self, test: str, *, elapsed_s: float, ratio: float = 1.0) -> bool:
        """Return whether the test would end within the budget; one whose steps are all done takes no time.

        `ratio`: of actual times to planned ones.
        """
        about_s = self.seconds(test)
        if not about_s and test in self._steps_by_test:
            return True
        return elapsed_s + ratio * (about_s + self._close_s) <= self.budget_s

    def begin(self, test: str) -> None:
        """Count the steps of the test as done."""
        self._done |= set(self._steps_by_test.get(test, ()))

    @property
    def reason(self) -> str:
        """The reason to leave out a test."""
        return f"left out: the time budget of {budget_in_words(self.budget_s)} has no room for it"


def _with_others(plan: Plan, number: int, step: PlannedStep) -> list[int]:
    """Return the numbers of the step and of all steps that are done together with it."""
    others = (place for place, other in enumerate(plan.steps) if step.together and other.together == step.together)
    return [number, *others]


def beyond_budget(plan: Plan, tests: Iterable[str], *, budget_s: float, open_s: float, close_s: float) -> Iterator[str]:
    """Yield the tests that a run would leave out if all steps took their planned time; the first have priority."""
    budget = Budget(plan, budget_s=budget_s, close_s=close_s)
    elapsed_s = open_s
    for test in tests:
        if budget.has_room(test, elapsed_s=elapsed_s):
            elapsed_s += budget.seconds(test)
            budget.begin(test)
        else:
            yield test


def budget_in_words(budget_s: float) -> str:
    """Return the budget: `30 min`."""
    return rough_time(budget_s).removeprefix("about ")

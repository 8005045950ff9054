"""The requirement and the outcome of a verdict, as data. `acceptance.wording` renders both as sentences."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from acceptance.results.model import Frozen, Unit

Operator = Literal["at_least", "at_most"]
FigureUnit = Unit | Literal["ratio", "B", "pods", "count"]
"""Units of the values that are compared with limits."""
Decision = Literal["pass", "fail", "inconclusive"]
LIES: dict[Decision, str] = {"pass": "within", "fail": "outside", "inconclusive": "on_both_sides"}
"""The position of a value relative to its limit: the last part of codes such as `limit.within`."""


class Requirement(Frozen):
    """A requirement on the storage. Without an operator, it holds or does not.

    `rule` names the question, and does not depend on the wording of the question.
    """

    rule: str
    profile: str | None = None
    metric: str | None = None
    operator: Operator | None = None
    bound: float | None = Field(default=None, description="in `unit`; of a ratio: candidate / baseline, after / before")
    unit: FigureUnit | None = None
    at: dict[str, JsonValue] = Field(
        default={}, description="the conditions under which it must hold, such as a number of volumes"
    )
    because: str = Field(default="", description="why the limit exists, as the limits file states it")

    @property
    def question(self) -> tuple[object, ...]:
        """The question without its bound, equal for a limit and for a verdict on it, even a skipped one."""
        return self.rule, self.profile, self.metric, *sorted((name, str(value)) for name, value in self.at.items())


class Outcome(Frozen):
    """The answer to a requirement: `code` names its kind, `facts` are the arguments of the sentence for that code."""

    code: str
    facts: dict[str, JsonValue] = Field(default={})

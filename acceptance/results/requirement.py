"""What a verdict is on, and what was found of it, as data. `acceptance.wording` says both in sentences."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from acceptance.results.model import Frozen, Unit

Operator = Literal["at_least", "at_most"]
FigureUnit = Unit | Literal["ratio", "B", "pods", "count"]
"""of what is held against a limit"""
Decision = Literal["pass", "fail", "inconclusive"]
LIES: dict[Decision, str] = {"pass": "within", "fail": "outside", "inconclusive": "on_both_sides"}
"""how what was found lies to the limit: the end of codes such as `limit.within`"""


class Requirement(Frozen):
    """What storage must do. Without an operator: something that holds or does not.

    `rule` names the question, and stays the same however the question is worded.
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
    because: str = Field(default="", description="why the limit exists, as the limits file says it")

    @property
    def question(self) -> tuple[object, ...]:
        """What is asked, however strictly: the same for a limit and for a verdict on it, also where it was skipped."""
        return self.rule, self.profile, self.metric, *sorted((name, str(each)) for name, each in self.at.items())


class Outcome(Frozen):
    """What was found: `code` names the kind of answer, `facts` are what the sentence with that code tells."""

    code: str
    facts: dict[str, JsonValue] = Field(default={})

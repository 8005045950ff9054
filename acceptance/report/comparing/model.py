"""What a comparison of runs consists of. All frozen; nothing here measures or draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from acceptance.results.document import Estimate, Results, Verdict

Finding = Literal["better", "worse", "within noise", "not known"]
"""Whether the interval of the ratio lies all on one side of 1, holds it, or is missing"""


@dataclass(frozen=True, kw_only=True)
class NamedRun:
    """A run and the name by which it is told from those beside it: what differs, such as its date or its cluster."""

    name: str
    results: Results


@dataclass(frozen=True, kw_only=True)
class Change:
    """A ratio with its two-sided interval: above 1 the second value is the higher one. `confidence` is 0 to 1."""

    ratio: float
    low: float
    high: float
    confidence: float

    @property
    def visible(self) -> tuple[float, float]:
        """The smallest ratios that could have been told from 1, below and above it: with these, the interval ends at 1.

        The interval reaches as far on the logarithm wherever the ratio itself lies: docs/comparing.md.
        """
        return self.ratio / self.high, self.ratio / self.low

    def widened(self, by: float) -> Change:
        """The same with an interval that reaches further by the factor 1 + `by` on each side."""
        return replace(self, low=self.low / (1 + by), high=self.high * (1 + by))


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One metric of one profile in two runs. `change` is None where it cannot be known; `why_not` then says why.

    `baseline` is the class that both were measured in turn with, and `multiples` how much of it each did, where the
    change is one of these; None where the values themselves are compared.
    """

    profile: str
    metric: str
    first: Estimate
    second: Estimate
    change: Change | None
    finding: Finding
    baseline: str | None = None
    multiples: tuple[float, float] | None = None
    why_not: str = ""


@dataclass(frozen=True, kw_only=True)
class Unlike:
    """Something in which runs differ: `what`, and its value in each of them, in their order.

    `disturbs`: figures of these runs are not of the same load or machine, so that they say less about the storage.
    """

    what: str
    values: Sequence[str]
    disturbs: bool


@dataclass(frozen=True, kw_only=True)
class ClassDifferences:
    """What changed from a class of the first run to a class of the second one; often it is the same class.

    `unlike` is what differs between the classes themselves, as a tuning of their parameters does. `missing` says of
    profiles that only one of the two has. `judged`: verdicts of both runs on the same question, each with a figure, of
    subjects that are not measured on one volume.
    """

    first_class: str
    second_class: str
    unlike: Sequence[Unlike]
    differences: Sequence[Difference]
    missing: Sequence[str]
    judged: Sequence[tuple[Verdict, Verdict]] = ()


@dataclass(frozen=True, kw_only=True)
class RunComparison:
    """Two runs: what was not the same, and what changed. `missing` says of classes that have nothing beside them.

    `with_history`: the intervals hold what runs differ by, where the history has enough of them.
    """

    first: NamedRun
    second: NamedRun
    unlike: Sequence[Unlike]
    classes: Sequence[ClassDifferences]
    missing: Sequence[str]
    with_history: bool = False

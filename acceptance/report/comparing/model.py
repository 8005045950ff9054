"""The parts of a comparison of runs. All of them are frozen; nothing here measures or draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from acceptance.results.document import Estimate, Results, Verdict

Finding = Literal["better", "worse", "within noise", "not known"]
"""The interval of the ratio lies all on one side of 1 (better, worse), contains 1 (within noise), or is missing."""


@dataclass(frozen=True, kw_only=True)
class NamedRun:
    """A run and the name that tells it from the runs next to it: what differs, such as its date or its cluster."""

    name: str
    results: Results


@dataclass(frozen=True, kw_only=True)
class Change:
    """A ratio with its two-sided interval.

    Above 1 the second value is the higher one. `confidence` is between 0 and 1.
    """

    ratio: float
    low: float
    high: float
    confidence: float

    @property
    def visible(self) -> tuple[float, float]:
        """Return the largest ratio below 1 and the smallest above 1 that this comparison could have told from 1.

        With these ratios, the interval ends at 1. On the logarithm the interval is equally wide wherever the ratio
        itself lies: docs/comparing.md.
        """
        return self.ratio / self.high, self.ratio / self.low

    def widen(self, by: float) -> Change:
        """Return the change with an interval that is wider by the factor 1 + `by` on each side."""
        return replace(self, low=self.low / (1 + by), high=self.high * (1 + by))


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One metric of one profile in two runs.

    `change` is None if it cannot be known; `why_not` then says why. `baseline` is the class that both were measured in
    turn with, and `multiples` how many times that class each run reached, if the change is the ratio of these; None if
    the values themselves are compared.
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
    """A fact in which runs differ: its name, and its value in each of them, in their order.

    `disturbs`: figures of these runs are not of the same load or machine, so that they say less about the storage.
    """

    name: str
    values: Sequence[str]
    disturbs: bool


@dataclass(frozen=True, kw_only=True)
class ClassDifferences:
    """The changes from a class of the first run to a class of the second one; often it is the same class.

    `unlike` is what differs between the classes themselves, such as tuned parameters. `missing` lists profiles that
    only one of the two has. `verdict_pairs`: verdicts of both runs on the same question, each with a figure, on
    subjects that are not measured on one volume.
    """

    first_class: str
    second_class: str
    unlike: Sequence[Unlike]
    differences: Sequence[Difference]
    missing: Sequence[str]
    verdict_pairs: Sequence[tuple[Verdict, Verdict]] = ()


@dataclass(frozen=True, kw_only=True)
class RunComparison:
    """Two runs: in which facts they differ, and what changed.

    `missing` lists classes without a counterpart. `with_history`: the intervals include the differences between runs,
    if the history has enough runs.
    """

    first: NamedRun
    second: NamedRun
    unlike: Sequence[Unlike]
    classes: Sequence[ClassDifferences]
    missing: Sequence[str]
    with_history: bool = False

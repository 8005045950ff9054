"""One limit: what storage must do, as data of one form, whatever it is on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from acceptance.results.metrics import Metric
from acceptance.results.requirement import FigureUnit, Operator, Requirement


@dataclass(frozen=True, kw_only=True)
class Limit:
    """What one limit of a tier asks for: `bound`, in `unit`, is the least or the most that there may be.

    `section` is that of the file; `rule` names the question in verdicts. `profile` is the load, or what stands for it,
    and `path` that of a metric, or of what else is measured. `at` are the conditions, such as a number of volumes.
    `because` tells whoever reads a failure why the limit exists.
    """

    section: str
    rule: str
    profile: str
    path: str
    operator: Operator
    bound: float
    unit: FigureUnit
    at: Mapping[str, float] = field(default_factory=dict, hash=False)
    because: str

    @property
    def metric(self) -> Metric:
        """Of a load. Raises ValueError for a limit that is on something else."""
        return Metric.parse(self.path)

    @property
    def requirement(self) -> Requirement:
        """As verdicts have it."""
        return Requirement(
            rule=self.rule,
            profile=self.profile,
            metric=self.path,
            operator=self.operator,
            bound=self.bound,
            unit=self.unit,
            at={**self.at},
            because=self.because,
        )


def same_limit(limit: Limit) -> object:
    """What is the same for a limit and for that of a parent which it replaces."""
    path = "" if limit.section == "scaling" else limit.path  # the growth of latency has one metric at a time
    return limit.section, limit.profile, path, limit.rule, limit.at.get("pods")

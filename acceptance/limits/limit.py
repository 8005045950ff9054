"""One limit, a requirement on storage, as data of one form for all sections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from acceptance.results.metrics import Metric
from acceptance.results.requirement import FigureUnit, Operator, Requirement


@dataclass(frozen=True, kw_only=True)
class Limit:
    """One limit of a tier: `bound`, in `unit`, is the least or the most allowed value.

    `section` is that of the file; `rule` names the question in verdicts. `profile` is the load, or the subject in its
    place, and `path` that of a metric, or of another measured value. `at`: the conditions, such as a number of volumes.
    `because` explains to the reader of a failure why the limit exists.
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
        """Return the metric of a load. Raise ValueError if the limit is on something else."""
        return Metric.parse(self.path)

    @property
    def requirement(self) -> Requirement:
        """Return the limit in the form of verdicts."""
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
    """Return a key that is equal for a limit and for that of a parent which it replaces."""
    path = "" if limit.section == "scaling" else limit.path  # the growth of latency has one metric at a time
    return limit.section, limit.profile, path, limit.rule, limit.at.get("pods")

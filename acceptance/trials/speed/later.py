"""The first profile of a run once more at its end: whether the storage slowed down meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

from acceptance.measuring.batches import loaded_s
from acceptance.measuring.measure import Recording
from acceptance.measuring.metric_values import metric_estimate
from acceptance.measuring.rest import CONFIDENCE, rates
from acceptance.measuring.slowing import judged_part, slowing
from acceptance.results.document import Estimate, RelativeEstimate
from acceptance.results.metrics import Metric
from acceptance.statistics.interim_analyses import AnalysisPlan
from acceptance.statistics.intervals import SECONDS_CORRELATION
from acceptance.statistics.ratios import independent_ratio
from acceptance.trials.speed.findings import Finding
from acceptance.trials.speed.records import measurement_id
from acceptance.trials.speed.turns import shown_ratio

AFTER_S = 300.0
"""from the first measurement of a class on; a run that ends sooner tells nothing that it has not told"""
PLAN = AnalysisPlan(seconds=(12,), batch_s=1, batch_correlation=SECONDS_CORRELATION)
SLOWER = 0.8
"""what it must be below, surely: by less than a fifth one minute differs from another on a busy machine, too"""


@dataclass(frozen=True, kw_only=True)
class Later:
    """The load of a finding, and the same again so many seconds after it."""

    first: Finding
    again: Recording
    after_s: float

    @property
    def measurement(self) -> str:
        """The id of what was measured at first."""
        return measurement_id(self.first.candidate)

    @property
    def against_first(self) -> RelativeEstimate | None:
        """Operations a second at the end of the run / at first; None of too few batches."""
        samples, plan = self.first.candidate.samples, self.first.plan
        look = plan.at(loaded_s(samples))
        found = independent_ratio(
            rates(self.again.samples, length=PLAN.batch_s),
            rates(judged_part(samples, slowing(samples), plan=plan), length=look.batch_s),
            confidence=CONFIDENCE,
            correlation=SECONDS_CORRELATION,
        )
        if found is None:
            return None
        return RelativeEstimate(ratio=found.mean, low=found.low, high=found.high, confidence=CONFIDENCE)

    def estimate(self, metric: Metric) -> Estimate | None:
        """Return what the load at the end showed of a metric; None if nothing."""
        return metric_estimate(metric, self.again.samples, plan=PLAN, confidence=CONFIDENCE)

    @property
    def warning(self) -> str | None:
        """That it slowed down; None where that is not sure."""
        found = self.against_first
        if found is None or found.high >= SLOWER:
            return None
        return (
            f"the storage slowed down during the run: at its end {self.again.profile.name} on "
            f"{self.again.storage_class} did {shown_ratio(found.ratio, found.low, found.high)} of what it did "
            f"{self.after_s / 60:.0f} min before"
        )

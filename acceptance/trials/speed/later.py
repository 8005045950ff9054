"""The first profile of a run, measured again at its end: tells if the storage slowed down meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

from acceptance.measuring.batches import loaded_s
from acceptance.measuring.lasting import judged_part, slowing
from acceptance.measuring.measure import Recording
from acceptance.measuring.metric_values import metric_estimate
from acceptance.measuring.rest import CONFIDENCE, rates
from acceptance.results.document import Estimate, RelativeEstimate
from acceptance.results.metrics import Metric
from acceptance.statistics.interim_analyses import AnalysisPlan
from acceptance.statistics.intervals import SECONDS_CORRELATION
from acceptance.statistics.ratios import independent_ratio
from acceptance.trials.speed.findings import Finding
from acceptance.trials.speed.records import measurement_id
from acceptance.trials.speed.turns import shown_ratio

AFTER_S = 300.0
"""Seconds since the first measurement of a class; at the end of a shorter run a second one reveals nothing new."""
PLAN = AnalysisPlan(seconds=(12,), batch_s=1, batch_correlation=SECONDS_CORRELATION)
SLOWER = 0.8
"""The ratio below which storage certainly slowed down: minutes differ by less than a fifth, even on busy machines."""


@dataclass(frozen=True, kw_only=True)
class Later:
    """The load of a finding, and the same load again, `after_s` seconds after it."""

    first: Finding
    again: Recording
    after_s: float

    @property
    def measurement(self) -> str:
        """The ID of the first measurement."""
        return measurement_id(self.first.candidate)

    @property
    def against_first(self) -> RelativeEstimate | None:
        """Operations per second at the end of the run / at first; None if there are too few batches."""
        samples, plan = self.first.candidate.samples, self.first.plan
        look = plan.at(loaded_s(samples))
        ratio = independent_ratio(
            rates(self.again.samples, length=PLAN.batch_s),
            rates(judged_part(samples, slowing(samples), plan=plan), length=look.batch_s),
            confidence=CONFIDENCE,
            correlation=SECONDS_CORRELATION,
        )
        if ratio is None:
            return None
        return RelativeEstimate(ratio=ratio.mean, low=ratio.low, high=ratio.high, confidence=CONFIDENCE)

    def estimate(self, metric: Metric) -> Estimate | None:
        """Return what the load at the end showed of a metric; None if nothing."""
        return metric_estimate(metric, self.again.samples, plan=PLAN, confidence=CONFIDENCE)

    @property
    def warning(self) -> str | None:
        """The warning that the storage slowed down; None if that is not certain."""
        relative = self.against_first
        if relative is None or relative.high >= SLOWER:
            return None
        return (
            f"the storage slowed down during the run: at its end {self.again.profile.name} on "
            f"{self.again.storage_class} reached {shown_ratio(relative.ratio, relative.low, relative.high)} of its "
            f"rate {self.after_s / 60:.0f} min before"
        )

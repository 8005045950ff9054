"""Rows of figures, the same on the terminal, in GitHub's summary and in the report: both classes and one change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from acceptance.report.labels import NO_LIMIT, NOT_JUDGED, LimitedMetrics, label_without_verdict
from acceptance.results.document import Estimate, Measurement, Status, Verdict
from acceptance.results.ratio_words import OF_RATIOS
from acceptance.results.verdicts import worst


@dataclass(frozen=True, kw_only=True)
class Change:
    """Candidate / baseline - 1, with the two-sided interval of that confidence; None if it is not known."""

    value: float
    low: float | None = None
    high: float | None = None
    confidence: float | None = None

    @property
    def within_noise(self) -> bool:
        """Return whether the interval contains no change at all."""
        return self.low is not None and self.high is not None and self.low <= 0.0 <= self.high


@dataclass(frozen=True, kw_only=True)
class Row:
    """One metric of one profile. `verdicts` are those on this metric; `unjudged_label`: its label if there are none."""

    profile: str
    metric: str
    candidate: Estimate
    baseline: Estimate | None
    change: Change | None
    verdicts: tuple[Verdict, ...]
    unjudged_label: str = NOT_JUDGED

    @property
    def status(self) -> Status:
        """Return the worst of the metric's own verdicts; skipped if it has none."""
        return worst(self.verdicts) or "skipped"

    @property
    def verdict(self) -> str:
        """Return the status in words."""
        return self.status if self.verdicts else self.unjudged_label

    @property
    def limit_without_verdict(self) -> str:
        """Return `none` if the tier has no limit on the metric, else the label of a limit without a verdict."""
        return "none" if self.unjudged_label == NO_LIMIT else self.unjudged_label


def rows_of(
    metrics: Iterable[str],
    candidate: Measurement,
    baseline: Measurement | None,
    verdicts: Sequence[Verdict],
    *,
    tier_metrics: LimitedMetrics = None,
) -> list[Row]:
    """Return a row for each of the metrics. `verdicts` are those on the candidate's class and profile.

    `tier_metrics`: the metrics with a limit, as `limited_metrics` returns them.
    """
    return [
        Row(
            profile=candidate.profile,
            metric=metric,
            candidate=candidate.metrics[metric],
            baseline=None if baseline is None else baseline.metrics.get(metric),
            change=change_of(metric, candidate, verdicts),
            verdicts=tuple(verdict for verdict in verdicts if verdict.metric == metric),
            unjudged_label=label_without_verdict(candidate.profile, metric, tier_metrics),
        )
        for metric in metrics
    ]


def change_of(metric: str, candidate: Measurement, verdicts: Iterable[Verdict]) -> Change | None:
    """Return the change from the pairs of batches, as the verdict judged them or as the measurement holds them.

    None without a baseline, if the load stalled, for the longest stall, whose ratio says nothing, and if the pairs are
    too few or too different. The means cannot replace the pairs: the candidate's is of a load without a pause, the
    baseline's of its turns.
    """
    for verdict in verdicts:
        if verdict.metric == metric and verdict.rule in OF_RATIOS and verdict.measured is not None:
            return Change(
                value=verdict.measured - 1.0,
                low=None if verdict.low is None else verdict.low - 1.0,
                high=None if verdict.high is None else verdict.high - 1.0,
                confidence=verdict.confidence,
            )
    if (ratio := candidate.against_baseline.get(metric)) is not None:
        return Change(value=ratio.ratio - 1.0, low=ratio.low - 1.0, high=ratio.high - 1.0, confidence=ratio.confidence)
    return None

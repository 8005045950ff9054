"""The ratio candidate / baseline of a metric, from batches that were loaded in turn."""

from __future__ import annotations

from acceptance.measuring.batches import loaded_s
from acceptance.measuring.measure import BySegment
from acceptance.measuring.metric_values import batch_parts
from acceptance.results.metrics import Metric
from acceptance.statistics.interim_analyses import AnalysisPlan
from acceptance.statistics.ratios import Ratio, Round, ratio


def metric_ratio(
    metric: Metric,
    candidate: BySegment,
    baseline: BySegment,
    *,
    plan: AnalysisPlan,
    confidence: float | None = None,
) -> Ratio:
    """Return candidate / baseline of a metric, from batches of the same round; `confidence` defaults to the plan's."""
    look = plan.at(loaded_s(candidate))
    confidence = confidence or look.confidence
    candidate_parts = batch_parts(metric, candidate, plan=plan)
    baseline_parts = batch_parts(metric, baseline, plan=plan)
    if candidate_parts is None or baseline_parts is None:
        problem = f"some part of the measurement has no {metric}"
        return Ratio(value=None, low=None, high=None, samples=0, confidence=confidence, problem=problem)
    rounds = [
        Round(baseline=first[: len(second)], candidate=second[: len(first)])
        for first, second in zip(baseline_parts, candidate_parts, strict=True)
    ]
    return ratio(rounds, confidence=confidence, correlation=look.batch_correlation)

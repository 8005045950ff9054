"""One interval for each figure: if a verdict depends on an interval, every table and picture shows that interval.

A measurement's own interval has a confidence of 95 %. A verdict's interval is wider, because several interim analyses
share its error budget.
"""

from __future__ import annotations

from acceptance.results.document import Estimate, Measurement, Results, Verdict
from acceptance.results.verdicts import OF_ONE_VOLUME

USUAL = 0.95
"""The confidence that tables do not print next to an interval: their captions name it."""


def with_judged_intervals(results: Results) -> Results:
    """Return the results with the intervals of their verdicts at the candidates' measurements."""
    verdicts = {
        (verdict.storage_class, verdict.profile, verdict.metric): verdict
        for verdict in results.verdicts
        if verdict.subject in OF_ONE_VOLUME
        and verdict.rule in ("at_least", "at_most")
        and verdict.confidence is not None
    }
    return results.model_copy(
        update={"measurements": [_adjust(measurement, verdicts) for measurement in results.measurements]}
    )


def _adjust(measurement: Measurement, verdicts: dict[tuple[str, str | None, str | None], Verdict]) -> Measurement:
    if measurement.role != "candidate":
        return measurement
    about = (measurement.storage_class, measurement.profile)
    metrics = {
        metric: _of_verdict(estimate, verdicts.get((*about, metric)))
        for metric, estimate in measurement.metrics.items()
    }
    return measurement.model_copy(update={"metrics": metrics})


def _of_verdict(estimate: Estimate, verdict: Verdict | None) -> Estimate:
    """Return the estimate with the verdict's interval if both are of the same value.

    A verdict on another load of the same profile is no statement on this estimate.
    """
    if verdict is None or verdict.measured != estimate.mean or verdict.low is None or verdict.high is None:
        return estimate
    return estimate.model_copy(update={"low": verdict.low, "high": verdict.high, "confidence": verdict.confidence})

"""One figure, one interval: where a verdict rests on an interval, every table and picture shows that one.

A measurement's own interval is of 95 %; a verdict's is wider, for its error budget is shared among several looks.
"""

from __future__ import annotations

from acceptance.results.document import Estimate, Measurement, Results, Verdict
from acceptance.results.verdicts import OF_ONE_VOLUME

USUAL = 0.95
"""The confidence that is not named beside an interval."""


def with_judged_intervals(results: Results) -> Results:
    """The results with the intervals of their verdicts at the candidates' measurements."""
    judged = {
        (verdict.storage_class, verdict.profile, verdict.metric): verdict
        for verdict in results.verdicts
        if verdict.subject in OF_ONE_VOLUME
        and verdict.rule in ("at_least", "at_most")
        and verdict.confidence is not None
    }
    return results.model_copy(
        update={"measurements": [_as_judged(measurement, judged) for measurement in results.measurements]}
    )


def _as_judged(measurement: Measurement, judged: dict[tuple[str, str | None, str | None], Verdict]) -> Measurement:
    if measurement.role != "candidate":
        return measurement
    about = (measurement.storage_class, measurement.profile)
    metrics = {
        metric: _of_verdict(estimate, judged.get((*about, metric))) for metric, estimate in measurement.metrics.items()
    }
    return measurement.model_copy(update={"metrics": metrics})


def _of_verdict(estimate: Estimate, verdict: Verdict | None) -> Estimate:
    """Of the same value only: a verdict of another load of the same profile is no statement on this one."""
    if verdict is None or verdict.measured != estimate.mean or verdict.low is None or verdict.high is None:
        return estimate
    return estimate.model_copy(update={"low": verdict.low, "high": verdict.high, "confidence": verdict.confidence})

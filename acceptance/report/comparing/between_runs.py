"""The differences between runs when nothing was changed: from the nights of a history. Pure.

An interval within a run does not cover them. A result must be repeated at the level at which it varies (Kalibera &
Jones, Rigorous Benchmarking in Reasonable Time, ISMM 2013): here from run to run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from acceptance.judging.history.noise import NOISE_RUNS
from acceptance.report.comparing.model import Change, Difference
from acceptance.report.comparing.ratios import finding_of
from acceptance.results.document import Measurement, Results
from acceptance.results.history_file import History
from acceptance.results.history_series import Series, kept_metrics, record_of
from acceptance.statistics.serial_noise import serial_noise
from acceptance.statistics.student_t import t_quantile

FEWEST_NIGHTS = 7
"""Runs of the history below which the spread between runs is not known."""
ONE_RUN_EACH = "exceeds the noise within the runs, but one run each does not show how much runs differ"


@dataclass(frozen=True, kw_only=True)
class _Spread:
    """The variance of the logarithm from run to run, and its degrees of freedom."""

    variance: float
    degrees: float


def with_between_run_noise(
    difference: Difference, first: tuple[Results, Measurement], second: tuple[Results, Measurement], history: History
) -> Difference:
    """Return the difference with the finding that the history allows.

    `first`, `second`: the run and the measurement of each. If both runs have a series in the history that is long
    enough, the interval reaches at least as far as two runs of these series differ when nothing has changed. If not,
    nothing is better or worse: it is not known.
    """
    change = difference.change
    if change is None:
        return difference
    multiples = difference.multiples is not None
    spreads = [_spread(history, *run, difference.metric, multiples=multiples) for run in (first, second)]
    known_spreads = [spread for spread in spreads if spread is not None]
    if len(known_spreads) == 2:
        wider = _at_least(change, known_spreads[0], known_spreads[1])
        return replace(difference, change=wider, finding=finding_of(wider, metric=difference.metric))
    if difference.finding in ("better", "worse"):
        return replace(difference, finding="not known", why_not=ONE_RUN_EACH)
    return difference


def _at_least(change: Change, first: _Spread, second: _Spread) -> Change:
    """Return the change with the wider interval of the two.

    The variance between runs already includes the variance within a run.
    """
    degrees = max(1, math.floor(min(first.degrees, second.degrees)))
    reach = t_quantile(0.5 + change.confidence / 2, degrees=degrees) * math.sqrt(first.variance + second.variance)
    return replace(
        change,
        low=min(change.low, change.ratio * math.exp(-reach)),
        high=max(change.high, change.ratio * math.exp(reach)),
    )


def _spread(
    history: History, results: Results, measurement: Measurement, metric: str, *, multiples: bool
) -> _Spread | None:
    """Return the spread of one metric between the runs of its series; None if it has no series, or a short one."""
    profile = measurement.profile
    texts = results.tested_with.profiles if results.tested_with is not None else {}
    if not history.runs or results.cluster is None or profile not in texts:
        return None
    alone = results.model_copy(update={"measurements": [measurement]})
    record = record_of(alone, profiles=texts)
    series = Series.of(record, record.measurements[0])
    own = [
        run_metric for run_series, _, run_metric in kept_metrics(history.runs, metric=metric) if run_series == series
    ]
    logs = [
        math.log(value) for run_metric in own if (value := run_metric.of_baseline if multiples else run_metric.mean)
    ][-NOISE_RUNS:]
    if len(logs) < FEWEST_NIGHTS:
        return None
    noise = serial_noise(logs)
    return _Spread(variance=noise.variance, degrees=noise.degrees)

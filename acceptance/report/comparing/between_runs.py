"""What two runs differ by although nothing was changed: from the nights of a history. Pure.

An interval within a run says nothing of it. What is to be believed must be repeated at the level at which it varies
(Kalibera & Jones, Rigorous Benchmarking in Reasonable Time, ISMM 2013): here from run to run.
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
"""runs of the history without which the spread between runs is not known"""
ONE_RUN_EACH = "beyond the noise within the runs; one run each does not show how much runs differ"


@dataclass(frozen=True, kw_only=True)
class _Spread:
    """The variance of the logarithm from run to run, and its degrees of freedom."""

    variance: float
    degrees: float


def told_between_runs(
    difference: Difference, first: tuple[Results, Measurement], second: tuple[Results, Measurement], history: History
) -> Difference:
    """The difference with the finding that the history allows; `first`, `second`: the run and the measurement of each.

    Where both runs have a series in it that is long enough, the interval reaches at least as far as two runs of these
    series differ when nothing has changed. Where not, nothing is better or worse: it is not known.
    """
    change = difference.change
    if change is None:
        return difference
    multiples = difference.multiples is not None
    spreads = [_spread(history, *run, difference.metric, multiples=multiples) for run in (first, second)]
    known = [spread for spread in spreads if spread is not None]
    if len(known) == 2:
        wider = _at_least(change, known[0], known[1])
        return replace(difference, change=wider, finding=finding_of(wider, metric=difference.metric))
    if difference.finding in ("better", "worse"):
        return replace(difference, finding="not known", why_not=ONE_RUN_EACH)
    return difference


def _at_least(change: Change, first: _Spread, second: _Spread) -> Change:
    """What varies within a run is in what varies between runs already: the longer of both reaches counts."""
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
    """Of one metric between the runs of its series; None where it has no series, or a short one."""
    profile = measurement.profile
    texts = results.tested_with.profiles if results.tested_with is not None else {}
    if not history.runs or results.cluster is None or profile not in texts:
        return None
    alone = results.model_copy(update={"measurements": [measurement]})
    record = record_of(alone, profiles=texts)
    series = Series.of(record, record.measurements[0])
    own = [kept for found, _, kept in kept_metrics(history.runs, metric=metric) if found == series]
    logs = [math.log(value) for each in own if (value := each.of_baseline if multiples else each.mean)][-NOISE_RUNS:]
    if len(logs) < FEWEST_NIGHTS:
        return None
    noise = serial_noise(logs)
    return _Spread(variance=noise.variance, degrees=noise.degrees)

"""Runs and accepted levels in a history, and trends of metrics: the lines of a history, and `trends` in `results.json`.

All frozen; times in s (CPU time of an operation, too), rates in 1/s and B/s, CPU use in CPU seconds a second, sizes in
bytes. They import no model of the results that holds them.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from acceptance.results.access_modes import DEFAULT_MODE
from acceptance.results.model import Frozen, Unit

SCHEMA_VERSION = 1

TrendStatus = Literal["pass", "fail", "inconclusive", "skipped"]
Value = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]


class KeptMetric(Frozen):
    """One measured metric: its mean, and the interval of the mean within the run, if there was one."""

    mean: Value
    low: Value | None
    high: Value | None
    unit: Unit
    of_baseline: Value | None = Field(
        default=None,
        description="the mean as a multiple of the baseline class's, if one was measured in turn: `compare` estimates "
        "from it how much runs differ",
    )


class KeptMeasurement(Frozen):
    """The results of one profile on one class."""

    profile: str
    profile_digest: str = Field(
        description="SHA-256 of the profile's text; if only comments of a shipped profile changed, of its "
        "first text. Another load is another series"
    )
    storage_class: str
    role: Literal["candidate", "baseline"]
    node: str
    metrics: dict[str, KeptMetric]


class RunRecord(Frozen):
    """One run: a line of the history."""

    schema_version: Literal[1] = 1
    run: str
    date: AwareDatetime
    suite_version: str
    exit_status: int
    cluster_kind: str
    cluster: str = Field(description="the identity of the cluster: see `Cluster.identity` in `results.json`")
    baseline_class: str | None
    volume_size: int
    test_size: int
    volume_mode: str
    access_mode: str = DEFAULT_MODE
    measurements: list[KeptMeasurement]


class AcceptedLevel(Frozen):
    """An accepted level: from this run on, values are compared with it. It is a line of the history."""

    schema_version: Literal[1] = 1
    accepted: str = Field(description="the first run of the level, by its id")
    date: AwareDatetime = Field(description="when it was accepted")
    suite_version: str
    storage_class: str | None = Field(default=None, description="None: all that the run measured")
    profile: str | None = Field(default=None, description="None: all of them")
    because: str | None = None


class TrendPoint(Frozen):
    """A metric in one run. `low` and `high` are of that run alone: they do not include the variation between nights."""

    run: str
    date: AwareDatetime
    mean: float
    low: float | None
    high: float | None


class ChangePoint(Frozen):
    """The run from which on the values are at another level than the accepted one, beyond noise."""

    run: str = Field(description="the first run of the new level")
    date: AwareDatetime
    change: float = Field(description="new level / accepted level - 1: -0.18 is 18 % lower")
    before: int = Field(description="number of runs from the first run of the accepted level on")
    after: int = Field(description="number of runs at the new level, including this one")


class TrendRecord(Frozen):
    """The history of one metric, and its consequence for this run."""

    storage_class: str
    profile: str
    metric: str
    unit: Unit
    higher_is_better: bool
    margin: float = Field(description="how much worse than before the metric may be: 0.10 is a tenth")
    points: list[TrendPoint] = Field(
        description="the latest earlier runs that can be compared, oldest first, without this one"
    )
    this_run: TrendPoint | None = Field(description="None if this run did not measure the metric")
    compared_with: int = Field(
        default=0, description="number of runs that define the level with which this run is compared"
    )
    level_from: str | None = Field(
        default=None, description="the first of those runs; None also in results of older suites"
    )
    typical: float | None = Field(default=None, description="that level; None if there are too few runs")
    expected_low: float | None = Field(
        default=None, description="noise alone takes no two consecutive runs outside expected_low to expected_high"
    )
    expected_high: float | None = None
    change_point: ChangePoint | None = None
    status: TrendStatus

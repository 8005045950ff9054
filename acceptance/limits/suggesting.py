"""Limits from the results of good runs: the worst end of their confidence intervals, less a margin. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from acceptance.limits.tiers import Tier
from acceptance.results.access_modes import access_mode_in
from acceptance.results.completeness import is_whole
from acceptance.results.document import Estimate, Measurement, Results
from acceptance.results.metrics import STALL, Metric
from acceptance.results.requirement import Operator
from acceptance.text.errors import WrongUsage
from acceptance.text.quantities import format_quantity

MARGIN = 0.20
"""More than the difference between nights on shared machines; users who know their own may choose less."""
_MIB = 1024**2


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    """One limit. `worst_end`: that of all intervals; `value` and `worst_end` in the metric's unit."""

    profile: str
    metric: Metric
    kind: Operator
    value: float
    worst_end: float

    @property
    def value_text(self) -> str:
        """Return the value in the notation of a file of limits: `1200`, `80MiB/s`, `2.5ms`."""
        if self.metric.unit == "1/s":
            return f"{self.value:.12g}"
        if self.metric.unit == "B/s":
            return f"{self.value / _MIB:.12g}MiB/s"
        if self.metric.unit == "cpu":
            return f"{self.value * 100:.12g}%"
        return f"{self.value * 1e3:.12g}ms" if self.value >= 1e-3 else f"{self.value * 1e6:.12g}us"


def suggest_limits(runs: Sequence[Results], *, storage_class: str | None, margin: float) -> list[Suggestion]:
    """Return a limit for each metric that the runs' tier limits, and for the IOPS of profiles without limits.

    `margin`: 0.2 requires a fifth less than the worst end of all intervals. `storage_class`: required if the runs have
    several. Raise WrongUsage for runs that are not good, not of one load, or have nothing in common.
    """
    _refuse_unfit(runs)
    name = _class_of(runs, storage_class)
    runs_by_profile = [
        {measurement.profile: measurement for measurement in run.measurements if _is_of(measurement, name)}
        for run in runs
    ]
    suggestions: list[Suggestion] = []
    for profile in sorted(set.intersection(*(set(by_profile) for by_profile in runs_by_profile))):
        for metric in _metrics(runs, name, runs_by_profile[0][profile]):
            estimates = [by_profile[profile].metrics.get(metric.path) for by_profile in runs_by_profile]
            suggestions += _of(profile, metric, estimates, margin=margin)
    if not suggestions:
        raise WrongUsage(f"expected figures of {name} with a confidence interval in each run, found none in common")
    return suggestions


def stricter(suggestions: Sequence[Suggestion], tier: Tier) -> list[Suggestion]:
    """Return the suggestions that require more than the tier does."""

    def asks_more(new: Suggestion) -> bool:
        own = [limit for limit in tier.of("limits", profile=new.profile) if limit.path == new.metric.path]
        same = [limit.bound for limit in own if limit.operator == new.kind]
        return all(new.value > value if new.kind == "at_least" else new.value < value for value in same)

    return [suggestion for suggestion in suggestions if asks_more(suggestion)]


def as_file(
    suggestions: Sequence[Suggestion], runs: Sequence[Results], *, tier: str, margin: float, extends: str
) -> str:
    """Return a file of limits with this one tier; `extends`: the tier that it extends, or an empty text."""
    count = f"{len(runs)} run{'s' * (len(runs) != 1)}"
    less = format_quantity(margin, unit="ratio") if margin >= 1 else f"{margin * 100:.3g} %"
    lines = [
        f"# Suggested from {count} ({', '.join(run.run.id for run in runs)}): the worst end of all confidence",
        f"# intervals, less a margin of {less}. In each `because`, describe who would be affected and how.",
        "version: 1",
        "tiers:",
        f"  {tier}:",
        f"    description: The results of {count}, less a margin of {less}",
        *([f"    extends: {extends}"] if extends else []),
        "    limits:",
    ]
    for profile in dict.fromkeys(limit.profile for limit in suggestions):
        lines.append(f"      {profile}:")
        for limit in (limit for limit in suggestions if limit.profile == profile):
            observation = f"{limit.kind.replace('_', ' ')} {format_quantity(limit.worst_end, unit=limit.metric.unit)}"
            because = f"{count} showed {observation}, and this leaves a margin of {less}"
            lines.append(f'        {limit.metric}: {{{limit.kind}: {limit.value_text}, because: "{because}"}}')
    return "\n".join(lines) + "\n"


def _refuse_unfit(runs: Sequence[Results]) -> None:
    """Raise WrongUsage for runs whose figures are unfit as limits."""
    unfit = [f"{run.run.id} {why}" for run in runs if (why := _unfit(run))]
    if unfit:
        raise WrongUsage(
            f"expected runs that finished and passed, found {'; '.join(unfit)}; a bad run gives no limit: leave it "
            "out, or fix the cause and run again"
        )
    loads = {
        f"{run.settings.get('test_size')} bytes on a {run.settings.get('volume_mode') or 'filesystem'} "
        f"({access_mode_in(run.settings)})"
        for run in runs
    }
    if len(loads) > 1:
        load_list = ", ".join(sorted(loads))
        raise WrongUsage(f"expected runs of one load, found test files of {load_list}; leave out the others")


def _unfit(run: Results) -> str:
    if not is_whole(run):
        return "did not finish"
    return "" if run.overall in ("pass", "partial") else f"ended as {run.overall}"


def _class_of(runs: Sequence[Results], storage_class: str | None) -> str:
    classes = [
        {measurement.storage_class for measurement in run.measurements if measurement.role == "candidate"}
        for run in runs
    ]
    common = sorted(set.intersection(*classes))
    if storage_class in common:
        return str(storage_class)
    if storage_class is None and len(common) == 1:
        return common[0]
    class_names = ", ".join(common) or "none"
    raise WrongUsage(
        f"expected one class that all runs measured ({class_names}), found {storage_class or 'none named'}; name it"
    )


def _is_of(measurement: Measurement, storage_class: str) -> bool:
    return measurement.role == "candidate" and measurement.storage_class == storage_class


def _metrics(runs: Sequence[Results], storage_class: str, measurement: Measurement) -> Iterator[Metric]:
    """Yield the metrics that limits were on, without events; for a profile without limits its IOPS."""
    metrics_with_limits = {
        verdict.metric
        for run in runs
        for verdict in run.verdicts
        if verdict.rule in ("at_least", "at_most")
        and (verdict.storage_class, verdict.profile) == (storage_class, measurement.profile)
    }
    paths = [path for path in measurement.metrics if path in metrics_with_limits and path != STALL]
    if not metrics_with_limits:
        paths = [path for path in measurement.metrics if path in ("read.iops", "write.iops")]
    yield from map(Metric.parse, paths)


def _of(profile: str, metric: Metric, estimates: Sequence[Estimate | None], *, margin: float) -> Iterator[Suggestion]:
    """Yield the suggestion; none if a run's figure has no interval, or could have no limit."""
    least = metric.higher_is_better
    ends = [None if estimate is None else estimate.low if least else estimate.high for estimate in estimates]
    finite_ends = [end for end in ends if end is not None and math.isfinite(end) and end > 0.0]
    if len(finite_ends) < len(ends):
        return
    worst_end = min(finite_ends) if least else max(finite_ends)
    value = _round(worst_end * (1 - margin if least else 1 + margin), metric=metric, down=least)
    yield Suggestion(
        profile=profile, metric=metric, kind="at_least" if least else "at_most", value=value, worst_end=worst_end
    )


def _round(value: float, *, metric: Metric, down: bool) -> float:
    """Round to two digits of the unit of the notation, to the side that requires less."""
    unit = {"1/s": 1.0, "B/s": float(_MIB), "cpu": 0.01}.get(metric.unit, 1e-3 if value >= 1e-3 else 1e-6)
    step = 10.0 ** (math.floor(math.log10(value / unit)) - 1)
    count = round(value / unit / step, 9)
    return (math.floor(count) if down else math.ceil(count)) * step * unit

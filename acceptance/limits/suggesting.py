"""Limits from what good runs did: the worst end of their confidence intervals, less a margin. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from acceptance.limits.tiers import Tier
from acceptance.results.completeness import is_whole
from acceptance.results.document import Estimate, Measurement, Results
from acceptance.results.metrics import STALL, Metric
from acceptance.results.requirement import Operator
from acceptance.text.errors import WrongUsage
from acceptance.text.quantities import format_quantity

MARGIN = 0.20
"""What nights differ by on shared machines, and more; who knows his own asks for less."""
_MIB = 1024**2


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    """One limit. `seen`: the worst end of all intervals; `value` and `seen` in the metric's unit."""

    profile: str
    metric: Metric
    kind: Operator
    value: float
    seen: float

    @property
    def written(self) -> str:
        """The value as a file of limits has it: `1200`, `80MiB/s`, `2.5ms`."""
        if self.metric.unit == "1/s":
            return f"{self.value:.12g}"
        if self.metric.unit == "B/s":
            return f"{self.value / _MIB:.12g}MiB/s"
        if self.metric.unit == "cpu":
            return f"{self.value * 100:.12g}%"
        return f"{self.value * 1e3:.12g}ms" if self.value >= 1e-3 else f"{self.value * 1e6:.12g}us"


def suggested(runs: Sequence[Results], *, storage_class: str | None, margin: float) -> list[Suggestion]:
    """A limit for each metric that the tier of these runs has one on, and for the IOPS of profiles that it has none on.

    `margin`: 0.2 asks for a fifth less than the worst end of all intervals. `storage_class`: where they have several.
    Raises WrongUsage for runs that are not good, not of one load, or have nothing in common.
    """
    _refuse_unfit(runs)
    name = _class_of(runs, storage_class)
    measured = [
        {measurement.profile: measurement for measurement in run.measurements if _is_of(measurement, name)}
        for run in runs
    ]
    found: list[Suggestion] = []
    for profile in sorted(set.intersection(*(set(each) for each in measured))):
        for metric in _metrics(runs, name, measured[0][profile]):
            estimates = [each[profile].metrics.get(metric.path) for each in measured]
            found += _of(profile, metric, estimates, margin=margin)
    if not found:
        raise WrongUsage(f"wanted figures of {name} with a confidence interval in each run, found none in common")
    return found


def stricter(found: Sequence[Suggestion], tier: Tier) -> list[Suggestion]:
    """Those that ask for more than the tier does."""

    def asks_more(each: Suggestion) -> bool:
        own = [one for one in tier.of("limits", profile=each.profile) if one.path == each.metric.path]
        same = [one.bound for one in own if one.operator == each.kind]
        return all(each.value > value if each.kind == "at_least" else each.value < value for value in same)

    return [each for each in found if asks_more(each)]


def as_file(found: Sequence[Suggestion], runs: Sequence[Results], *, tier: str, margin: float, extends: str) -> str:
    """A file of limits with this one tier; `extends`: the tier that it extends, or nothing."""
    count = f"{len(runs)} run{'s' * (len(runs) != 1)}"
    less = format_quantity(margin, unit="ratio") if margin >= 1 else f"{margin * 100:.3g} %"
    lines = [
        f"# Suggested from {count} ({', '.join(run.run.id for run in runs)}): the worst end of all confidence",
        f"# intervals, less a margin of {less}. Write into each `because` what would happen to whom.",
        "version: 1",
        "tiers:",
        f"  {tier}:",
        f"    description: What {count} did, less a margin of {less}",
        *([f"    extends: {extends}"] if extends else []),
        "    limits:",
    ]
    for profile in dict.fromkeys(each.profile for each in found):
        lines.append(f"      {profile}:")
        for each in (one for one in found if one.profile == profile):
            seen = f"{each.kind.replace('_', ' ')} {format_quantity(each.seen, unit=each.metric.unit)}"
            because = f"{count} showed {seen}, and this leaves a margin of {less}"
            lines.append(f'        {each.metric}: {{{each.kind}: {each.written}, because: "{because}"}}')
    return "\n".join(lines) + "\n"


def _refuse_unfit(runs: Sequence[Results]) -> None:
    """Raise WrongUsage for runs whose figures are none to ask others for."""
    unfit = [f"{run.run.id} {why}" for run in runs if (why := _unfit(run))]
    if unfit:
        raise WrongUsage(
            f"wanted runs that finished and passed, found {'; '.join(unfit)}; a bad run gives no limit: leave it "
            "out, or fix the cause and run again"
        )
    loads = {(str(run.settings.get("test_size")), str(run.settings.get("volume_mode") or "filesystem")) for run in runs}
    if len(loads) > 1:
        told = ", ".join(sorted(f"{size} bytes on a {mode}" for size, mode in loads))
        raise WrongUsage(f"wanted runs of one load, found test files of {told}; leave out the others")


def _unfit(run: Results) -> str:
    if not is_whole(run):
        return "did not finish"
    return "" if run.overall in ("pass", "partial") else f"ended as {run.overall}"


def _class_of(runs: Sequence[Results], asked: str | None) -> str:
    classes = [
        {measurement.storage_class for measurement in run.measurements if measurement.role == "candidate"}
        for run in runs
    ]
    common = sorted(set.intersection(*classes))
    if asked in common:
        return str(asked)
    if asked is None and len(common) == 1:
        return common[0]
    listed = ", ".join(common) or "none"
    raise WrongUsage(f"wanted one class that all runs measured ({listed}), found {asked or 'none named'}; name it")


def _is_of(measurement: Measurement, storage_class: str) -> bool:
    return measurement.role == "candidate" and measurement.storage_class == storage_class


def _metrics(runs: Sequence[Results], storage_class: str, measurement: Measurement) -> Iterator[Metric]:
    """What limits were on, but no events; of profiles without limits the IOPS."""
    judged = {
        verdict.metric
        for run in runs
        for verdict in run.verdicts
        if verdict.rule in ("at_least", "at_most")
        and (verdict.storage_class, verdict.profile) == (storage_class, measurement.profile)
    }
    paths = [path for path in measurement.metrics if path in judged and path != STALL]
    if not judged:
        paths = [path for path in measurement.metrics if path in ("read.iops", "write.iops")]
    yield from map(Metric.parse, paths)


def _of(profile: str, metric: Metric, estimates: Sequence[Estimate | None], *, margin: float) -> Iterator[Suggestion]:
    """Nothing where a run does not know how sure its figure is, or it is none that a limit could be on."""
    least = metric.higher_is_better
    ends = [None if estimate is None else estimate.low if least else estimate.high for estimate in estimates]
    known = [end for end in ends if end is not None and math.isfinite(end) and end > 0.0]
    if len(known) < len(ends):
        return
    seen = min(known) if least else max(known)
    value = _rounded(seen * (1 - margin if least else 1 + margin), metric=metric, down=least)
    yield Suggestion(profile=profile, metric=metric, kind="at_least" if least else "at_most", value=value, seen=seen)


def _rounded(value: float, *, metric: Metric, down: bool) -> float:
    """To two digits of the unit that it is written in, to the side that asks for less."""
    unit = {"1/s": 1.0, "B/s": float(_MIB), "cpu": 0.01}.get(metric.unit, 1e-3 if value >= 1e-3 else 1e-6)
    step = 10.0 ** (math.floor(math.log10(value / unit)) - 1)
    count = round(value / unit / step, 9)
    return (math.floor(count) if down else math.ceil(count)) * step * unit

"""What is said of a limit on many volumes of a class."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from acceptance.results.document import Verdict
from acceptance.results.metrics import Metric
from acceptance.results.ratio_words import SHARES, share
from acceptance.results.requirement import LIES
from acceptance.text.quantities import format_quantity
from acceptance.wording.phrasing import Said, Sentence, about, held_against, surely


def unlimited(verdict: Verdict, *, rate: str, totals: Sequence[Mapping[str, float]]) -> str:
    """No verdict: the tier has no limit on it."""
    shown = ", ".join(f"{total['pods']}: {_of_rate(total['total'], rate)}" for total in totals)
    return (
        f"{verdict.profile} on {verdict.storage_class}: measured (total {rate} by volumes: {shown}), "
        "not judged: the tier has no scaling limit for this profile; to judge it add one under scaling: "
        f"{verdict.profile}:"
    )


def one_step(verdict: Verdict) -> str:
    """There is nothing to compare it with."""
    missing = "growth" if verdict.rule == "latency_growth" else "plateau to compare with"
    return _open(verdict, f"has one step only, so there is no {missing}")


def no_such_step(verdict: Verdict, *, steps: Sequence[int]) -> str:
    """`steps`: those that were run, by their volumes."""
    there_are = ", ".join(map(str, steps))
    pods = verdict.requirement.at["pods"]
    return _open(verdict, f"has no step of {pods} volumes, only of {there_are}; add it with --storage-scale steps")


def too_few_seconds(verdict: Verdict) -> str:
    """A volume has no interval."""
    return _open(verdict, "has too few seconds for a confidence interval; use a longer --storage-scale window")


def no_latency(verdict: Verdict) -> str:
    """The load recorded none."""
    return _open(verdict, f"takes no {verdict.metric}: the profile or its fio options leave it out")


def no_set_rate(verdict: Verdict) -> str:
    """That part of the load was left out, or not reached."""
    return _open(verdict, "was not run rate-limited")


def no_more_nodes(verdict: Verdict) -> str:
    """That part of the load was left out, or not reached."""
    return _open(verdict, "was not measured on two numbers of nodes")


def stalled(verdict: Verdict) -> str:
    """No ratio: one of the two is nothing, or has no interval."""
    return _open(verdict, "stalled or has too few seconds for a confidence interval")


def held(verdict: Verdict, **facts: Any) -> Sentence:
    """Wherever it lies. `facts`: those of the rule, as the functions below take them."""
    asked = verdict.requirement
    assert verdict.measured is not None and verdict.low is not None and verdict.high is not None
    mean, low, high = (
        _shown(verdict, value, beside=asked.bound) for value in (verdict.measured, verdict.low, verdict.high)
    )
    if verdict.confidence is None:
        sure = f"lower bound for its backlog {low}, upper bound {high}"
    else:
        sure = surely(verdict.confidence, low, high)
    return held_against(
        verdict,
        f"{about(verdict)}, {_PARTS[verdict.rule](verdict, **facts)}, is {mean} ({sure})",
        left_open="a quieter machine or a longer window would decide it",
    )


SENTENCES: dict[str, Said] = {
    "unlimited": unlimited,
    "one_step": one_step,
    "no_such_step": no_such_step,
    "too_few_seconds": too_few_seconds,
    "no_latency": no_latency,
    "no_set_rate": no_set_rate,
    "no_more_nodes": no_more_nodes,
    "stalled": stalled,
    **dict.fromkeys(LIES.values(), held),
}


def _open(verdict: Verdict, why: str) -> str:
    return f"{about(verdict)} {why}; so it cannot be judged."


def _at_last_step(verdict: Verdict, *, volumes: int, total: float, before_volumes: int, still_grew: bool) -> str:
    grew = ", after which it still grew" if still_grew else ""
    shown = _of_rate(total, verdict.metric)
    return f"total of {volumes} volumes ({shown}) as a share of that of {before_volumes}{grew}"


def _per_volume(verdict: Verdict, *, pod: str, mean_of_all: float) -> str:
    volumes, mean = verdict.requirement.at["pods"], _of_rate(mean_of_all, verdict.metric)
    return f"of {pod}, one of {volumes} volumes loaded at once (their mean is {mean})"


def _latency_growth(
    verdict: Verdict, *, volumes: int, latency_s: float, before_volumes: int, before_latency_s: float
) -> str:
    after, before = (format_quantity(each, unit="s") for each in (latency_s, before_latency_s))
    return f"mean over {volumes} volumes ({after}) as a multiple of that over {before_volumes} ({before})"


def _rate_limited(
    verdict: Verdict,
    *,
    pod: str,
    volumes: int,
    rate: float,
    capacity: float | None = None,
    together: float | None = None,
) -> str:
    each, asked = (_of_rate(value, verdict.metric) for value in (rate, rate * volumes))
    asked += " in all" if capacity is None else f" in all, {share(rate * volumes / capacity)} of the capacity"
    said = f"of {pod}, one of {volumes} volumes that were asked for {each} each ({asked}), as a share of it"
    if together is not None:
        done = _of_rate(together, verdict.metric)
        said += f" (all together reached {done}: the rate is above what the storage can do)"
    return said


def _node_scaling(
    verdict: Verdict,
    *,
    nodes: int,
    volumes: int,
    total: float,
    before_nodes: int,
    before_volumes: int,
    before_total: float,
) -> str:
    after, before = (_of_rate(each, verdict.metric) for each in (total, before_total))
    return (
        f"total on {nodes} nodes ({volumes} volumes, {after}) as a multiple of that on {before_nodes} "
        f"({before_volumes} volumes, {before})"
    )


_PARTS: Mapping[str, Callable[..., str]] = {
    "total_at_last_step": _at_last_step,
    "per_volume": _per_volume,
    "latency_growth": _latency_growth,
    "rate_limited": _rate_limited,
    "node_scaling": _node_scaling,
}
"""What was measured, by the rule"""


def _of_rate(value: float, metric: str | None) -> str:
    return format_quantity(value, unit=Metric.parse(str(metric)).unit)


def _shown(verdict: Verdict, value: float, *, beside: float | None = None) -> str:
    """`350 IOPS`, `97.8 %` of a share, `3.1x`; `beside`: what it must be told apart from."""
    assert verdict.unit is not None
    if verdict.rule in SHARES:
        return share(value, beside=beside)
    return format_quantity(value, unit=verdict.unit, beside=beside)

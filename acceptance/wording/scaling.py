"""Sentences about a limit on many volumes of a class."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from acceptance.results.document import Verdict
from acceptance.results.metrics import Metric
from acceptance.results.ratio_words import SHARES, share
from acceptance.results.requirement import LIES
from acceptance.text.quantities import format_quantity
from acceptance.wording.phrasing import Renderer, Sentence, about, held_against, how_to_judge, surely


def no_limit(verdict: Verdict, *, rate: str, totals: Sequence[Mapping[str, float]]) -> str:
    """Return the sentence if the tier has no scaling limit, so that there is no verdict."""
    total_words = ", ".join(f"{total['pods']}: {_of_rate(total['total'], rate)}" for total in totals)
    limit = f"{{metric: {rate}, total_at_last_step: {{at_least: SHARE, because: REASON}}}}"
    example = f"scaling: {{{verdict.profile}: {limit}}}"
    return (
        f"{verdict.profile} on {verdict.storage_class}: measured, no limit (total {rate} by number of volumes: "
        f"{total_words}). {how_to_judge(example)}"
    )


def one_step(verdict: Verdict) -> str:
    """Return the sentence for a single step, which cannot be compared with another step."""
    missing = "growth" if verdict.rule == "latency_growth" else "plateau to compare with"
    return _open(verdict, f"has one step only, so there is no {missing}")


def no_such_step(verdict: Verdict, *, steps: Sequence[int]) -> str:
    """Return the sentence for a step that was not run. `steps`: the numbers of volumes in the steps that were run."""
    there_are = ", ".join(map(str, steps))
    pods = verdict.requirement.at["pods"]
    return _open(verdict, f"has no step of {pods} volumes, only of {there_are}; add it with --storage-scale steps")


def too_few_seconds(verdict: Verdict) -> str:
    """Return the sentence for a volume without an interval."""
    return _open(verdict, "has too few seconds for a confidence interval; use a longer --storage-scale window")


def no_latency(verdict: Verdict) -> str:
    """Return the sentence for a load that recorded no latency."""
    return _open(verdict, f"has no {verdict.metric}: the profile or its fio options omit it")


def no_set_rate(verdict: Verdict) -> str:
    """Return the sentence if the rate-limited part of the load was left out, or not reached."""
    return _open(verdict, "was not run rate-limited")


def no_more_nodes(verdict: Verdict) -> str:
    """Return the sentence if the part on more nodes was left out, or not reached."""
    return _open(verdict, "was not measured on two numbers of nodes")


def no_ratio(verdict: Verdict) -> str:
    """Return the sentence if there is no ratio: one of the two values is zero, or has no interval."""
    return _open(verdict, "stalled or has too few seconds for a confidence interval")


def against_limit(verdict: Verdict, **facts: Any) -> Sentence:
    """Return the sentence for a figure compared with its limit. `facts`: the arguments of the rule's function."""
    requirement = verdict.requirement
    assert verdict.measured is not None and verdict.low is not None and verdict.high is not None
    mean, low, high = (
        _format(verdict, value, beside=requirement.bound) for value in (verdict.measured, verdict.low, verdict.high)
    )
    if verdict.confidence is None:
        sure = f"at least {low}, allowing for the backlog; at most {high}"
    else:
        sure = surely(verdict.confidence, low, high)
    return held_against(
        verdict,
        f"{about(verdict)}, {_PARTS[verdict.rule](verdict, **facts)}, is {mean} ({sure})",
        left_open="a quieter machine or a longer window would decide it",
    )


SENTENCES: dict[str, Renderer] = {
    "unlimited": no_limit,
    "one_step": one_step,
    "no_such_step": no_such_step,
    "too_few_seconds": too_few_seconds,
    "no_latency": no_latency,
    "no_set_rate": no_set_rate,
    "no_more_nodes": no_more_nodes,
    "stalled": no_ratio,
    **dict.fromkeys(LIES.values(), against_limit),
}


def _open(verdict: Verdict, why: str) -> str:
    return f"{about(verdict)} {why}; so it cannot be judged."


def _at_last_step(verdict: Verdict, *, volumes: int, total: float, before_volumes: int, still_grew: bool) -> str:
    grew = ", after which it still grew" if still_grew else ""
    total_words = _of_rate(total, verdict.metric)
    return f"total of {volumes} volumes ({total_words}) as a share of that of {before_volumes}{grew}"


def _per_volume(verdict: Verdict, *, pod: str, mean_of_all: float) -> str:
    volumes, mean = verdict.requirement.at["pods"], _of_rate(mean_of_all, verdict.metric)
    return f"of {pod}, one of {volumes} volumes loaded at the same time (their mean is {mean})"


def _latency_growth(
    verdict: Verdict, *, volumes: int, latency_s: float, before_volumes: int, before_latency_s: float
) -> str:
    after, before = (format_quantity(latency, unit="s") for latency in (latency_s, before_latency_s))
    return f"mean over {volumes} volumes ({after}) as a multiple of that over {before_volumes} ({before})"


def _at_set_rate(
    verdict: Verdict,
    *,
    pod: str,
    volumes: int,
    rate: float,
    capacity: float | None = None,
    together: float | None = None,
) -> str:
    single_rate, total_rate = (_of_rate(value, verdict.metric) for value in (rate, rate * volumes))
    total_rate += " in total" if capacity is None else f" in total, {share(rate * volumes / capacity)} of the capacity"
    volumes_in_words = f"one of {volumes} volumes with a set rate of {single_rate} each ({total_rate})"
    part = f"of {pod}, {volumes_in_words}, as a share of that rate"
    if together is not None:
        actual_rate = _of_rate(together, verdict.metric)
        part += f" (all together reached {actual_rate}: the total rate exceeds what the storage can do)"
    return part


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
    after, before = (_of_rate(rate, verdict.metric) for rate in (total, before_total))
    return (
        f"total on {nodes} nodes ({volumes} volumes, {after}) as a multiple of that on {before_nodes} "
        f"({before_volumes} volumes, {before})"
    )


_PARTS: Mapping[str, Callable[..., str]] = {
    "total_at_last_step": _at_last_step,
    "per_volume": _per_volume,
    "latency_growth": _latency_growth,
    "rate_limited": _at_set_rate,
    "node_scaling": _node_scaling,
}
"""The functions that describe the measured figure, by rule."""


def _of_rate(value: float, metric: str | None) -> str:
    return format_quantity(value, unit=Metric.parse(str(metric)).unit)


def _format(verdict: Verdict, value: float, *, beside: float | None = None) -> str:
    """Return `350 IOPS`, `97.8 %` for a share, or `3.1x`. `beside`: a value that the digits must differ from."""
    assert verdict.unit is not None
    if verdict.rule in SHARES:
        return share(value, beside=beside)
    return format_quantity(value, unit=verdict.unit, beside=beside)

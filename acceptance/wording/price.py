"""Sentences about the resource overhead of the storage's pods under a load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from acceptance.results.document import Verdict
from acceptance.results.price import MemoryGrowth
from acceptance.text.quantities import counted, format_quantity
from acceptance.wording.phrasing import (
    Sentence,
    decision_of,
    held_against,
    surely,
    wanted_of,
    wherever_it_lies,
)

_LONGER = "a longer load (--storage-with resource-overhead=TIME) would decide it"


def no_cpu_known(verdict: Verdict, *, of: Sequence[str]) -> str:
    """Return the sentence for unknown CPU use. `of`: NAMESPACE or NAMESPACE/SELECTOR of the pods."""
    why = "no operation was completed, or no kubelet reported figures"
    return f"{_cpu_of(verdict, of)} has no value: {why}, so it cannot be judged."


def cpu_too_few_samples(verdict: Verdict, *, of: Sequence[str]) -> str:
    """Return the sentence for CPU use without an interval."""
    return (
        f"{_cpu_of(verdict, of)} is {_cpus(verdict, verdict.measured)}, from too few samples for a confidence "
        "interval; a longer load would give one (--storage-with resource-overhead=TIME)."
    )


def cpu(verdict: Verdict, *, of: Sequence[str]) -> Sentence:
    """Return the sentence for CPUs per 1,000 operations a second."""
    assert verdict.confidence is not None  # a verdict with an interval has a confidence
    ends = surely(verdict.confidence, _cpus(verdict, verdict.low), _cpus(verdict, verdict.high))
    return held_against(
        verdict,
        f"{_cpu_of(verdict, of)} is {_cpus(verdict, verdict.measured)} ({ends})",
        left_open=_LONGER,
    )


def no_growth_known(verdict: Verdict, *, load_s: float, needed_s: float) -> str:
    """Return the sentence if no pod ran long enough without a restart to determine the growth of its memory."""
    return (
        f"memory over {load_s / 60:.0f} min of load on {verdict.storage_class} cannot reveal a leak: that takes "
        f"{needed_s / 60:.0f} min without a restart; use a longer load with --storage-with resource-overhead=TIME."
    )


def leaks(
    verdict: Verdict, *, namespace: str, pod: str, growth: Mapping[str, float], alike: int, watched: int
) -> Sentence:
    """Return the sentence for the pod closest to a leak; `alike` of the `watched` pods have the same result."""
    return held_against(
        verdict,
        _grew(verdict, f"{namespace}/{pod}", growth),
        left_open=_LONGER,
        span="",
        more=_similar_pods(alike, watched),
    )


def single_step(
    verdict: Verdict, *, namespace: str, pod: str, growth: Mapping[str, float], alike: int, watched: int
) -> str:
    """Return the sentence for certain growth beyond the limit that did not occur in each half of the time."""
    return (
        f"{_grew(verdict, f'{namespace}/{pod}', growth)}, beyond the limit of {wanted_of(verdict)}, but not in "
        f"each half of the time: it may be a single step, not a leak; {_LONGER}{_similar_pods(alike, watched)}."
    )


def restarts(
    verdict: Verdict, *, of: Sequence[str], watched: int, seconds: float, restarts: Sequence[Mapping[str, str]]
) -> Sentence:
    """Return the sentence for restarts of the `watched` pods in `seconds` s: each has its pod and a description."""
    count = f"{counted(len(restarts), 'restart')} of {counted(watched, 'pod')} of {' and '.join(of)}"
    restart_words = [f"; {restart['namespace']}/{restart['pod']} {restart['what']}" for restart in restarts]
    return held_against(
        verdict,
        f"{count} in {seconds / 60:.0f} min around a load of {verdict.profile} on {verdict.storage_class}",
        span="",
        more="".join(restart_words),
    )


SENTENCES = {
    "no_cpu_known": no_cpu_known,
    "cpu_too_few_samples": cpu_too_few_samples,
    **wherever_it_lies("cpu", cpu),
    "no_growth_known": no_growth_known,
    "leaks": leaks,
    "may_leak": leaks,
    "no_leak": leaks,
    "single_step": single_step,
    **wherever_it_lies("restarts", restarts),
}


def _cpu_of(verdict: Verdict, of: Sequence[str]) -> str:
    return f"CPU of the pods of {' and '.join(of)} per 1,000 IOPS of {verdict.profile} on {verdict.storage_class}"


def _cpus(verdict: Verdict, cpus: float | None) -> str:
    assert cpus is not None  # called only if there is a value
    return format_quantity(cpus, unit="cpu", beside=verdict.requirement.bound)


def _grew(verdict: Verdict, pod: str, growth: Mapping[str, float]) -> str:
    parsed_growth = MemoryGrowth.model_validate(growth)
    leak_words = {"fail": "leaks", "pass": "does not leak", "inconclusive": "may leak"}[decision_of(verdict)]
    assert verdict.confidence is not None  # a verdict with an interval has a confidence
    ends = surely(verdict.confidence, _hourly(parsed_growth.low), _hourly(parsed_growth.high))
    return (
        f"pod {pod} {leak_words}: its memory grew by {_hourly(parsed_growth.mean)} an hour ({ends}) in the last "
        f"{parsed_growth.seconds / 60:.0f} min under {verdict.profile} on {verdict.storage_class}"
    )


def _similar_pods(alike: int, total: int) -> str:
    return f"; the same holds for {alike} of {total} pods" if total > 1 else ""


def _hourly(growth: float) -> str:
    return f"{'-' if growth < 0 else ''}{format_quantity(abs(growth), unit='B')}"

"""Sentences about a volume with very many files: times of file operations, and of pod starts on the volume."""

from __future__ import annotations

from typing import cast

from acceptance.results.document import Verdict
from acceptance.results.many_files import FILE_OUTCOMES, FileOperation
from acceptance.text.quantities import format_quantity
from acceptance.wording.phrasing import Sentence, held_against, surely, wherever_it_lies

_OTHER_GROUP = "other_group"
"""The metric of pods that start with another group than that of their volume."""


def never_done(verdict: Verdict) -> str:
    """Return the sentence for an operation that was done on no file."""
    return f"no file on {verdict.storage_class} was {_operation_words(verdict)}, so the limit cannot be judged."


def time(verdict: Verdict, *, files: int) -> Sentence:
    """Return the sentence for a time of `files` files, from too few folders for a rate with an interval."""
    finding = f"{_were_done(verdict, files)} in {_time(verdict, verdict.measured)}"
    return _against_limit(verdict, finding, left_open="the number of processed folders is too small to decide it")


def rate(verdict: Verdict, *, files: int, seconds_each: float) -> Sentence:
    """Return the sentence for a rate, and the time that the limit's number of files takes at that rate."""
    finding = _at_rate(verdict, files, seconds_each)
    return held_against(verdict, finding, left_open="more files would decide it", span="CI")


def rate_of_too_few(verdict: Verdict, *, files: int, seconds_each: float) -> str:
    """Return the sentence for a pass on too few files: folders become fuller, and caches run out."""
    return f"{_at_rate(verdict, files, seconds_each)}, {_of_another_number(verdict, files)}."


def no_such_pod(verdict: Verdict) -> str:
    """Return the sentence if no pod whose start is judged was started."""
    return f"no such pod was started on {verdict.storage_class}, so the limit cannot be judged."


def start(verdict: Verdict, *, pods: int, files: int) -> Sentence:
    """Return the sentence for the slowest of `pods` pods on a volume with `files` files."""
    return _start_against_limit(verdict, _start_time(verdict, pods, files))


def start_on_another_number(verdict: Verdict, *, pods: int, files: int) -> str:
    """Return the sentence for a pass on fewer files than the limit is about, or a fail on more."""
    return f"{_start_time(verdict, pods, files)}, {_of_another_number(verdict, files)}."


def no_start(verdict: Verdict, *, pods: int, files: int, timeout_s: float, why: str) -> Sentence:
    """Return the sentence for a pod that did not start within `timeout_s`. `why`: the cluster's reason."""
    return _start_against_limit(verdict, _missing_start(verdict, pods, files, timeout_s, why))


def no_start_on_another_number(verdict: Verdict, *, pods: int, files: int, timeout_s: float, why: str) -> str:
    """Return the sentence for a pod that did not start, on more files than the limit is about."""
    return f"{_missing_start(verdict, pods, files, timeout_s, why)}, {_of_another_number(verdict, files)}."


def no_start_on_none(verdict: Verdict) -> str:
    """Return the sentence if no pod started on an empty volume, so that there is nothing to compare with."""
    return f"a pod on an empty volume of {verdict.storage_class} did not start in time, so the limit cannot be judged."


def growth(verdict: Verdict, *, pods: int, files: int, low_s: float | None = None) -> Sentence:
    """Return the sentence for the slowest of `pods` pods on files, compared with those on the empty volume.

    `low_s`: the lower end of an interval without an upper end, which the verdict does not have.
    """
    return _start_against_limit(verdict, _later(verdict, pods, files, low_s))


def growth_on_another_number(verdict: Verdict, *, pods: int, files: int, low_s: float | None = None) -> str:
    """Return the sentence for a pass on fewer files than the limit is about, or a fail on more."""
    return f"{_later(verdict, pods, files, low_s)}, {_of_another_number(verdict, files)}."


SENTENCES = {
    "never_done": never_done,
    "time_outside": time,
    "too_few_folders": time,
    **wherever_it_lies("rate", rate),
    "rate_of_too_few": rate_of_too_few,
    "no_such_pod": no_such_pod,
    **wherever_it_lies("start", start),
    "start_on_another_number": start_on_another_number,
    "no_start_outside": no_start,
    "no_start_on_both_sides": no_start,
    "no_start_on_another_number": no_start_on_another_number,
    "no_start_on_none": no_start_on_none,
    **wherever_it_lies("growth", growth),
    "growth_on_another_number": growth_on_another_number,
}


def _against_limit(verdict: Verdict, finding: str, *, left_open: str) -> Sentence:
    return held_against(verdict, finding, left_open=left_open, span="")


def _start_against_limit(verdict: Verdict, finding: str) -> Sentence:
    return _against_limit(verdict, finding, left_open="pods are polled once a second, and their start times vary")


def _of_another_number(verdict: Verdict, files: int) -> str:
    return (
        f"the limit is for {_asked_files(verdict):,} files, and the volume had {files:,}: set the same number with "
        "--storage-with many-files=N"
    )


def _asked_files(verdict: Verdict) -> int:
    return cast(int, verdict.requirement.at["files"])


def _were_done(verdict: Verdict, files: int) -> str:
    return f"{files:,} files on {verdict.storage_class} were {_operation_words(verdict)}"


def _operation_words(verdict: Verdict) -> str:
    return FILE_OUTCOMES[cast(FileOperation, verdict.metric)]


def _at_rate(verdict: Verdict, files: int, seconds_each: float) -> str:
    assert verdict.confidence is not None  # a verdict with an interval has a confidence
    ends = surely(verdict.confidence, _time(verdict, verdict.low), _time(verdict, verdict.high))
    rate = f"at {1 / seconds_each:,.0f} a second" if seconds_each > 0.0 else "in no measurable time"
    took = f"{_asked_files(verdict):,} take {_time(verdict, verdict.measured)} ({ends})"
    return f"{_were_done(verdict, files)} {rate}; {took}"


def _start_time(verdict: Verdict, pods: int, files: int) -> str:
    return f"{_slowest(verdict, pods, files)} started {_time(verdict, verdict.measured)} after the request for it"


def _missing_start(verdict: Verdict, pods: int, files: int, timeout_s: float, why: str) -> str:
    return f"{_slowest(verdict, pods, files)} had not started after {format_quantity(timeout_s, unit='s')} ({why})"


def _slowest(verdict: Verdict, pods: int, files: int) -> str:
    of = "the pod" if pods == 1 else f"the slowest of {pods} pods"
    with_group = " with another fsGroup" if verdict.metric == _OTHER_GROUP else ""
    return f"{of}{with_group} on {files:,} files on {verdict.storage_class}"


def _later(verdict: Verdict, pods: int, files: int, low_s: float | None) -> str:
    low = _time(verdict, low_s if verdict.low is None else verdict.low)
    later = f"at least {low}" if verdict.high is None else f"{low} to {_time(verdict, verdict.high)}"
    unbounded = ", with no upper bound" if verdict.high is None else ""
    return (
        f"the slowest of {pods} pods on {files:,} files on {verdict.storage_class} started {later} later than those on "
        f"an empty volume{unbounded}"
    )


def _time(verdict: Verdict, seconds: float | None) -> str:
    assert seconds is not None  # called only if there is a time
    return format_quantity(seconds, unit="s", beside=verdict.requirement.bound)

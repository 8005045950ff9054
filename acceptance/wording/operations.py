"""Sentences about concurrent control operations: their times, and the number of failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import cast

from acceptance.results.document import Verdict
from acceptance.results.operations import TITLES, Operation
from acceptance.text.quantities import format_quantity
from acceptance.wording.phrasing import Sentence, held_against, surely, wherever_it_lies

_AT_ONCE = "--storage-with operations=N"
_MORE = f"more operations ({_AT_ONCE}) would decide it"
_NEVER = "longer than every measured time"


def no_time_known(verdict: Verdict) -> str:
    """Return the sentence for a percentile without any operation."""
    return f"{_percentile(verdict)} has no value: no such operation was requested and observed, so it cannot be judged."


def time(
    verdict: Verdict,
    *,
    count: int,
    at_once: int,
    failed: Mapping[str, int],
    late: int,
    low_s: float | None = None,
    confidence: float | None = None,
    needed: int = 0,
) -> Sentence:
    """Return the sentence for a percentile of `count` operations; those that `failed`, by reason, took infinitely long.

    `late` more were observed late. `low_s` and `confidence` are those of an interval without an upper end, which the
    verdict does not have; None: no upper bound. `needed`: the number of operations for an upper end, if there are
    fewer.
    """
    sure, low_s = verdict.confidence or confidence, low_s if verdict.low is None else verdict.low
    assert sure is not None  # one of them has it
    low, high = _time(verdict, low_s), _time(verdict, verdict.high)
    ends = f"{sure * 100:.4g}% CI: {_NEVER}" if low is None else surely(sure, low, high)
    finding = f"{_percentile(verdict)} is {_time(verdict, verdict.measured) or _NEVER}"
    too_few = f"{count} operations give no upper bound of that percentile, {needed} do: request more with {_AT_ONCE}"
    more = f"; {sum(failed.values())} failed: {by_reason(failed)}" if failed else ""
    return held_against(
        verdict,
        f"{finding} ({ends}; {count} operations, {at_once} at the same time)",
        left_open=too_few if needed else _MORE,
        more=more + (f"; {late} more were observed late and do not count" if late else ""),
    )


def none_seen(verdict: Verdict) -> str:
    """Return the sentence if no operation at all was observed."""
    return f"no control operation on {verdict.storage_class} was requested and observed, so it cannot be judged."


def failures(
    verdict: Verdict,
    *,
    failed: int,
    asked: int,
    at_once: int,
    timeout_s: float,
    reasons: Mapping[Operation, Mapping[str, int]],
) -> Sentence:
    """Return the sentence for failures. `reasons`: by operation, the number not done within `timeout_s`, by reason."""
    assert verdict.confidence is not None and verdict.low is not None and verdict.high is not None  # a share has them
    ends = surely(verdict.confidence, f"{100 * verdict.low:.2g}", f"{100 * verdict.high:.2g} %")
    finding = f"{failed} of {asked} control operations on {verdict.storage_class} failed"
    failure_words = "; ".join(f"{TITLES[operation]}: {by_reason(counts)}" for operation, counts in reasons.items())
    return held_against(
        verdict,
        f"{finding} ({ends} of such operations; {at_once} at the same time)",
        left_open=_MORE,
        span="CI",
        more=f"; not completed within {format_quantity(timeout_s, unit='s')}: {failure_words}" if reasons else "",
    )


SENTENCES = {
    "no_time_known": no_time_known,
    **wherever_it_lies("time", time),
    "too_few": time,
    "none_seen": none_seen,
    **wherever_it_lies("failures", failures),
}


def by_reason(counts: Mapping[str, int]) -> str:
    """Return the counts by reason, such as `3 ProvisioningFailed, 1 nothing said`."""
    return ", ".join(f"{count} {reason}" for reason, count in Counter(counts).most_common())


def _percentile(verdict: Verdict) -> str:
    """Return the subject of a percentile, such as `p95 until PVC bound on fast`."""
    operation, _, percentile = str(verdict.metric).rpartition(".")
    return f"{percentile} until {TITLES[cast(Operation, operation)]} on {verdict.storage_class}"


def _time(verdict: Verdict, seconds: float | None) -> str | None:
    return None if seconds is None else format_quantity(seconds, unit="s", beside=verdict.requirement.bound)

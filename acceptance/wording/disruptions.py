"""Sentences about storage whose own pods were killed: the pod, missing recovery, and lost records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from acceptance.results.document import Verdict
from acceptance.wording.phrasing import Renderer, wanted_of
from acceptance.wording.polled_times import held_to
from acceptance.wording.polled_times import without_limit as measured_only
from acceptance.wording.records import count_in, ranges_in_words, shown_time

RULE = "every acknowledged record is present and intact after pods of the storage system were killed"
_WORDS = {
    "pod_ready": "a replacement was Ready {time} after pod {pod} on node {node} was killed",
    "write_gap": "no record became durable for {time} while pod {pod} on node {node} was killed",
    "new_volume": "it took {time} to write to a new volume once pod {pod} on node {node} was replaced",
}
_NEVER = {
    "pod_ready": "no replacement became Ready after pod {pod} on node {node} was killed",
    "new_volume": "no new volume could be used after pod {pod} on node {node} was killed",
}


def against_limit(verdict: Verdict, *, what: str, kills: int, pod: str, node: str, broke: str = "") -> str:
    """Return the sentence for the longest time of all kills, compared with its limit. `what`: the limit's key."""
    assert verdict.measured is not None  # a time that was compared with a limit is known
    event = _took(what, verdict.measured, pod=pod, node=node, broke=broke)
    return held_to(verdict, f"on {verdict.storage_class} {event} (the longest of {kills})")


def never(verdict: Verdict, *, what: str, pod: str, node: str, problem: str) -> str:
    """Return the sentence for a missing recovery. `problem`: the event that did not occur."""
    return _ending(verdict, _NEVER[what].format(pod=pod, node=node), problem)


def no_attempt(verdict: Verdict, *, what: str, pod: str, node: str, problem: str) -> str:
    """Return the sentence for a time that was not measured, because an earlier recovery did not occur."""
    return _ending(verdict, "no new volume was tried", problem)


def no_limit(verdict: Verdict, *, what: str, pod: str, node: str, seconds: float | None, broke: str = "") -> str:
    """Return the sentence if the tier has no such limit. `seconds`: the longest time; None: the event did not occur."""
    if seconds is None:
        event = _NEVER[what].format(pod=pod, node=node)
    else:
        event = _took(what, seconds, pod=pod, node=node, broke=broke)
    return measured_only(f"on {verdict.storage_class} {event}", section="disruption", key=what)


def records_kept(verdict: Verdict, *, acknowledged: int, kills: int) -> str:
    """Return the sentence for records that all survived."""
    return (
        f"all {acknowledged:,} acknowledged records are present and intact on {verdict.storage_class} after {kills} "
        "pods of the storage system were killed, one at a time."
    )


def records_lost(
    verdict: Verdict, *, lost: Sequence[dict[str, Any]] = (), unread: Sequence[dict[str, Any]] = ()
) -> str:
    """Return the sentence for lost records (`lost`), and unreadable ones with the reason (`unread`), by selector."""
    losses = [
        f"{count_in(pods['lost']):,} of {pods['acknowledged']:,} after pods {pods['selector']} were killed: "
        f"{ranges_in_words(pods['lost'])} (read on {pods['read_on']})"
        for pods in lost
    ]
    losses += [f"after pods {pods['selector']} were killed nothing could be read: {pods['unread']}" for pods in unread]
    return f"acknowledged records are lost or unreadable on {verdict.storage_class}: {'; '.join(losses)}."


SENTENCES: dict[str, Renderer] = {
    "within": against_limit,
    "outside": against_limit,
    "on_both_sides": against_limit,
    "never": never,
    "not_tried": no_attempt,
    "not_judged": no_limit,
    "records_kept": records_kept,
    "records_lost": records_lost,
    "records_unreadable": records_lost,
}


def _took(key: str, seconds: float, *, pod: str, node: str, broke: str) -> str:
    event = _WORDS[key].format(pod=pod, node=node, time=shown_time(seconds))
    return f"{event}, and the writing pod had to be replaced ({broke})" if broke else event


def _ending(verdict: Verdict, statement: str, problem: str) -> str:
    expected = wanted_of(verdict)
    return f"on {verdict.storage_class} {statement}: {problem}; expected {expected}. No further pod was killed."

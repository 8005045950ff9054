"""What is said of storage whose own pods were killed: which pod, what did not come back, which records are gone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from acceptance.results.document import Verdict
from acceptance.wording.phrasing import Said, wanted_of
from acceptance.wording.polled_times import held_to
from acceptance.wording.polled_times import not_judged as measured_only
from acceptance.wording.records import count_in, ranges_in_words, shown_time

RULE = "every acknowledged record is there and whole after pods of the storage system were killed"
_WORDS = {
    "pod_ready": "{time} after pod {pod} on node {node} was killed another one was Ready in its place",
    "write_gap": "while pod {pod} on node {node} was killed no record became durable for {time}",
    "new_volume": "once pod {pod} on node {node} was back, it took {time} until a new volume had been written to",
}
_NEVER = {
    "pod_ready": "after pod {pod} on node {node} was killed none became Ready in its place",
    "new_volume": "after pod {pod} on node {node} was killed no new volume could be used",
}


def judged(verdict: Verdict, *, what: str, kills: int, pod: str, node: str, broke: str = "") -> str:
    """What took longest of all kills, held against its limit. `what`: the limit's key."""
    assert verdict.measured is not None  # a time that was held against a limit is known
    told = _took(what, verdict.measured, pod=pod, node=node, broke=broke)
    return held_to(verdict, f"on {verdict.storage_class} {told} (the longest of {kills})")


def never(verdict: Verdict, *, what: str, pod: str, node: str, problem: str) -> str:
    """`problem`: what was waited for in vain."""
    return _ended(verdict, _NEVER[what].format(pod=pod, node=node), problem)


def not_tried(verdict: Verdict, *, what: str, pod: str, node: str, problem: str) -> str:
    """Something else did not come back, so this was not looked at."""
    return _ended(verdict, "was not looked at", problem)


def not_judged(verdict: Verdict, *, what: str, pod: str, node: str, seconds: float | None, broke: str = "") -> str:
    """The tier has no such limit. `seconds` of the longest; None: it never came."""
    if seconds is None:
        told = _NEVER[what].format(pod=pod, node=node)
    else:
        told = _took(what, seconds, pod=pod, node=node, broke=broke)
    return measured_only(f"on {verdict.storage_class} {told}", section="disruption", key=what)


def records_kept(verdict: Verdict, *, acknowledged: int, kills: int) -> str:
    """All are there."""
    return (
        f"all {acknowledged:,} acknowledged records are there and whole on {verdict.storage_class} after {kills} pods "
        "of the storage system were killed, one at a time."
    )


def records_lost(
    verdict: Verdict, *, lost: Sequence[dict[str, Any]] = (), unread: Sequence[dict[str, Any]] = ()
) -> str:
    """By selector of pods: records that are gone (`lost`), and why nothing could be read (`unread`)."""
    told = [
        f"{count_in(each['lost']):,} of {each['acknowledged']:,} after pods {each['selector']} were killed: "
        f"{ranges_in_words(each['lost'])} (read on {each['read_on']})"
        for each in lost
    ]
    told += [f"after pods {each['selector']} were killed nothing could be read: {each['unread']}" for each in unread]
    return f"acknowledged records are gone, or out of reach, on {verdict.storage_class}: {'; '.join(told)}."


SENTENCES: dict[str, Said] = {
    "within": judged,
    "outside": judged,
    "on_both_sides": judged,
    "never": never,
    "not_tried": not_tried,
    "not_judged": not_judged,
    "records_kept": records_kept,
    "records_lost": records_lost,
    "records_unreadable": records_lost,
}


def _took(what: str, seconds: float, *, pod: str, node: str, broke: str) -> str:
    told = _WORDS[what].format(pod=pod, node=node, time=shown_time(seconds))
    return f"{told}, and the pod that wrote had to be replaced ({broke})" if broke else told


def _ended(verdict: Verdict, said: str, problem: str) -> str:
    return f"on {verdict.storage_class} {said}: {problem}; wanted {wanted_of(verdict)}. Nothing more was killed."

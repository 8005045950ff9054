"""Planned disruption + demand -> verdict. Pure; reasons say which pod was killed, and what did not come back."""

from __future__ import annotations

from collections.abc import Sequence

from acceptance.judging.crashes import judge_time, ranges_in_words, shown_time
from acceptance.judging.outcome import not_judged, outcome, verdict_id, with_count, without_figures
from acceptance.limits.disruptions import DisruptionLimit, NewVolumeLimit, PodReadyLimit, WriteGapLimit
from acceptance.results.disruptions import KilledPod, StoragePodsRecord
from acceptance.results.document import Verdict

RULE = "every acknowledged record is there and whole after pods of the storage system were killed"
FIELDS: dict[type[DisruptionLimit], str] = {
    PodReadyLimit: "ready_s",
    WriteGapLimit: "gap_s",
    NewVolumeLimit: "new_volume_s",
}
_WORDS: dict[type[DisruptionLimit], str] = {
    PodReadyLimit: "{time} after pod {pod} on node {node} was killed another one was Ready in its place",
    WriteGapLimit: "while pod {pod} on node {node} was killed no record became durable for {time}",
    NewVolumeLimit: "once pod {pod} on node {node} was back, it took {time} until a new volume had been written to",
}
_NEVER: dict[type[DisruptionLimit], str] = {
    PodReadyLimit: "after pod {pod} on node {node} was killed none became Ready in its place",
    NewVolumeLimit: "after pod {pod} on node {node} was killed no new volume could be used",
}


def judge_disruption(records: Sequence[StoragePodsRecord], limit: DisruptionLimit) -> Verdict:
    """The verdict on the worst of all kills: fail too for what never came, inconclusive where looks are too far apart.

    What could not be looked at, because something else did not come back, is no pass: then it is inconclusive.
    """
    worst, seconds = _worst(records, type(limit))
    name, kills = records[0].storage_class, sum(len(each.kills) for each in records)
    if seconds is None:
        unseen = type(limit) is NewVolumeLimit and worst.ready_s is None
        said = "was not looked at" if unseen else _NEVER[type(limit)].format(pod=worst.pod, node=worst.node)
        return outcome(
            limit,
            storage_class=name,
            measured=None,
            unit="s",
            status="inconclusive" if unseen else "fail",
            reason=f"on {name} {said}: {worst.problem}; wanted {limit.wanted}. Nothing more was killed.",
        )
    sentence = f"on {name} {_sentence(type(limit), worst, seconds)} (the longest of {kills})"
    return judge_time(limit, storage_class=name, seconds=seconds, sentence=sentence)


def unjudged(records: Sequence[StoragePodsRecord], kind: type[DisruptionLimit]) -> Verdict:
    """No verdict: the tier has no such limit. The reason holds what was measured."""
    worst, seconds = _worst(records, kind)
    name = records[0].storage_class
    found = _NEVER[kind].format(pod=worst.pod, node=worst.node) if seconds is None else _sentence(kind, worst, seconds)
    return not_judged(
        verdict_id(name, kind.profile, kind.key, "none"),
        storage_class=name,
        profile=kind.profile,
        reason=f"on {name} {found}; measured, not judged: the tier has no limit; to judge it add one under "
        f"disruption: {kind.key}:",
    )


def judge_records_kept(records: Sequence[StoragePodsRecord]) -> Verdict:
    """Fail when one acknowledged record is not there or not whole, whichever pods were killed."""
    name, all_ = records[0].storage_class, sum(each.acknowledged for each in records)
    lost = [
        f"{each.lost_count:,} of {each.acknowledged:,} after pods {each.selector} were killed: "
        f"{ranges_in_words(each.lost)} (read on {each.read_on})"
        for each in records
        if each.lost
    ]
    lost += [
        f"after pods {each.selector} were killed nothing could be read: {each.unread}"
        for each in records
        if each.unread
    ]
    verdict = without_figures(
        verdict_id(name, "storage-pods", "records", "holds"),
        storage_class=name,
        limit=RULE,
        status="fail" if lost else "pass",
        reason=f"acknowledged records are gone, or out of reach, on {name}: {'; '.join(lost)}."
        if lost
        else f"all {all_:,} acknowledged records are there and whole on {name} after "
        f"{sum(len(each.kills) for each in records)} pods of the storage system were killed, one at a time.",
    )
    unknown = any(each.unread for each in records)
    return with_count(verdict, None if unknown else sum(each.lost_count for each in records))


def _worst(records: Sequence[StoragePodsRecord], kind: type[DisruptionLimit]) -> tuple[KilledPod, float | None]:
    """The pod for which it took longest, None for ever. Raises ValueError where none was killed."""
    kills = [each for record in records for each in record.kills]
    if not kills:
        raise ValueError("wanted at least one pod that was killed, found none")
    field = FIELDS[kind]
    never = next((each for each in kills if getattr(each, field) is None), None)
    if never is not None:
        return never, None
    worst = max(kills, key=lambda each: float(getattr(each, field)))
    return worst, float(getattr(worst, field))


def _sentence(kind: type[DisruptionLimit], worst: KilledPod, seconds: float) -> str:
    told = _WORDS[kind].format(pod=worst.pod, node=worst.node, time=shown_time(seconds))
    if kind is WriteGapLimit and worst.broke:
        told += f", and the pod that wrote had to be replaced ({worst.broke})"
    return told

"""Planned disruption + demand -> verdict. Pure; the facts say which pod was killed, and what did not come back."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from acceptance.judging.crashes import judge_time
from acceptance.judging.outcome import not_judged, outcome, verdict_id, without_figures
from acceptance.limits.declared import DISRUPTION
from acceptance.limits.limit import Limit
from acceptance.results.disruptions import KilledPod, StoragePodsRecord
from acceptance.results.document import Verdict
from acceptance.results.requirement import Outcome
from acceptance.wording.disruptions import RULE

_GAP, _NEW_VOLUME = "storage_pods.write_gap", "storage_pods.new_volume"
FIELDS = {"storage_pods.ready": "ready_s", _GAP: "gap_s", _NEW_VOLUME: "new_volume_s"}
"""by what limits are on"""


def judge_disruption(records: Sequence[StoragePodsRecord], limit: Limit) -> Verdict:
    """The verdict on the worst of all kills: fail too for what never came, inconclusive where looks are too far apart.

    What could not be looked at, because something else did not come back, is no pass: then it is inconclusive.
    """
    worst, seconds = _worst(records, limit.path)
    name, kills = records[0].storage_class, sum(len(record.kills) for record in records)
    facts = _facts(worst, limit.path)
    if seconds is None:
        unseen = limit.path == _NEW_VOLUME and worst.ready_s is None
        code = "disruptions.not_tried" if unseen else "disruptions.never"
        return outcome(
            limit,
            storage_class=name,
            measured=None,
            status="inconclusive" if unseen else "fail",
            found=Outcome(code=code, facts={**facts, "problem": worst.problem}),
        )
    facts |= {"kills": kills, **_broke(worst, limit.path)}
    return judge_time(limit, storage_class=name, seconds=seconds, code="disruptions.", facts=facts)


def unjudged(records: Sequence[StoragePodsRecord], path: str) -> Verdict:
    """No verdict: the tier has no such limit. The facts hold what was measured."""
    worst, seconds = _worst(records, path)
    name = records[0].storage_class
    facts = {**_facts(worst, path), "seconds": seconds, **_broke(worst, path)}
    return not_judged(
        verdict_id(name, DISRUPTION.profile, DISRUPTION.bounds[path][0], "none"),
        storage_class=name,
        profile=DISRUPTION.profile,
        found=Outcome(code="disruptions.not_judged", facts=facts),
    )


def judge_records_kept(records: Sequence[StoragePodsRecord]) -> Verdict:
    """Fail when one acknowledged record is not there or not whole, whichever pods were killed."""
    name, found = records[0].storage_class, _records(records)
    unknown = any(record.unread for record in records)
    return without_figures(
        verdict_id(name, "storage-pods", "records", "holds"),
        storage_class=name,
        limit=RULE,
        status="pass" if found.code == "disruptions.records_kept" else "fail",
        found=found,
        at_most=0.0,
        count=None if unknown else sum(record.lost_count for record in records),
    )


def _records(records: Sequence[StoragePodsRecord]) -> Outcome:
    told = {"selector", "acknowledged", "lost", "read_on"}
    lost: list[JsonValue] = [record.model_dump(mode="json", include=told) for record in records if record.lost]
    unread: list[JsonValue] = [
        record.model_dump(mode="json", include={"selector", "unread"}) for record in records if record.unread
    ]
    if lost:
        both: dict[str, JsonValue] = {"lost": lost, "unread": unread}
        return Outcome(code="disruptions.records_lost", facts={name: each for name, each in both.items() if each})
    if unread:
        return Outcome(code="disruptions.records_unreadable", facts={"unread": unread})
    return Outcome(
        code="disruptions.records_kept",
        facts={
            "acknowledged": sum(record.acknowledged for record in records),
            "kills": sum(len(record.kills) for record in records),
        },
    )


def _worst(records: Sequence[StoragePodsRecord], path: str) -> tuple[KilledPod, float | None]:
    """The pod for which it took longest, None for ever. Raises ValueError where none was killed."""
    kills = [kill for record in records for kill in record.kills]
    if not kills:
        raise ValueError("wanted at least one pod that was killed, found none")
    field = FIELDS[path]
    never = next((kill for kill in kills if getattr(kill, field) is None), None)
    if never is not None:
        return never, None
    worst = max(kills, key=lambda kill: float(getattr(kill, field)))
    return worst, float(getattr(worst, field))


def _facts(worst: KilledPod, path: str) -> dict[str, JsonValue]:
    """What was looked at, and the pod."""
    return {"what": DISRUPTION.bounds[path][0], "pod": worst.pod, "node": worst.node}


def _broke(worst: KilledPod, path: str) -> dict[str, JsonValue]:
    """Why the pod that wrote broke off, of a gap that includes its replacement."""
    return {"broke": worst.broke} if path == _GAP and worst.broke else {}

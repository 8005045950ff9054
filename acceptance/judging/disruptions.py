"""Planned disruption + requirement -> verdict. Pure; the facts name the killed pod and what did not recover."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from acceptance.judging.crashes import judge_time
from acceptance.judging.outcome import outcome, verdict_id, without_figures, without_limit
from acceptance.limits.declared import DISRUPTION
from acceptance.limits.limit import Limit
from acceptance.results.disruptions import KilledPod, StoragePodsRecord
from acceptance.results.document import Verdict
from acceptance.results.requirement import Outcome
from acceptance.wording.disruptions import RULE

_GAP, _NEW_VOLUME = "storage_pods.write_gap", "storage_pods.new_volume"
FIELDS = {"storage_pods.ready": "ready_s", _GAP: "gap_s", _NEW_VOLUME: "new_volume_s"}
"""Fields of a kill by the path of a limit."""


def judge_disruption(records: Sequence[StoragePodsRecord], limit: Limit) -> Verdict:
    """Return the verdict on the worst of all kills: fail if something never recovered, inconclusive between two polls.

    What could not be checked, because something else did not recover, does not pass: then it is inconclusive.
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
            value=None,
            status="inconclusive" if unseen else "fail",
            finding=Outcome(code=code, facts={**facts, "problem": worst.problem}),
        )
    facts |= {"kills": kills, **_broke(worst, limit.path)}
    return judge_time(limit, storage_class=name, seconds=seconds, code="disruptions.", facts=facts)


def skip_judging(records: Sequence[StoragePodsRecord], path: str) -> Verdict:
    """Return a skipped verdict: the tier has no such limit. The facts hold the measured values."""
    worst, seconds = _worst(records, path)
    name = records[0].storage_class
    facts = {**_facts(worst, path), "seconds": seconds, **_broke(worst, path)}
    return without_limit(
        verdict_id(name, DISRUPTION.profile, DISRUPTION.bounds[path][0], "none"),
        storage_class=name,
        profile=DISRUPTION.profile,
        finding=Outcome(code="disruptions.not_judged", facts=facts),
    )


def judge_records_kept(records: Sequence[StoragePodsRecord]) -> Verdict:
    """Fail if one acknowledged record is missing or torn, whichever pods were killed."""
    name, finding = records[0].storage_class, _records(records)
    unknown = any(record.unread for record in records)
    return without_figures(
        verdict_id(name, "storage-pods", "records", "holds"),
        storage_class=name,
        limit=RULE,
        status="pass" if finding.code == "disruptions.records_kept" else "fail",
        finding=finding,
        at_most=0.0,
        count=None if unknown else sum(record.lost_count for record in records),
    )


def _records(records: Sequence[StoragePodsRecord]) -> Outcome:
    fact_names = {"selector", "acknowledged", "lost", "read_on"}
    losses: list[JsonValue] = [record.model_dump(mode="json", include=fact_names) for record in records if record.lost]
    unread: list[JsonValue] = [
        record.model_dump(mode="json", include={"selector", "unread"}) for record in records if record.unread
    ]
    if losses:
        problems: dict[str, JsonValue] = {"lost": losses, "unread": unread}
        return Outcome(code="disruptions.records_lost", facts={name: part for name, part in problems.items() if part})
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
    """Return the slowest pod with its seconds, None if it never recovered. Raise ValueError if no pod was killed."""
    kills = [kill for record in records for kill in record.kills]
    if not kills:
        raise ValueError("expected at least one pod that was killed, found none")
    field = FIELDS[path]
    never = next((kill for kill in kills if getattr(kill, field) is None), None)
    if never is not None:
        return never, None
    worst = max(kills, key=lambda kill: float(getattr(kill, field)))
    return worst, float(getattr(worst, field))


def _facts(worst: KilledPod, path: str) -> dict[str, JsonValue]:
    """Return the facts: the aspect, the pod and its node."""
    return {"what": DISRUPTION.bounds[path][0], "pod": worst.pod, "node": worst.node}


def _broke(worst: KilledPod, path: str) -> dict[str, JsonValue]:
    """Return why the pod that wrote broke off, for a gap that includes its replacement."""
    return {"broke": worst.broke} if path == _GAP and worst.broke else {}

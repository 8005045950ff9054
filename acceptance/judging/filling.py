"""Full volume + requirement -> verdict. Pure."""

from __future__ import annotations

from acceptance.judging.outcome import verdict_id, without_figures
from acceptance.results.document import Status, Verdict
from acceptance.results.filling import TITLES, Aspect, Finding, FullVolumeRecord
from acceptance.results.requirement import Outcome

_STATUS: dict[str, Status] = {"held": "pass", "failed": "fail", "not_tried": "skipped"}


def judge_full_volume(record: FullVolumeRecord, aspect: Aspect) -> Verdict:
    """Return the verdict that the finding gives: data that a full volume loses is lost, without uncertainty."""
    finding = finding_of(record, aspect)
    return without_figures(
        verdict_id(record.storage_class, "full-volume", aspect, "holds"),
        storage_class=record.storage_class,
        limit=TITLES[aspect],
        status=_STATUS[finding.status],
        finding=Outcome(code=f"filling.{finding.status}", facts={"how": finding.how}),
    )


def finding_of(record: FullVolumeRecord, aspect: Aspect) -> Finding:
    """Return the finding on an aspect."""
    return next(finding for finding in record.findings if finding.aspect == aspect)

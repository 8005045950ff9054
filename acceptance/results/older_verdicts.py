"""What verdicts of older suites are about: those did not say so, and had no tests but those that are named here."""

from __future__ import annotations

from pathlib import PurePosixPath

from acceptance.results.document import Subject, Verdict

_BY_FILE: dict[str, Subject] = {
    "test_volume_scaling": "many-volumes",
    "test_control_plane_scale": "control-plane",
    "test_replica_rebuild": "rebuild",
    "test_durability": "durability",
    "test_data_integrity": "durability",
    "test_failover": "durability",
    "test_provisioning": "provisioning",
    "test_volume_features": "features",
    "test_regression": "history",
}
# As the last part of an id; a limit of one step had the number of volumes behind it.
_OF_MANY_VOLUMES = ("total-at-last-step", "per-volume", "latency-growth", "rate-limited", "node-scaling", "scaling")


def with_subject(verdict: Verdict) -> Verdict:
    """The verdict with its subject: its own, else what it was about in older suites."""
    return verdict if verdict.subject else verdict.model_copy(update={"subject": _subject(verdict)})


def _subject(verdict: Verdict) -> Subject:
    file = PurePosixPath(verdict.test.partition("::")[0]).stem
    if file in _BY_FILE:
        return _BY_FILE[file]
    if verdict.id.rpartition("/")[2].startswith(_OF_MANY_VOLUMES):
        return "many-volumes"
    return "further-tests" if verdict.profile is None else "speed"

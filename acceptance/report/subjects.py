"""What a verdict is about: the subjects of the report, in the order in which they are read."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Literal

from acceptance.report.verdicts import is_about_many_volumes
from acceptance.results.document import Verdict

Subject = Literal[
    "synchronous-writes",
    "iops",
    "bandwidth",
    "latency",
    "further-profiles",
    "many-volumes",
    "control-plane",
    "rebuild",
    "durability",
    "provisioning",
    "features",
    "history",
    "further-tests",
]
TITLES: dict[Subject, str] = {
    "synchronous-writes": "Synchronous writes",
    "iops": "IOPS",
    "bandwidth": "Bandwidth",
    "latency": "Latency",
    "further-profiles": "Further profiles",
    "many-volumes": "Many volumes at once",
    "control-plane": "Control plane",
    "rebuild": "Rebuild of a lost replica",
    "durability": "Durability, integrity and failover",
    "provisioning": "Provisioning",
    "features": "What volumes can do",
    "history": "Compared with earlier runs",
    "further-tests": "Further tests",
}
# Tests that are not about the speed of one volume, by the file that they stand in.
_OF_TESTS: dict[str, Subject] = {
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
_SYNCHRONOUS = ("sync-write-iops", "etcd-fsync")
# kbench's twelve jobs, by what they are about.
_KBENCH = re.compile(r"(random|sequential)-(read|write)-(?P<about>iops|bandwidth|latency)")
_ABOUT: dict[str, Subject] = {"iops": "iops", "bandwidth": "bandwidth", "latency": "latency"}


def subject_of(verdict: Verdict) -> Subject:
    """By the file of its test; what is judged of one volume's speed, by its profile."""
    file = PurePosixPath(verdict.test.partition("::")[0]).stem
    if file in _OF_TESTS:
        return _OF_TESTS[file]
    if is_about_many_volumes(verdict):
        return "many-volumes"
    return "further-tests" if verdict.profile is None else subject_of_profile(verdict.profile)


def subject_of_profile(profile: str) -> Subject:
    """What a profile that loads one volume is about."""
    if profile in _SYNCHRONOUS:
        return "synchronous-writes"
    about = kbench_subject(profile)
    return "further-profiles" if about is None else about


def kbench_subject(profile: str) -> Subject | None:
    """What a job of kbench is about; None for other profiles."""
    found = _KBENCH.fullmatch(profile)
    return _ABOUT[found["about"]] if found else None

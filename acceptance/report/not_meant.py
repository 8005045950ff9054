"""The chapter on the risks that remain after a pass: the records of the run decide which tests are missing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from acceptance.results.clusters import StorageClass
from acceptance.results.completeness import classes_under_test
from acceptance.results.document import Results
from acceptance.results.verdicts import OF_ONE_VOLUME

_NODE_FAILURES = frozenset({"node-failed", "failover", "failover-out-of-service"})
# Parameters of drivers that promise encryption: encrypted (AWS, Ceph, Longhorn), kmsKeyId, disk-encryption-kms-key,
# secure (Portworx), type: LUKS (OpenStack), and secrets that are named after it (Hetzner).
_ENCRYPTION = re.compile(r"encrypt|luks|kms|^secure$", re.IGNORECASE)
_NAMES_ENCRYPTION = re.compile(r"encrypt|luks", re.IGNORECASE)
_OFF = frozenset({"", "0", "false", "no", "none", "off", "disabled"})


@dataclass(frozen=True, kw_only=True)
class NotMeant:
    """The chapter: its heading, and each risk that remains, with a remark on this run."""

    heading: str
    risks: list[tuple[str, str]]


def not_meant(results: Results) -> NotMeant:
    """Return the chapter for a run, whether it passed or not."""
    is_pass = results.overall == "pass"
    proves_not = "This pass does not prove" if is_pass else "A pass would not prove"
    says = "This pass says" if is_pass else "A pass would say"
    risks = [(f"{proves_not} {risk}.", remark) for risk, remark in _risks(results)]
    return NotMeant(
        heading=f"What {'this' if is_pass else 'a'} pass {'does' if is_pass else 'would'} not prove",
        risks=[*risks, (f"{says} nothing about limits without a verdict, security, backup, support or cost.", "")],
    )


def _risks(results: Results) -> Iterator[tuple[str, str]]:
    crashes = _crashes(results)
    yield "that data is never lost", _crashes_in_words(len(crashes))
    yield (
        "that a disk survives a power cut",
        "The node failures of this run show it only if they cut the power."
        if crashes & _NODE_FAILURES
        else "This run made no node fail.",
    )
    yield (
        "that the storage is fast enough for your application",
        "The verdicts of this run apply only to its limits and profiles."
        if _has_judged_load(results)
        else "This run judged no limit on the speed of a volume.",
    )
    sustained = "" if results.sustained else "no sustained load, and "
    yield "that the storage stays as fast", f"This run measured {sustained}no full disk, worn SSD or larger cluster."
    yield from _declared(results)


def _declared(results: Results) -> Iterator[tuple[str, str]]:
    """Yield the properties that a class under test declares, and that no pod can observe."""
    tested = set(classes_under_test(results))
    encrypted = [
        f"{storage_class.name} ({', '.join(parameters)})"
        for storage_class in (results.cluster.storage_classes if results.cluster else ())
        if storage_class.name in tested and (parameters := _parameters_of_encryption(storage_class))
    ]
    if encrypted:
        yield "that volumes are encrypted", f"Declared, not tested: {'; '.join(encrypted)}."
    modified = [
        record.storage_class
        for record in results.capabilities
        if record.capability == "volume-attributes-class" and record.status == "seen"
    ]
    if modified:
        yield (
            "that a VolumeAttributesClass has its effect, such as more IOPS",
            f"Declared, not tested: {', '.join(modified)}; this run saw only that the change was reported.",
        )


def _parameters_of_encryption(storage_class: StorageClass) -> list[str]:
    """Return the names of the class's parameters that promise encryption; values may be secret."""
    return sorted(
        name
        for name, value in storage_class.parameters.items()
        if value.strip().lower() not in _OFF and (_ENCRYPTION.search(name) or _NAMES_ENCRYPTION.search(value))
    )


def _crashes(results: Results) -> set[str]:
    """Return the kinds of crashes that the run tested; a drain is none."""
    kinds: set[str] = {record.failure for record in results.durability if record.failure != "drained"}
    kinds |= {"storage-pods"} if results.storage_pods else set()
    return kinds | ({"postgresql"} if results.postgresql else set())


def _crashes_in_words(count: int) -> str:
    if not count:
        return "This run tested no crashes."
    tested_kinds = "one kind of crash" if count == 1 else f"{count} kinds of crashes"
    return f"This run tested {tested_kinds}; other failures may still lose data."


def _has_judged_load(results: Results) -> bool:
    return any(
        verdict.status != "skipped" and verdict.metric is not None and verdict.subject in OF_ONE_VOLUME
        for verdict in results.verdicts
    )

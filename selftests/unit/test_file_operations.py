"""Operations on files, with programs as pods: seen on a local disk, missing or a fail where one goes wrong."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from acceptance.cluster.claims import Claim
from acceptance.report.records.capabilities import capability_parts
from acceptance.report.summary import render_summary
from acceptance.results.features import CapabilityRecord
from acceptance.results.file_operations import FILE_OPERATIONS, OperationRecord
from acceptance.results.recorder import Recorder
from acceptance.text.errors import StorageFailure, Unsupported
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.file_operations import operation_records, try_file_operations
from selftests.bounds import HANGS_S
from selftests.unit.read_parts import tables_of
from selftests.unit.test_report_rebuilds import results
from selftests.unit.test_volume_features import CLAIM, TriedBench

WORKING = [["works", name] for name in FILE_OPERATIONS]
with_sysbench = pytest.mark.skipif(shutil.which("sysbench") is None, reason="sysbench is not installed")


@dataclass
class ProgramBench(TriedBench):
    """Pods are programs; `between`: what happens to the first one's files before the second."""

    folder: Path
    between: Callable[[Path], object] = str
    operations: Sequence[OperationRecord] = ()
    workspace: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(image="own"))

    def claim(self, part: str) -> Claim:
        return CLAIM

    def missing(self, why: str) -> Unsupported:
        return Unsupported(why)

    def run(self, claim: Claim, script: str, **variables: str) -> str:
        if (files := self.folder / "files").exists():
            self.between(files)
        environment = os.environ | {"VOLUME": str(self.folder)} | variables
        return subprocess.run(
            ["sh", "-c", script], env=environment, capture_output=True, text=True, timeout=HANGS_S, check=True
        ).stdout


def changed(name: str, *words: str) -> list[list[str]]:
    """What a pod prints in which one operation ends with these words."""
    return [[words[0], name, *words[1:]] if each[1] == name else each for each in WORKING]


def outcome(made: list[list[str]], shown: list[list[str]]) -> dict[str, str]:
    """The outcomes of operations that do not work."""
    return {each.operation: each.outcome for each in operation_records(made, shown) if each.outcome != "works"}


@with_sysbench
def test_a_local_disk_has_all_of_them(tmp_path: Path) -> None:
    bench = ProgramBench(tmp_path)
    said = try_file_operations(cast(Bench, bench))
    assert {each.operation: each.outcome for each in bench.operations} == dict.fromkeys(FILE_OPERATIONS, "works")
    assert len(FILE_OPERATIONS) >= 20 and f"all {len(FILE_OPERATIONS)} operations" in said


@with_sysbench
@pytest.mark.parametrize(
    ("between", "name", "ends_in"),
    [
        (lambda files: (files / "private").chmod(0o777), "file-modes", Unsupported),
        (lambda files: (files / "Name").write_text("other\n"), "case-sensitive-names", StorageFailure),
        (lambda files: (files / "pipe").unlink(), "named-pipe", StorageFailure),
        (lambda files: (files / "old").write_text("\n"), "replace-file", StorageFailure),
        (lambda files: (files / "second").unlink(), "hard-link", StorageFailure),
        (lambda files: (files / "deleted").touch(), "delete-open-file", StorageFailure),
        (lambda files: os.utime(files / "dated", (0, 0)), "times", StorageFailure),
        (lambda files: os.removexattr(files / "tagged", "user.acceptance"), "extended-attribute", StorageFailure),
        (lambda files: os.truncate(files / "reserved", 1), "preallocate", StorageFailure),
    ],
)
def test_a_result_that_a_new_pod_does_not_see_fails_unless_file_systems_ignore_it(
    between: Callable[[Path], object], name: str, ends_in: type[Exception], tmp_path: Path
) -> None:
    bench = ProgramBench(tmp_path, between)
    with pytest.raises(ends_in, match=rf": {name} \(in a new pod: ") as caught:
        try_file_operations(cast(Bench, bench))
    assert type(caught.value) is ends_in
    assert [each.operation for each in bench.operations if each.outcome != "works"] == [name]


@pytest.mark.parametrize(
    ("name", "number", "expected"),
    [
        ("hard-link", errno.EPERM, "lacks"),
        ("hard-link", errno.EINVAL, "fails"),
        ("direct-io", errno.EINVAL, "lacks"),
        ("flock", errno.ENOLCK, "fails"),
        ("append", errno.EIO, "fails"),
    ],
)
def test_an_operation_that_is_refused_is_lacking_unless_it_failed(name: str, number: int, expected: str) -> None:
    assert outcome(changed(name, "refused", str(number), "call:", "why"), changed(name, "wrong", "gone")) == {
        name: expected
    }


def test_what_a_later_pod_is_refused_is_lost_and_what_no_pod_reports_fails() -> None:
    lost = changed("extended-attribute", "refused", str(errno.ENOTSUP), "getxattr:", "why")
    assert outcome(WORKING, lost) == {"extended-attribute": "fails"}
    assert outcome(WORKING, changed("socket", "ignored", "a", "file")) == {"socket": "lacks"}
    assert outcome(WORKING[1:], WORKING) == {"hard-link": "fails"}


def test_the_report_has_a_table_with_a_column_of_each_class() -> None:
    records = [
        CapabilityRecord(
            storage_class=name,
            capability="file-operations",
            status="missing",
            how="",
            operations=list(operation_records(made, WORKING)),
        )
        for name, made in {"fast": WORKING, "old": changed("socket", "ignored", "<b>")}.items()
    ]
    found = results().model_copy(update={"capabilities": records})
    _, rows = tables_of(*capability_parts(found))
    (row,) = [each for each in rows if each["Operation"] == "socket"]
    assert "works" in row["fast"] and "lacks" in row["old"]
    assert len(rows) == len(FILE_OPERATIONS)
    assert "&lt;b&gt;" in render_summary(found)


def test_a_capability_that_is_tried_twice_is_in_the_results_once() -> None:
    recorder = Recorder(run_id="r", started_at=datetime.now(UTC), settings={}, tier_limits=0)
    for name, how in (("fast", "first"), ("old", "other"), ("fast", "second")):
        record = CapabilityRecord(storage_class=name, capability="file-operations", status="seen", how=how)
        recorder.keep_capability(record)
    assert [record.how for record in recorder.of(CapabilityRecord)] == ["other", "second"]

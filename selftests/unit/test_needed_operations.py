"""Operations on files that workloads need: which they are, the verdict on a class, and the line of the workload."""

from __future__ import annotations

from pathlib import Path

import pytest

from acceptance.judging.file_operations import judge_operations
from acceptance.limits.workloads import load_operations
from acceptance.report.workloads import workload_sentences
from acceptance.results.document import Status
from acceptance.results.features import CapabilityRecord
from acceptance.results.file_operations import FILE_OPERATIONS, OperationOutcome, OperationRecord
from acceptance.text.errors import WrongUsage
from selftests.unit.test_workloads import FOLDER, LIMITS, found, verdict, workload


@pytest.mark.parametrize("name", sorted(path.parent.name for path in FOLDER.glob("*/operations.yaml")))
def test_the_operations_that_a_workload_needs_are_known_ones_each_with_a_reason(name: str) -> None:
    loaded = workload(name, "baseline")
    assert loaded.operations and set(loaded.operations) <= set(FILE_OPERATIONS)
    assert loaded.record.operations == list(loaded.operations)
    assert set(loaded.texts) == {"limits.yaml", "operations.yaml"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("flock: a reason\nflight: none\n", "line 2: expected an operation of .* found 'flight'"),
        ("flock:\n", "line 1: expected an operation of .* found 'flock'"),
        ("[]\n", "expected operations, found none"),
    ],
)
def test_errors_of_a_file_of_operations_are_told(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "operations.yaml"
    path.write_text(text)
    with pytest.raises(WrongUsage, match=said):
        load_operations(path)


def operations(**outcomes: OperationOutcome) -> CapabilityRecord:
    """What was seen of files on a class."""
    return CapabilityRecord(
        storage_class="fast",
        capability="file-operations",
        status="seen",
        how="so it was",
        operations=[
            OperationRecord(operation=name, outcome=outcome, problem="no such call")
            for name, outcome in outcomes.items()
        ],
    )


NEEDS = {"flock": "one server only", "truncate": "space is freed"}


@pytest.mark.parametrize(
    ("observed", "status", "said"),
    [
        (
            operations(flock="works", truncate="works", socket="fails"),
            "pass",
            "all operations on files that postgresql",
        ),
        (operations(flock="lacks", truncate="works"), "fail", "flock lacks (no such call); one server only"),
        (operations(flock="works", truncate="fails"), "fail", "truncate fails (no such call); space is freed"),
        (operations(flock="works"), "fail", "truncate was not tried; space is freed"),
        (operations().model_copy(update={"status": "failed"}), "fail", "so it was"),
        (operations().model_copy(update={"status": "missing"}), "skipped", "so it was"),
    ],
)
def test_a_workload_fails_on_a_class_that_lacks_an_operation_that_it_needs(
    observed: CapabilityRecord, status: Status, said: str
) -> None:
    judged = judge_operations(observed, workload="postgresql", reasons=NEEDS)
    assert judged.status == status and said in judged.reason


@pytest.mark.parametrize(("seen", "said"), [("works", "passes"), ("lacks", "fails")])
def test_the_line_of_a_workload_counts_the_operations_that_it_needs(seen: OperationOutcome, said: str) -> None:
    judged = judge_operations(operations(flock=seen), workload="postgresql", reasons={"flock": "one server only"})
    run = found(*(verdict(metric, "pass") for metric in LIMITS), judged.model_copy(update={"subject": "workloads"}))
    (line,) = workload_sentences(run)
    assert line.startswith(f"for postgresql: fast {said} (2 of 2 limits pass; file operations: ")
    assert "postgresql itself" not in line

"""Operations on files that a workload needs -> verdict. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from acceptance.judging.outcome import plain_outcome, verdict_id, without_figures
from acceptance.results.document import Status, Verdict
from acceptance.results.features import CapabilityRecord
from acceptance.results.requirement import Outcome
from acceptance.results.workloads import Workload
from acceptance.wording.file_operations import OPERATIONS, rule


def judge_operations(record: CapabilityRecord, *, workload: Workload, reasons: Mapping[str, str]) -> Verdict:
    """Fail if one of the operations lacks or fails. `reasons`: why the workload needs each.

    A class on which no operation was tried fails if that is its own fault, and is skipped otherwise.
    """
    known = {operation.operation: operation for operation in record.operations}
    problems = {
        name: f"{known[name].outcome} ({known[name].problem})" if name in known else "was not tried"
        for name in reasons
        if name not in known or known[name].outcome != "works"
    }
    status: Status = "fail" if problems else "pass"
    finding = Outcome(code="file_operations.works", facts={"operations": list(reasons)})
    if not known:
        status, finding = "fail" if record.status == "failed" else "skipped", plain_outcome(record.how)
    elif problems:
        facts: dict[str, JsonValue] = {
            "problems": dict(problems.items()),
            "reasons": {name: reasons[name] for name in problems},
        }
        finding = Outcome(code="file_operations.wrong", facts=facts)
    return without_figures(
        verdict_id(record.storage_class, workload, OPERATIONS, "holds"),
        storage_class=record.storage_class,
        profile=workload,
        limit=rule(workload, list(reasons)),
        status=status,
        finding=finding,
    )

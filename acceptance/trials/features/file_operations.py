"""Operations on files that programs know from local file systems: each works, is lacking, or fails."""

from __future__ import annotations

import errno
from collections.abc import Sequence

from acceptance.cluster.claims import Claim
from acceptance.results.file_operations import FILE_OPERATIONS, OperationRecord
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.declared import Tries
from acceptance.trials.lua_program import RUN, program_of, words_said

LACKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.ENAMETOOLONG)
"""Errors of a file system that lacks an operation; other errors are failures of one that has it."""
LACKS_ALSO = {
    "unnamed-file": (errno.EISDIR, errno.EINVAL),
    "preallocate": (errno.EINVAL,),
    "punch-hole": (errno.EINVAL,),
    "shared-mapping": (errno.ENODEV, errno.EINVAL),
    "utf8-name": (errno.EILSEQ, errno.EINVAL),
    "directory-fsync": (errno.EINVAL,),
    "direct-io": (errno.EINVAL,),
    "copy-file-range": (errno.EINVAL, errno.EXDEV),
}
"""Further such errors of single operations."""


@Tries("file-operations", "Files are linked, replaced, mapped and protected as on a local disk", pods=2)
def try_file_operations(bench: Bench) -> str:
    """Verify that operations on files have the results that a local file system has, and return what was observed.

    The bench keeps the outcome of each. Raises Unsupported if the file system lacks an operation, StorageFailure if one
    fails or its result is lost.
    """
    claim, mark = bench.claim("files"), new_mark()
    bench.operations = operation_records(_run(bench, claim, "make", mark), _run(bench, claim, "show", mark))
    problems = [record for record in bench.operations if record.outcome != "works"]
    if not problems:
        return f"all {len(bench.operations)} operations worked, and a new pod saw their results"
    words = "; ".join(f"{record.operation} ({record.problem})" for record in problems)
    about = f"volumes of StorageClass {bench.storage_class.name}"
    if all(record.outcome == "lacks" for record in problems):
        raise bench.missing(f"{about} lack operations of local file systems: {words}")
    raise StorageFailure(f"operations on files fail on {about}: {words}")


def _run(bench: Bench, claim: Claim, role: str, mark: str) -> list[list[str]]:
    program = program_of("acceptance.trials.features", "file_calls.lua", "file_operations.lua")
    output = bench.run(claim, RUN, PROGRAM=program, ROLE=role, MARK=mark)
    return words_said(output, image=bench.workspace.image)


def operation_records(made: Sequence[Sequence[str]], shown: Sequence[Sequence[str]]) -> tuple[OperationRecord, ...]:
    """Return what became of each operation, from the words that the pod that did it and a later one printed.

    A result counts as lost if the later pod does not find it, whatever the error.
    """
    first, later = ({words[1]: list(words) for words in lines} for lines in (made, shown))
    return tuple(_record(name, first.get(name), later.get(name)) for name in FILE_OPERATIONS)


def _record(name: str, made: list[str] | None, shown: list[str] | None) -> OperationRecord:
    if made is None or shown is None:
        return OperationRecord(operation=name, outcome="fails", problem="the pod reports no result")
    if made[0] != "works":
        return _not_working(name, made)
    if shown[0] == "works":
        return OperationRecord(operation=name, outcome="works")
    record = _not_working(name, shown)
    outcome = "lacks" if shown[0] == "ignored" else "fails"
    return record.model_copy(update={"outcome": outcome, "problem": f"in a new pod: {record.problem}"})


def _not_working(name: str, words: list[str]) -> OperationRecord:
    kind, _, *rest = words
    lacks = kind == "ignored"
    if kind == "refused":
        lacks = int(rest.pop(0)) in (*LACKS, *LACKS_ALSO.get(name, ()))
    return OperationRecord(operation=name, outcome="lacks" if lacks else "fails", problem=" ".join(rest))

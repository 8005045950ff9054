"""Operations on files that programs know from local file systems: links, replacement, deletion, modes, names."""

from __future__ import annotations

from dataclasses import dataclass

from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.declared import Tries
from acceptance.trials.features.rights import KEEPS_NONE

REFUSALS = (*KEEPS_NONE, "File name too long")
"""Errors of a file system that lacks an operation; other errors are failures of one that has it."""
_LONG_NAME = "n" * 255  # as long as Linux allows


@dataclass(frozen=True, kw_only=True)
class Operation:
    """An operation in a pod's shell: `make` does it; `show` prints the mark in a new pod that sees its result.

    `ignorable`: a file system that lacks it may accept it without effect.
    """

    make: str
    show: str
    ignorable: bool = False


OPERATIONS = {
    "hard link": Operation(make='echo "$MARK" > first && ln first second && rm first', show="cat second"),
    "symbolic link": Operation(make='echo "$MARK" > target && ln -s target link', show="cat link"),
    "replaced file": Operation(make='echo > old && echo "$MARK" > new && mv -f new old', show="cat old"),
    "deleted file that is read": Operation(
        make='echo "$MARK" > open && exec 3< open && rm open && cat <&3 > read', show="cat read"
    ),
    "file modes": Operation(
        make="echo > private && chmod 0600 private && echo > program && chmod 0750 program",
        show='[ "$(stat -c %a private program | tr -d "\\n")" = 600750 ] && echo "$MARK"',
        ignorable=True,
    ),
    "names that differ in case": Operation(
        make='echo "$MARK" > Name && echo other > name', show="cat Name", ignorable=True
    ),
    "name of 255 bytes": Operation(make=f'echo "$MARK" > {_LONG_NAME}', show=f"cat {_LONG_NAME}"),
    "named pipe": Operation(make="mkfifo pipe", show='[ -p pipe ] && echo "$MARK"', ignorable=True),
}
_MAKE = 'mkdir "$VOLUME/files" && cd "$VOLUME/files" || exit\n' + "".join(
    f'message=$({{ {operation.make}; }} 2>&1) || echo "{name}:" $message\n' for name, operation in OPERATIONS.items()
)
_SHOW = 'cd "$VOLUME/files" || exit\n' + "".join(
    f'echo "{name}: $({operation.show} 2> /dev/null)"\n' for name, operation in OPERATIONS.items()
)


@Tries("file-operations", "Files are linked, replaced and protected as on a local disk", pods=2)
def try_file_operations(bench: Bench) -> str:
    """Verify that operations on files have the results that a local file system has, and return what was observed.

    Raises Unsupported if the file system lacks an operation, StorageFailure if one fails or its result is lost.
    """
    claim, mark = bench.claim("files"), new_mark()
    errors = _answers(bench.run(claim, _MAKE, MARK=mark))
    results = _answers(bench.run(claim, _SHOW, MARK=mark))
    problems = {name: _problem(errors.get(name)) for name in OPERATIONS if results.get(name) != mark}
    if not problems:
        return f"a new pod saw the results of all operations on files: {', '.join(OPERATIONS)}"
    lacks_all = all(
        problem in REFUSALS or (name not in errors and OPERATIONS[name].ignorable) for name, problem in problems.items()
    )
    words = "; ".join(f"{name} ({problem})" for name, problem in problems.items())
    about = f"volumes of StorageClass {bench.storage_class.name}"
    if lacks_all:
        raise bench.missing(f"{about} lack operations of local file systems: {words}")
    raise StorageFailure(f"operations on files fail on {about}: {words}")


def _answers(output: str) -> dict[str, str]:
    """Return what the pod printed of each operation: after the last colon, an error of the kernel or the mark."""
    lines = (line for line in output.splitlines() if ":" in line)
    return {line.partition(":")[0]: line.rpartition(":")[2].strip() for line in lines}


def _problem(error: str | None) -> str:
    return "a new pod does not see the result" if error is None else error or "failed without an error"

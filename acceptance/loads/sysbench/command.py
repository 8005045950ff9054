"""How sysbench is run: shell commands for a folder on the volume, for any POSIX shell.

They expect in their environment FOLDER (absolute, on the volume, used by nothing else), SIZE in bytes and RUNTIME in
whole seconds, with or without an `s` as fio wants it.
"""

from __future__ import annotations

from collections.abc import Sequence

# `prepare` leaves files as they are that have their size, and makes each durable: called again it takes milliseconds.
# It runs aside, so that the shell can pass on the word to end: nothing writes on after it.
_RUN = """mkdir -p "$FOLDER" && cd "$FOLDER" || exit
RUNTIME="${{RUNTIME%s}}"
trap 'kill "$!" 2>/dev/null; exit 143' TERM
sysbench fileio {options} prepare &
wait "$!" || exit
trap - TERM
exec sysbench fileio {options} --report-interval=1 run
"""


def script(options: Sequence[str]) -> str:
    """Commands that make the files where they are not there in full, then load them for RUNTIME.

    They are the last of their shell, whose process sysbench takes over: the exit status is sysbench's. What it prints
    is for SysbenchOutput: a line a second, and one for each file while it makes them.
    """
    return _RUN.format(options=_quoted(options))


def _quoted(options: Sequence[str]) -> str:
    """In double quotes, for the shell to put in the variables; `read_options` lets no other special character pass."""
    return " ".join(f'"{option}"' for option in options)

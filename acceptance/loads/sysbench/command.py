"""The shell commands that run sysbench in a folder on the volume, for any POSIX shell.

They expect in their environment FOLDER (absolute, on the volume, used by nothing else), SIZE in bytes and RUNTIME in
whole seconds, with or without the `s` that fio expects.
"""

from __future__ import annotations

from collections.abc import Sequence

# `prepare` keeps files that have their size, and makes each durable: if it is called again, it takes milliseconds.
# It runs in the background, so that the shell can pass on SIGTERM: no process writes after that.
_RUN = """mkdir -p "$FOLDER" && cd "$FOLDER" || exit
RUNTIME="${{RUNTIME%s}}"
trap 'kill "$!" 2>/dev/null; exit 143' TERM
sysbench fileio {options} prepare &
wait "$!" || exit
trap - TERM
exec sysbench fileio {options} --report-interval=1 run
"""


def script(options: Sequence[str]) -> str:
    """Return commands that create the files that are not there in full, then load them for RUNTIME.

    They are the last commands of their shell, because sysbench replaces its process: the exit status is sysbench's.
    SysbenchOutput reads the output: a line a second, and one for each file while sysbench creates them.
    """
    return _RUN.format(options=_quote(options))


def _quote(options: Sequence[str]) -> str:
    """Put options in double quotes: the shell inserts variables; `read_options` admits no other special character."""
    return " ".join(f'"{option}"' for option in options)

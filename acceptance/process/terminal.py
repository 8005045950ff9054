"""The terminal of the user, for programs that ask the user something, such as one that logs in."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Terminal:
    """Two descriptors. `stdin`: of a terminal that programs may read from, None if there is none; `stderr`: for their
    messages."""

    stdin: int | None = None
    stderr: int = 2

    def say(self, text: str) -> None:
        """Print a line, also while pytest captures output."""
        os.write(self.stderr, f"{text}\n".encode(errors="replace"))


def this_terminal() -> Terminal:
    """Return the terminal that this process was started in; without one, programs get no input."""
    try:
        return Terminal(stdin=0 if os.isatty(0) else None)
    except OSError:
        return Terminal()

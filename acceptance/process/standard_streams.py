"""What this process prints may lose its reader, as `| head` and an ended `| tee` do: what is being done goes on."""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO


class _Pipe(io.FileIO):
    """A descriptor that drops what is written to it once nobody reads it."""

    def write(self, data: bytes | bytearray | memoryview, /) -> int:  # type: ignore[override]
        """As of a file, but for a pipe without a reader, in whose place nothing is from then on."""
        try:
            return super().write(data)
        except BrokenPipeError:
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, self.fileno())
            os.close(nothing)
            return super().write(data)


def outlast_readers() -> None:
    """Let the output and the errors of this process be written without an error where nobody reads them any more.

    A run that stops at its first line without a reader would leave no report, and a list would end in a traceback.
    """
    sys.stdout, sys.stderr = _outlasting(sys.stdout), _outlasting(sys.stderr)


def _outlasting(stream: TextIO) -> TextIO:
    """The stream as it is set up, on the same descriptor; itself where it has none, as if it was closed."""
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    stream.flush()
    raw = _Pipe(stream.fileno(), "w", closefd=False)
    return io.TextIOWrapper(
        raw if stream.write_through else io.BufferedWriter(raw),  # type: ignore[type-var]
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )

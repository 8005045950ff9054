"""Standard streams that may lose their reader, as with `| head` or a dead `| tee`, while the process continues."""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO


class _Pipe(io.FileIO):
    """A descriptor that drops what is written to it once it has no reader."""

    def write(self, data: bytes | bytearray | memoryview, /) -> int:  # type: ignore[override]
        """Write as to a file; if the pipe has lost its reader, replace it by the null device."""
        try:
            return super().write(data)
        except BrokenPipeError:
            null_device = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null_device, self.fileno())
            os.close(null_device)
            return super().write(data)


def outlast_readers() -> None:
    """Let this process write output and errors without an exception after their readers have ended.

    Otherwise a run would stop at its first line without a reader, without a report, and a list with a traceback.
    """
    sys.stdout, sys.stderr = _outlasting(sys.stdout), _outlasting(sys.stderr)


def _outlasting(stream: TextIO) -> TextIO:
    """Return the stream with its settings, on a `_Pipe` of the same descriptor; unchanged if it has none."""
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

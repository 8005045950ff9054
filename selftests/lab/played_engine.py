"""An engine of Longhorn as its block device sees it: a socket, and a volume of bytes behind it."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from pathlib import Path

# The header of Longhorn's package dataconn: magic number, sequence, kind, offset, size, bytes of data that follow.
_HEADER = struct.Struct("<HIIqII")
_MAGIC, _WRITE, _ANSWER = 0x1B01, 1, 2


class PlayedEngine:
    """Serves one connection at a time on `path` until `end`."""

    def __init__(self, path: Path, *, size: int) -> None:
        self.path, self.size = path, size
        self.content = bytearray(size)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._connection: socket.socket | None = None
        threading.Thread(target=self._serve, daemon=True).start()

    def end(self) -> None:
        """Break off, as an engine does that is killed."""
        for each in (self._listener, self._connection):
            if each is not None:
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
                each.close()
        self.path.unlink(missing_ok=True)

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                self._connection, _ = self._listener.accept()
                self._answer(self._connection)

    def _answer(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError, ValueError, struct.error), connection.makefile("rb") as requests:
            while True:
                _, sequence, kind, offset, size, length = _HEADER.unpack(requests.read(_HEADER.size))
                data = requests.read(length)
                if kind == _WRITE:
                    self.content[offset : offset + size] = data
                answer = b"" if kind == _WRITE else bytes(self.content[offset : offset + size])
                connection.sendall(_HEADER.pack(_MAGIC, sequence, _ANSWER, offset, size, len(answer)) + answer)

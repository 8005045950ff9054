"""What servers of tests have in common: they answer with JSON, on loopback, and are silent."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class JsonHandler(BaseHTTPRequestHandler):
    """A handler whose methods end with `answer`."""

    def answer(self, status: int, body: Any) -> None:
        """Send this; bytes as they are."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def body(self) -> bytes:
        """What came with the request."""
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def log_message(self, *_: object) -> None:
        """Nothing is shown."""


@contextmanager
def serving(handler: type[JsonHandler]) -> Iterator[str]:
    """Have it listen; its URL."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        thread = threading.Thread(target=http.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{http.server_address[1]}"
        http.shutdown()
        thread.join()

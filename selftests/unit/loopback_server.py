"""A server on loopback that answers as an empty Kubernetes cluster does, and keeps what it was asked and by whom."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import yaml

from embedded_cluster.certificates import Authority, KeyPair
from selftests.unit.json_server import JsonHandler

VERSION = {"gitVersion": "v1.34.4"}


@dataclass
class Loopback:
    """Where it listens, and each request's path and headers so far. `lets_in`: whether headers are good enough;
    `answers`: what paths have other answers than an empty list; `connections`: how many were begun."""

    url: str = ""
    lets_in: Callable[[Any], bool] = lambda headers: True
    answers: dict[str, Any] = field(default_factory=dict)
    asked: list[tuple[str, Any]] = field(default_factory=list)
    connections: int = 0

    def authorizations(self) -> set[str | None]:
        """What requests were to be let in by."""
        return {headers.get("Authorization") for _, headers in self.asked}

    def answer(self, path: str, headers: Any) -> tuple[int, Any]:
        self.asked.append((path, headers))
        if not self.lets_in(headers):
            return 401, {"kind": "Status", "message": "Unauthorized", "code": 401}
        for beginning, body in self.answers.items():
            if path.startswith(beginning):
                return 200, body
        if path.startswith("/version"):
            return 200, VERSION
        return 200, {"kind": "List", "items": [], "metadata": {}, "status": {"allowed": True}}


@contextmanager
def loopback(server: Loopback, *, tls: KeyPair | None = None, clients_of: Authority | None = None) -> Iterator[None]:
    """Have it listen. `tls`: its certificate; `clients_of`: who must have issued those of clients."""

    class Handler(JsonHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.answer(*server.answer(self.path, self.headers))

        def do_POST(self) -> None:
            self.body()
            self.do_GET()

        do_DELETE = do_POST

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def get_request(self) -> Any:
            server.connections += 1
            return super().get_request()

        def handle_error(self, *_: object) -> None:
            """A client that goes away is no news."""

    with Server(("127.0.0.1", 0), Handler) as http:
        if tls is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(tls.certificate, tls.key)
            if clients_of is not None:
                context.load_verify_locations(clients_of.certificate)
                context.verify_mode = ssl.CERT_REQUIRED
            http.socket = context.wrap_socket(http.socket, server_side=True, do_handshake_on_connect=False)
        server.url = f"http{'s' if tls else ''}://127.0.0.1:{http.server_address[1]}"
        threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        try:
            yield
        finally:
            http.shutdown()


def kubeconfig(path: Path, *, cluster: dict[str, Any], user: dict[str, Any] | None = None) -> Path:
    """Write one with this cluster and user in its context, which is named `x`."""
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "x",
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": user or {}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
    }
    path.write_text(yaml.safe_dump(content))
    return path

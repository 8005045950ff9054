"""The websocket to a container, over which Kubernetes sends a command's output: channels of text, as they arrive.

Source: https://github.com/kubernetes/kubernetes/blob/master/staging/src/k8s.io/apimachinery/pkg/util/remotecommand
"""

from __future__ import annotations

import base64
import codecs
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import websocket
from kubernetes import client
from kubernetes.client.rest import should_bypass_proxies

from acceptance.cluster.api_transport import Connection
from acceptance.cluster.tls import authority_text, trusting

STDOUT, STDERR, END = 1, 2, 3
PROTOCOL = "v4.channel.k8s.io"
EXCERPT_LENGTH = 200


class PodStream:
    """The output of a command in a container, by channel. Raises websocket.WebSocketException and OSError."""

    def __init__(self, connection: client.ApiClient, url: str, headers: Mapping[str, str], *, timeout_s: float) -> None:
        """Connect, as the user of the connection; `url` as for a request, `headers` those of one."""
        settings = connection.configuration
        self._socket = websocket.WebSocket(sslopt=_tls_options(connection), skip_utf8_validation=True)
        self._waiting: defaultdict[int, str] = defaultdict(str)
        utf8 = codecs.getincrementaldecoder("utf-8")
        self._decoders = {channel: utf8(errors="replace") for channel in (STDOUT, STDERR, END)}
        try:
            self._socket.connect(  # type: ignore[no-untyped-call]
                f"ws{url.removeprefix('http')}",
                header=[f"{name}: {value}" for name, value in _identity(connection, headers)],
                subprotocols=[PROTOCOL],
                timeout=timeout_s,
                suppress_origin=True,
                redirect_limit=0,
                **_proxy_options(settings, url),
            )
        except websocket.WebSocketBadStatusException as error:
            body = (error.resp_body or b"")[:EXCERPT_LENGTH].decode(errors="replace")
            raise websocket.WebSocketException(f"the server answered {error.status_code}: {body}") from error

    def is_open(self) -> bool:
        """Return whether more may arrive."""
        return bool(self._socket.connected)

    def update(self, timeout: float) -> None:
        """Read what arrives next, or nothing if nothing arrives for `timeout` seconds."""
        self._socket.settimeout(timeout)
        try:
            operation, frame = self._socket.recv_data_frame(control_frame=True)
        except websocket.WebSocketTimeoutException:
            return
        except websocket.WebSocketConnectionClosedException:
            self._socket.shutdown()  # type: ignore[no-untyped-call]
            return
        if operation == websocket.ABNF.OPCODE_CLOSE:
            self._socket.shutdown()  # type: ignore[no-untyped-call]
        elif operation in (websocket.ABNF.OPCODE_BINARY, websocket.ABNF.OPCODE_TEXT) and frame.data:
            channel, data = frame.data[0], frame.data[1:]
            if channel in self._decoders:
                self._waiting[channel] += self._decoders[channel].decode(data)

    def read_channel(self, channel: int) -> str:
        """Return what arrived on a channel since it was last read."""
        return self._waiting.pop(channel, "")

    def close(self) -> None:
        """End the connection."""
        self._socket.shutdown()  # type: ignore[no-untyped-call]


def _identity(connection: client.ApiClient, headers: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if isinstance(connection, Connection):
        for name, value in connection.identity.headers():
            yield name, value.encode("latin-1").decode()  # this library encodes UTF-8 itself
    else:
        yield from ((name, value) for name, value in headers.items() if name.lower() == "authorization")


def _tls_options(connection: client.ApiClient) -> dict[str, Any]:
    settings = connection.configuration
    tls = connection.tls if isinstance(connection, Connection) else None
    if tls is None:
        tls = trusting(authority_text(settings.ssl_ca_cert or "", "", "certificate-authority"), "certificate-authority")
    server_name = {"server_hostname": settings.tls_server_name} if settings.tls_server_name else {}
    return {"context": tls, "cert_reqs": tls.verify_mode, "check_hostname": tls.check_hostname, **server_name}


def _proxy_options(settings: client.Configuration, url: str) -> dict[str, Any]:
    """Return the proxy to use, if any; the library would else read the environment by its own rules."""
    if not settings.proxy or should_bypass_proxies(url, settings.no_proxy or ""):
        return {"http_no_proxy": ["*"]}
    parts = urlsplit(settings.proxy)
    socks = parts.scheme == "socks5h"
    options: dict[str, Any] = {
        "http_proxy_host": parts.hostname,
        "http_proxy_port": parts.port or (1080 if socks else 80),
        "proxy_type": parts.scheme if socks else "http",
        "http_no_proxy": [""],
    }
    login = (settings.proxy_headers or {}).get("proxy-authorization", "")
    if login.startswith("Basic "):
        user, _, password = base64.b64decode(login.removeprefix("Basic ")).decode().partition(":")
        options["http_proxy_auth"] = (user, password)
    return options

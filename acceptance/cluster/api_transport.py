"""Requests of one user to an API server: each has the user's headers, and TLS as the kubeconfig specifies."""

from __future__ import annotations

import ssl
from functools import partial
from typing import Any

import urllib3
from kubernetes import client

from acceptance.cluster.credentials import Identity

UNAUTHORIZED_STATUS = 401


class Connection(client.ApiClient):
    """A client of one API server.

    `origin`: the kubeconfig that names the server; `identity`: the user of the requests; `tls`: the settings by which
    the server is trusted.
    """

    def __init__(
        self, settings: client.Configuration, *, origin: str, identity: Identity, tls: ssl.SSLContext | None
    ) -> None:
        super().__init__(settings)
        self.origin = origin
        self.identity = identity
        self.tls = tls
        manager: urllib3.PoolManager = self.rest_client.pool_manager
        manager.pool_classes_by_scheme = {
            scheme: partial(_with_identity(pool, verify=settings.verify_ssl), identity=identity)  # type: ignore[misc]
            for scheme, pool in manager.pool_classes_by_scheme.items()  # a SOCKS proxy has its own
        }
        if tls is not None:
            manager.connection_pool_kw["ssl_context"] = tls


class _OfIdentity:
    """A pool whose requests have the headers of an identity, which logs in again when it is refused."""

    def __init__(self, *words: Any, identity: Identity, **more: Any) -> None:
        super().__init__(*words, **more)
        self._identity = identity

    def urlopen(self, method: str, url: str, body: Any = None, headers: Any = None, **more: Any) -> Any:
        """Send a request, and send it again after a renewed login if the server refused it."""
        user_headers = self._identity.headers()
        response = self._open(method, url, body, headers, user_headers, **more)
        if response.status == UNAUTHORIZED_STATUS and self._identity.renew(user_headers):
            response.close()
            response = self._open(method, url, body, headers, self._identity.headers(), **more)
        return response

    def _open(
        self, method: str, url: str, body: Any, headers: Any, user_headers: list[tuple[str, str]], **more: Any
    ) -> Any:
        # Here, because a dictionary has no room for several groups, and the layer above sends to other servers too.
        with_identity = urllib3.HTTPHeaderDict(headers or {})
        for name, value in user_headers:
            with_identity.add(name, value)
        return super().urlopen(method, url, body, with_identity, **more)  # type: ignore[misc]


class _WithoutWarning:
    """A connection to a server that the user chose not to verify: one message said so, each request need not warn."""

    is_verified: bool

    def connect(self) -> None:
        """Connect, and suppress the warning of urllib3."""
        super().connect()  # type: ignore[misc]
        self.is_verified = True


def _with_identity(pool: type[Any], *, verify: bool) -> type[Any]:
    own: dict[str, Any] = {}
    if not verify and issubclass(pool, urllib3.HTTPSConnectionPool):
        own["ConnectionCls"] = type("Unwarned", (_WithoutWarning, pool.ConnectionCls), {})
    return type(pool.__name__, (_OfIdentity, pool), own)

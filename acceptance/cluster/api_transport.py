"""How requests of one user reach an API server: each has the user's headers, over TLS as the kubeconfig wants it."""

from __future__ import annotations

import ssl
from functools import partial
from typing import Any

import urllib3
from kubernetes import client

from acceptance.cluster.credentials import Identity

REFUSED = 401


class Connection(client.ApiClient):
    """A client of one API server. `origin`: the kubeconfig that names it; `identity`: who asks; `tls`: as whom to
    trust the server."""

    def __init__(
        self, settings: client.Configuration, *, origin: str, identity: Identity, tls: ssl.SSLContext | None
    ) -> None:
        super().__init__(settings)
        self.origin = origin
        self.identity = identity
        self.tls = tls
        manager: urllib3.PoolManager = self.rest_client.pool_manager
        manager.pool_classes_by_scheme = {
            scheme: partial(_with_identity(pool, verified=settings.verify_ssl), identity=identity)  # type: ignore[misc]
            for scheme, pool in manager.pool_classes_by_scheme.items()  # those of a SOCKS proxy are others
        }
        if tls is not None:
            manager.connection_pool_kw["ssl_context"] = tls


class _OfIdentity:
    """A pool whose requests have the headers of an identity, which logs in again when it is refused."""

    def __init__(self, *words: Any, identity: Identity, **more: Any) -> None:
        super().__init__(*words, **more)
        self._identity = identity

    def urlopen(self, method: str, url: str, body: Any = None, headers: Any = None, **more: Any) -> Any:
        """One request, and the same again after a renewed login."""
        sent = self._identity.headers()
        response = self._open(method, url, body, headers, sent, **more)
        if response.status == REFUSED and self._identity.renew(sent):
            response.close()
            response = self._open(method, url, body, headers, self._identity.headers(), **more)
        return response

    def _open(self, method: str, url: str, body: Any, headers: Any, sent: list[tuple[str, str]], **more: Any) -> Any:
        # Here, for a dictionary has no room for several groups, and one layer above it goes to other servers too.
        with_identity = urllib3.HTTPHeaderDict(headers or {})
        for name, value in sent:
            with_identity.add(name, value)
        return super().urlopen(method, url, body, with_identity, **more)  # type: ignore[misc]


class _Unwarned:
    """One to a server that the user has asked not to verify: a sentence has said so, no warning of each request."""

    is_verified: bool

    def connect(self) -> None:
        """Connect, and have nobody warned."""
        super().connect()  # type: ignore[misc]
        self.is_verified = True


def _with_identity(pool: type[Any], *, verified: bool) -> type[Any]:
    own: dict[str, Any] = {}
    if not verified and issubclass(pool, urllib3.HTTPSConnectionPool):
        own["ConnectionCls"] = type("Unwarned", (_Unwarned, pool.ConnectionCls), {})
    return type(pool.__name__, (_OfIdentity, pool), own)

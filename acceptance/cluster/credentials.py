"""The credentials of requests: headers of a user, which may have to be renewed, and a client certificate."""

from __future__ import annotations

import base64
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from acceptance.cluster.kubeconfig import Access
from acceptance.cluster.kubeconfig_document import UserPart
from acceptance.text.errors import EnvironmentFailure, WrongUsage
from acceptance.text.redaction import remember

Headers = list[tuple[str, str]]
REREAD_S = 60.0
"""Seconds for which a token is used before its file is read again: it is replaced long before it expires."""
EARLIER_S = 30.0
"""Seconds before its expiry at which a credential is renewed: a request takes a while."""


@dataclass(frozen=True, kw_only=True)
class Credential:
    """The result of a login: a token, a certificate with its key, or both. `expires_at`: as `time.time` counts."""

    token: str = ""
    certificate: bytes = b""
    key: bytes = b""
    expires_at: float | None = None


class Source(Protocol):
    """A source of credentials."""

    def login(self) -> Credential:
        """Return a new credential. Raises EnvironmentFailure, which says why there is none."""
        ...


class Identity:
    """The user of requests, as headers that each of them has. Safe to use from several threads.

    `on_certificate` is called with each new certificate and its key.
    """

    def __init__(self, *, static_headers: Headers, source: Source | None = None) -> None:
        self._static_headers = static_headers
        self._source = source
        self._credential: Credential | None = None
        self._lock = threading.Lock()
        self.on_certificate: Callable[[bytes, bytes], None] = lambda certificate, key: None

    def headers(self) -> Headers:
        """Return the headers, after a new login if the last one has expired. Raises EnvironmentFailure."""
        if self._source is None:
            return self._static_headers
        with self._lock:
            credential = self._credential
            if credential is None or _has_expired(credential):
                credential = self._login(self._source)
        return [*bearer(credential.token), *self._static_headers] if credential.token else self._static_headers

    def renew(self, refused_headers: Headers) -> bool:
        """Log in again, for a server that refused these headers; return False if there is no other way to log in."""
        if self._source is None or self.headers() != refused_headers:  # another thread did so
            return self._source is not None
        with self._lock:
            before = self._credential
            return self._login(self._source) != before

    def _login(self, source: Source) -> Credential:
        credential = source.login()
        remember(credential.token)
        if credential.certificate:
            self.on_certificate(credential.certificate, credential.key)
        self._credential = credential
        return credential


def _has_expired(credential: Credential) -> bool:
    return credential.expires_at is not None and time.time() > credential.expires_at - EARLIER_S


def bearer(token: str) -> Headers:
    """Return the header that has the token."""
    return [("Authorization", _as_bytes(f"Bearer {token}"))]


def _as_bytes(value: str) -> str:
    """Return the UTF-8 bytes, each as the character for which http.client sends it; kubectl sends the same."""
    return value.encode().decode("latin-1")


@dataclass(frozen=True, kw_only=True)
class TokenFile:
    """A token in a file, which is replaced from time to time. `user_is`: the user in words."""

    path: Path
    user_is: str

    def login(self) -> Credential:
        """Read the token, without the newlines that `kubectl create token > FILE` leaves, as kubectl does."""
        try:
            token = self.path.read_text(encoding="utf-8").strip()
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not text"
            raise WrongUsage(
                f"{self.user_is}: tokenFile {self.path} cannot be read: {why}; correct the path"
            ) from error
        if not token:
            raise WrongUsage(f"{self.user_is}: tokenFile {self.path} is empty; write a token into it")
        require_header(token, f"{self.user_is}: tokenFile {self.path}")
        return Credential(token=token, expires_at=time.time() + REREAD_S + EARLIER_S)


def require_header(value: str, place: str) -> None:
    """Raise WrongUsage for a text that no HTTP header can hold; the text is not quoted."""
    if any(ord(character) < 32 or ord(character) == 127 or 0xD800 <= ord(character) < 0xE000 for character in value):
        raise WrongUsage(f"{place}: expected one line of text, found a line break or a control character; remove it")


def password_headers(user: UserPart, user_is: str) -> Headers:
    """Return the header of a user with a password; none for any other."""
    if not (user.username or user.password):
        return []
    if ":" in user.username:
        raise WrongUsage(
            f"{user_is}: expected a username without ':', found one with ':', at which servers end the username; name "
            "another user"
        )
    login = base64.b64encode(f"{user.username}:{user.password}".encode()).decode()
    return [("Authorization", f"Basic {login}")]


def impersonation(access: Access) -> Headers:
    """Return the headers by which the user acts as another, as kubectl sends them for `as` and related keys.

    Source: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
    Raises WrongUsage for groups, a uid or extra fields without `as`, and for texts that no header can hold.
    """
    user, place = access.user, access.user_is
    headers = [("Impersonate-Group", as_group) for as_group in user.acts_as_groups]
    if user.acts_as_uid:
        headers.append(("Impersonate-Uid", user.acts_as_uid))
    for key, values in user.acts_as_extra.items():
        headers += [(f"Impersonate-Extra-{quote(key.lower(), safe='')}", value) for value in values]
    if headers and not user.acts_as:
        raise WrongUsage(f"{place}: expected `as` with as-groups, as-uid or as-user-extra, found no `as`; add it")
    if user.acts_as:
        headers.insert(0, ("Impersonate-User", user.acts_as))
    for name, value in headers:
        require_header(value, f"{place}: {name}")
    return [(name, _as_bytes(value)) for name, value in headers]


class NoLogin(EnvironmentFailure):
    """A user who could not log in."""

"""The address of a Pushgateway, as the settings accept it, without the code that pushes to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self
from urllib.parse import unquote, urlsplit, urlunsplit

from acceptance.text.redaction import redact, remember

_EXPECTATION = "expected the address of a Pushgateway such as http://pushgateway.example:9091"


@dataclass(frozen=True, kw_only=True)
class Gateway:
    """A Pushgateway. `url` is without user and password."""

    url: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)

    @classmethod
    def parse(cls, url: str) -> Self:
        """Return the gateway at the URL. Raises ValueError, without the password, if the URL is none."""
        problem = f"{_EXPECTATION}, found {redact(url)!r}"
        try:
            parts = urlsplit(url)
            host, _ = parts.hostname, parts.port
        except ValueError as error:
            raise ValueError(problem) from error
        if parts.scheme not in ("http", "https") or not host or any(character.isspace() for character in url):
            raise ValueError(problem)
        if parts.query or parts.fragment:
            raise ValueError(f"{_EXPECTATION}, without ? and #, found {redact(url.partition('?')[0])!r} and more")
        if parts.password:
            remember(parts.password)
            remember(unquote(parts.password))
        return cls(
            url=urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), "", "")),
            user=None if parts.username is None else unquote(parts.username),
            password=None if parts.password is None else unquote(parts.password),
        )

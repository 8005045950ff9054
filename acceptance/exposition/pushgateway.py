"""A Pushgateway: where it is, and how what a run found gets there."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPException
from typing import Any, Self
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit, urlunsplit

from prometheus_client import exposition

from acceptance.credentials import remember, without_credentials
from acceptance.exposition.document import candidates, samples_of
from acceptance.exposition.gauges import Families
from acceptance.results import Results

JOB = "storage_acceptance"
TIMEOUT_S = 10.0
"""for all that is pushed at the end of a run: it is not worth more of the time of those who wait for the verdict"""
_WANTED = "wanted the address of a Pushgateway such as http://pushgateway.example:9091"


@dataclass(frozen=True, kw_only=True)
class Gateway:
    """A Pushgateway. `url` is without user and password."""

    url: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)

    @classmethod
    def parse(cls, url: str) -> Self:
        """The gateway at the URL. Raises ValueError, without the password, for what is none."""
        problem = f"{_WANTED}, found {without_credentials(url)!r}"
        try:
            parts = urlsplit(url)
            host, _ = parts.hostname, parts.port
        except ValueError as error:
            raise ValueError(problem) from error
        if parts.scheme not in ("http", "https") or not host or any(each.isspace() for each in url):
            raise ValueError(problem)
        if parts.query or parts.fragment:
            raise ValueError(
                f"{_WANTED}, without ? and #, found {without_credentials(url.partition('?')[0])!r} and more"
            )
        if parts.password:
            remember(parts.password)
            remember(unquote(parts.password))
        return cls(
            url=urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), "", "")),
            user=None if parts.username is None else unquote(parts.username),
            password=None if parts.password is None else unquote(parts.password),
        )

    def push(self, results: Results, *, timeout_s: float = TIMEOUT_S) -> str | None:
        """Put what was found in the place of what the run before said of the same class; why not, where it failed.

        One group for each candidate class and cluster: runs of other classes stay as they are.
        """
        problems: list[str] = []
        # A time-out of a socket begins anew with each byte, and none counts for the look-up of a name.
        sender = threading.Thread(target=self._push_all, args=(results, problems, timeout_s), daemon=True)
        sender.start()
        sender.join(timeout_s)
        if sender.is_alive():
            problems.append(f"no answer within {timeout_s:g} s")
        return without_credentials(f"{self.url}: {problems[0]}") if problems else None

    def _push_all(self, results: Results, problems: list[str], timeout_s: float) -> None:
        for candidate in candidates(results):
            samples = samples_of(results, candidate)
            try:
                exposition.push_to_gateway(
                    self.url,
                    job=JOB,
                    registry=Families((samples,)),
                    grouping_key={name: samples.shared[name] for name in ("cluster", "candidate")},
                    timeout=timeout_s,
                    handler=self._handler(),
                )
            except (OSError, ValueError, HTTPException) as error:
                problems.append(_told(error))
                return

    def _handler(self) -> Any:
        if self.user is None:
            return exposition.default_handler
        return partial(exposition.basic_auth_handler, username=self.user, password=self.password or "")


def _told(error: Exception) -> str:
    if isinstance(error, HTTPError):
        said = " ".join(error.read(300).decode(errors="replace").split())
        return f"it answered {error.code} {error.reason}" + (f": {said}" if said else "")
    if isinstance(error, URLError):
        return f"it cannot be reached: {error.reason}"
    return f"{type(error).__name__}: {error}"

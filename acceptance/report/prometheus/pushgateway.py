"""How what a run found gets to a Pushgateway."""

from __future__ import annotations

import threading
from contextlib import suppress
from functools import partial
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError

from prometheus_client import exposition

from acceptance.report.prometheus.document import Families, candidates, samples_of
from acceptance.results.document import Results
from acceptance.settings.gateway import Gateway
from acceptance.text.redaction import redact

JOB = "storage_acceptance"
TIMEOUT_S = 10.0
"""for all that is pushed at the end of a run: it is not worth more of the time of those who wait for the verdict"""


def push(results: Results, gateway: Gateway, *, timeout_s: float = TIMEOUT_S) -> str | None:
    """Put what was found in the place of what the run before said of the same class; why not, where it failed.

    One group for each candidate class and cluster: runs of other classes stay as they are.
    """
    problems: list[str] = []
    # A time-out of a socket begins anew with each byte, and none counts for the look-up of a name.
    sender = threading.Thread(target=_push_all, args=(results, gateway, problems, timeout_s), daemon=True)
    sender.start()
    sender.join(timeout_s)
    if sender.is_alive():
        problems.append(f"no answer within {timeout_s:g} s")
    return redact(f"{gateway.url}: {problems[0]}") if problems else None


def _push_all(results: Results, gateway: Gateway, problems: list[str], timeout_s: float) -> None:
    """Whatever goes wrong is a problem: nobody would hear of what ends a thread."""
    try:
        for candidate in candidates(results):
            samples = samples_of(results, candidate)
            exposition.push_to_gateway(
                gateway.url,
                job=JOB,
                registry=Families((samples,)),
                grouping_key={name: samples.shared[name] for name in ("cluster", "candidate")},
                timeout=timeout_s,
                handler=_handler(gateway),
            )
    except Exception as error:
        problems.append(_told(error))


def _handler(gateway: Gateway) -> Any:
    if gateway.user is None:
        return exposition.default_handler
    return partial(exposition.basic_auth_handler, username=gateway.user, password=gateway.password or "")


def _told(error: Exception) -> str:
    if isinstance(error, HTTPError):
        said = ""
        with suppress(OSError, HTTPException):  # it may hang up before it has said all
            said = " ".join(error.read(300).decode(errors="replace").split())
        return f"it answered {error.code} {error.reason}" + (f": {said}" if said else "")
    if isinstance(error, URLError):
        return f"it cannot be reached: {error.reason}"
    return f"{type(error).__name__}: {error}"

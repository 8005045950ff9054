"""The push of a run's metrics to a Pushgateway."""

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
"""Maximum duration of the push at the end of a run: users wait for the verdict and should not wait longer."""


def push(results: Results, gateway: Gateway, *, timeout_s: float = TIMEOUT_S) -> str | None:
    """Replace the metrics of the previous run of the same class; return the reason if that failed.

    There is one group for each candidate class and cluster: runs of other classes stay as they are.
    """
    problems: list[str] = []
    # A socket's timeout starts again with each byte, and covers no name resolution.
    sender = threading.Thread(target=_push_all, args=(results, gateway, problems, timeout_s), daemon=True)
    sender.start()
    sender.join(timeout_s)
    if sender.is_alive():
        problems.append(f"no answer within {timeout_s:g} s")
    return redact(f"{gateway.url}: {problems[0]}") if problems else None


def _push_all(results: Results, gateway: Gateway, problems: list[str], timeout_s: float) -> None:
    """Push the samples of all candidates.

    Any error is appended to `problems`: an exception that ends a thread would be lost.
    """
    try:
        for candidate in candidates(results):
            samples = samples_of(results, candidate)
            exposition.push_to_gateway(
                gateway.url,
                job=JOB,
                registry=Families((samples,)),
                grouping_key={name: samples.common_labels[name] for name in ("cluster", "candidate")},
                timeout=timeout_s,
                handler=_handler(gateway),
            )
    except Exception as error:
        problems.append(_describe(error))


def _handler(gateway: Gateway) -> Any:
    if gateway.user is None:
        return exposition.default_handler
    return partial(exposition.basic_auth_handler, username=gateway.user, password=gateway.password or "")


def _describe(error: Exception) -> str:
    if isinstance(error, HTTPError):
        body = ""
        with suppress(OSError, HTTPException):  # it may hang up before it has sent everything
            body = " ".join(error.read(300).decode(errors="replace").split())
        return f"the Pushgateway answered {error.code} {error.reason}" + (f": {body}" if body else "")
    if isinstance(error, URLError):
        return f"the Pushgateway cannot be reached: {error.reason}"
    return f"{type(error).__name__}: {error}"

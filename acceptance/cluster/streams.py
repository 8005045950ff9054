"""An answer of the API server that keeps coming, and that another thread may end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import urllib3

from acceptance.text.errors import EnvironmentFailure


class StreamBroken(EnvironmentFailure):
    """The connection broke, or nothing came for too long."""


class Stream:
    """The documents of a streamed answer, one JSON object a line."""

    def __init__(self, response: urllib3.BaseHTTPResponse, *, what: str) -> None:
        self._response = response
        self._what = what
        self._stopped = False

    def documents(self) -> Iterator[dict[str, Any]]:
        """Each as it comes; ends when the server ends the answer, or with `stop`. Raises StreamBroken."""
        rest = b""
        try:
            while piece := self._response.read1(65536):
                *lines, rest = (rest + piece).split(b"\n")
                for line in lines:
                    yield json.loads(line)
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
            if not self._stopped:
                raise StreamBroken(f"{self._what} broke off: {error}") from error
        finally:
            self._response.close()

    def stop(self) -> None:
        """End it, from whichever thread: whoever waits for the next document sees the end."""
        self._stopped = True
        if isinstance(self._response, urllib3.HTTPResponse):
            self._response.shutdown()

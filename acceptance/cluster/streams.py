"""A streamed answer of the API server, which another thread may end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import urllib3

from acceptance.text.errors import EnvironmentFailure


class StreamBroken(EnvironmentFailure):
    """A connection that broke, or over which nothing arrived for too long."""


class Stream:
    """The documents of a streamed answer, one JSON object a line."""

    def __init__(self, response: urllib3.BaseHTTPResponse, *, description: str) -> None:
        self._response = response
        self._description = description
        self._is_stopping = False

    def documents(self) -> Iterator[dict[str, Any]]:
        """Yield each document as it arrives, until the server or `stop` ends the answer. Raises StreamBroken."""
        rest = b""
        try:
            while piece := self._response.read1(65536):
                *lines, rest = (rest + piece).split(b"\n")
                for line in lines:
                    yield json.loads(line)
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
            if not self._is_stopping:
                raise StreamBroken(f"{self._description} broke off: {error}") from error
        finally:
            self._response.close()

    def stop(self) -> None:
        """End the stream, from any thread: a thread that waits for the next document reaches the end."""
        self._is_stopping = True
        if isinstance(self._response, urllib3.HTTPResponse):
            self._response.shutdown()

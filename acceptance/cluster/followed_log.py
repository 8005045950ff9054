"""A container's log, resumed where it was left: of a long one the node keeps only the newest part."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acceptance.cluster.api import Api
from acceptance.text.errors import EnvironmentFailure

# The time before each line, by the node's own clock: RFC 3339, to the nanosecond.
_STAMP = re.compile(rb"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)")


class LogCutOff(EnvironmentFailure):
    """A log that no longer contains what followed the last line read, or that another container writes now."""


class FollowedLog:
    """The output of a container, each whole line once, over as many connections as necessary.

    A line is identified by its time and by the number of lines of the same time before it.
    """

    def __init__(self, api: Api, pod: str, *, namespace: str, container: str, silence_s: float) -> None:
        self._api = api
        self._pod = pod
        self._namespace = namespace
        self._container = container
        self._silence_s = silence_s
        self._last = b""
        self._same = 0

    def pieces(self) -> Iterator[bytes]:
        """Yield what is new, in whole lines, over one more connection, until the container or the connection ends.

        Raises ApiError and ApiUnreachable, after which it may be called again; LogCutOff.
        """
        to_skip, rest = self._same, b""
        for piece in self._api.follow_log(
            self._pod,
            namespace=self._namespace,
            container=self._container,
            silence_s=self._silence_s,
            timestamps=True,
            since=self._since,
        ):
            *lines, rest = (rest + piece).split(b"\n")
            texts: list[bytes] = []
            for line in lines:
                stamp, _, text = line.partition(b" ")
                if _STAMP.fullmatch(stamp) is None:  # the node's own words
                    texts.append(line)
                elif to_skip:
                    to_skip = self._left_to_skip(stamp, to_skip)
                else:
                    self._same = self._same + 1 if stamp == self._last else 1
                    self._last = stamp
                    texts.append(text)
            if texts:
                yield b"\n".join([*texts, b""])

    @property
    def _since(self) -> str:
        """Return the second of the last line, from which on the log is requested; at first empty: the whole log."""
        match = _STAMP.fullmatch(self._last)
        return "" if match is None else (match[1] + match[2]).decode()

    def _left_to_skip(self, stamp: bytes, to_skip: int) -> int:
        if stamp == self._last:
            return to_skip - 1
        if stamp < self._last:
            return to_skip
        raise LogCutOff(
            f"the log of pod {self._pod} continues at {stamp.decode()}, and no longer contains the last line that was "
            f"read, of {self._last.decode()}: the node rotated the log, or the container was restarted; let nodes keep "
            "longer logs (the kubelet's containerLogMaxSize, 10Mi by default)"
        )

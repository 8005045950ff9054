"""A log is taken up again where it was left, wherever the connection broke and whatever the node has cut off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiUnreachable
from acceptance.cluster.followed_log import FollowedLog, LogCutOff

DAY = "2026-11-22T"


class Node:
    """Answers as a kubelet does. `breaks`: after how many bytes each connection breaks; then none does."""

    def __init__(self, lines: list[tuple[str, str]], *, breaks: list[int]) -> None:
        self.lines = lines
        self.breaks = breaks

    def follow_log(self, pod: str, *, since: str, **how: object) -> Iterator[bytes]:
        """Whole seconds since then, as that is all that it is told."""
        kept = [(stamp, text) for stamp, text in self.lines if stamp[:19] >= since[:19]]
        content = "".join(f"{stamp} {text}\n" for stamp, text in kept).encode()
        if self.breaks:
            yield content[: self.breaks.pop(0)]
            raise ApiUnreachable("reset")
        yield content


def followed(node: Node) -> FollowedLog:
    return FollowedLog(cast(Api, node), "p", namespace="n", container="c", silence_s=1.0)


def read(log: FollowedLog, *, connections: int) -> str:
    taken = b""
    for _ in range(connections):
        try:
            for piece in log.pieces():
                taken += piece
        except ApiUnreachable:
            continue
    return taken.decode()


stamps = st.lists(st.integers(0, 3_000_000_000).map(lambda ns: ns - ns % 250_000_000), min_size=1, max_size=30)


@given(times=stamps, breaks=st.lists(st.integers(0, 1500), max_size=6))
def test_each_line_is_taken_once_wherever_connections_break(times: list[int], breaks: list[int]) -> None:
    """Many lines of one time are what a runtime writes that reads a whole buffer at once."""
    lines = [
        (f"{DAY}01:02:{ns // 10**9:02}.{ns % 10**9:09}Z", "" if ns % 3 else f"{number}  {{")
        for number, ns in enumerate(sorted(times))
    ]
    log = followed(Node(lines, breaks=breaks))
    assert read(log, connections=len(breaks) + 1) == "".join(f"{text}\n" for _, text in lines)


def test_what_was_cut_off_after_it_was_read_is_not_missed() -> None:
    lines = [(f"{DAY}01:02:{second:02}.5+02:00", str(second)) for second in range(10)]
    node = Node(lines[:6], breaks=[])
    log = followed(node)
    before = read(log, connections=1)
    node.lines = lines[5:]
    assert before + read(log, connections=1) == "".join(f"{second}\n" for second in range(10))


def test_what_was_cut_off_before_it_was_read_is_told() -> None:
    lines = [(f"{DAY}01:02:{second:02}.5Z", str(second)) for second in range(10)]
    node = Node(lines[:4], breaks=[])
    log = followed(node)
    read(log, connections=1)
    node.lines = lines[6:]
    with pytest.raises(LogCutOff, match=r"continues at \S+:06.5Z, .* of \S+:03.5Z: .* containerLogMaxSize"):
        read(log, connections=1)


def test_the_nodes_own_words_are_handed_over_as_they_are() -> None:
    node = Node([("unable to retrieve", "container logs")], breaks=[])
    assert read(followed(node), connections=1) == "unable to retrieve container logs\n"

"""A command in a container: what its connection brings, put together, and the ways in which that breaks off."""

from __future__ import annotations

import json
from socket import create_server
from typing import Any

import pytest
from kubernetes import client
from websocket import WebSocketException

from acceptance.cluster import pod_command
from acceptance.cluster.pod_command import PodCommand, PodCommandFailed, run_in_pod
from acceptance.cluster.pod_stream import END, STDERR, STDOUT

FAILED = {
    "status": "Failure",
    "reason": "NonZeroExitCode",
    "message": "command terminated with non-zero exit code: exit status 13",
    "details": {"causes": [{"reason": "ExitCode", "message": "13"}]},
}


class Socket:
    """A connection that brings these pieces, one at each update; the last one closes it."""

    def __init__(self, *pieces: tuple[int, str]) -> None:
        self._pieces = list(pieces)
        self._waiting: dict[int, str] = {}
        self.closed = False

    def is_open(self) -> bool:
        return bool(self._pieces)

    def update(self, timeout: float) -> None:
        channel, text = self._pieces.pop(0)
        self._waiting[channel] = self._waiting.get(channel, "") + text

    def read_channel(self, channel: int) -> str:
        return self._waiting.pop(channel, "")

    def close(self) -> None:
        self.closed = True


OUT, ERR = STDOUT, STDERR


def run(socket: Socket, monkeypatch: pytest.MonkeyPatch, timeout_s: float = 5) -> tuple[PodCommand, str]:
    """What was run, and the address that was asked for."""
    asked: list[str] = []

    def connect(connection: Any, url: str, headers: Any, **more: Any) -> Socket:
        asked.append(url)
        return socket

    monkeypatch.setattr(pod_command, "PodStream", connect)
    connection = client.ApiClient(client.Configuration(host="https://cluster"))
    path = "/api/v1/namespaces/n/pods/p/exec"
    return run_in_pod(connection, path, container="c", command=["ceph", "osd", "x y&z"], timeout_s=timeout_s), asked[0]


def test_what_comes_in_pieces_is_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    socket = Socket((OUT, '{"a":'), (ERR, "careful"), (OUT, "1}"), (END, '{"status":"Success"}'))
    found, asked = run(socket, monkeypatch)
    assert found == PodCommand(status=0, stdout='{"a":1}', stderr="careful")
    assert asked == (
        "https://cluster/api/v1/namespaces/n/pods/p/exec?container=c&stdout=true&stderr=true&command=ceph&command=osd"
        "&command=x+y%26z"
    )
    assert socket.closed


def test_a_status_other_than_zero_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = run(Socket((ERR, "EACCES"), (END, json.dumps(FAILED))), monkeypatch)
    assert (found.status, found.stderr) == (13, "EACCES")
    assert "exit status 13" in found.why


@pytest.mark.parametrize(
    ("pieces", "said"),
    [
        ([(OUT, "a")], "broke off before the command ended"),
        ([(END, '{"status":"Failure","message":"no such container"}')], "no such container"),
    ],
)
def test_what_did_not_run_to_its_end_is_told(
    pieces: list[tuple[int, str]], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    socket = Socket(*pieces)
    with pytest.raises(PodCommandFailed, match=said):
        run(socket, monkeypatch)
    assert socket.closed


def test_one_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PodCommandFailed, match="did not end within 0 s: stuck"):
        run(Socket((ERR, "stuck"), (OUT, "")), monkeypatch, timeout_s=0)


def test_a_connection_that_is_refused_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(*words: Any, **more: Any) -> Socket:
        raise WebSocketException("the server answered 403 Forbidden")

    monkeypatch.setattr(pod_command, "PodStream", connect)
    with pytest.raises(PodCommandFailed, match="403 Forbidden"):
        run_in_pod(client.ApiClient(client.Configuration()), "/x", container="c", command=["a"], timeout_s=1)


def test_a_server_that_says_nothing_is_not_waited_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pod_command, "ANSWER_S", 0.2)
    with create_server(("127.0.0.1", 0)) as silent:
        connection = client.ApiClient(client.Configuration(host=f"http://127.0.0.1:{silent.getsockname()[1]}"))
        with pytest.raises(PodCommandFailed, match="did not answer within 0 s"):
            run_in_pod(connection, "/exec", container="c", command=["ceph"], timeout_s=5)

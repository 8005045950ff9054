"""A command in a running container, over the websocket that Kubernetes has for it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from queue import Empty, Queue
from typing import Any
from urllib.parse import urlencode

from kubernetes import client
from websocket import WebSocketException

from acceptance.cluster.pod_stream import END, STDERR, STDOUT, PodStream
from acceptance.text.errors import AcceptanceError

UPDATE_S, ANSWER_S = 1.0, 30.0


@dataclass(frozen=True, kw_only=True)
class PodCommand:
    """The result of a command in a container. `why` is the server's message if `status` is not 0."""

    status: int
    stdout: str
    stderr: str
    why: str = ""


class PodCommandFailed(Exception):
    """A command that could not be run, or did not end."""


def run_in_pod(
    connection: client.ApiClient, path: str, *, container: str, command: Sequence[str], timeout_s: float
) -> PodCommand:
    """Run a command to its end; `path` is that of the pod's `exec`. Raises PodCommandFailed."""
    query = [("container", container), ("stdout", "true"), ("stderr", "true"), *(("command", word) for word in command)]
    _, url, headers, *_ = connection.param_serialize(
        "GET", path, header_params={"Accept": "*/*"}, auth_settings=["BearerToken"]
    )
    address = f"{url}?{urlencode(query)}"
    connect = partial(PodStream, connection, address, headers, timeout_s=ANSWER_S)
    try:
        return _to_its_end(_connect_in_time(connect), timeout_s=timeout_s)
    except (WebSocketException, AcceptanceError, OSError) as error:
        raise PodCommandFailed(str(error)) from error


def _connect_in_time(connect: Callable[[], Any]) -> Any:
    """Return the connection. Raises what `connect` raises, and PodCommandFailed if there is no answer in time.

    The client's library would wait without end for a server that accepts the connection and sends nothing.
    """
    answer: Queue[tuple[Any, Exception | None]] = Queue()

    def ask() -> None:
        try:
            answer.put((connect(), None))
        except Exception as error:
            answer.put((None, error))

    threading.Thread(target=ask, name="connection to a pod", daemon=True).start()
    try:
        socket, error = answer.get(timeout=ANSWER_S)
    except Empty:
        raise PodCommandFailed(f"the server did not answer within {ANSWER_S:.0f} s") from None
    if error is not None:
        raise error
    return socket


def _to_its_end(socket: Any, *, timeout_s: float) -> PodCommand:
    ends_s = time.monotonic() + timeout_s
    stdout, stderr = "", ""
    try:
        while socket.is_open():
            socket.update(timeout=UPDATE_S)
            stdout += socket.read_channel(STDOUT)
            stderr += socket.read_channel(STDERR)
            if time.monotonic() > ends_s:
                raise PodCommandFailed(f"it did not end within {timeout_s:.0f} s: {stderr.strip()}")
        stdout += socket.read_channel(STDOUT)
        stderr += socket.read_channel(STDERR)
        status, why = _exit_status(socket.read_channel(END))
        return PodCommand(status=status, stdout=stdout, stderr=stderr, why=why)
    finally:
        socket.close()


def _exit_status(text: str) -> tuple[int, str]:
    """Return the exit status from the object that ends the stream, and the server's sentence next to it.

    Raises PodCommandFailed if the stream ended without one.
    """
    if not text:
        raise PodCommandFailed("the connection broke off before the command ended")
    ending: dict[str, Any] = json.loads(text)
    if ending.get("status") == "Success":
        return 0, ""
    causes = (ending.get("details") or {}).get("causes") or []
    code = next((str(cause["message"]) for cause in causes if cause.get("reason") == "ExitCode"), "")
    if not code.isdigit():
        raise PodCommandFailed(str(ending.get("message") or text))
    return int(code), str(ending.get("message") or "")

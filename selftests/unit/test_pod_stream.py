"""The websocket to a container, with a server that speaks it: channels, pieces of characters, TLS, and refusals."""

from __future__ import annotations

import base64
import hashlib
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import create_server
from typing import Any

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiUnreachable
from acceptance.cluster.pod_command import PodCommand
from embedded_cluster.certificates import Authority, KeyPair
from selftests.bounds import HANGS_S
from selftests.unit.loopback_server import kubeconfig

_MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455
SUCCESS = b'\x03{"status":"Success"}'


def frame(payload: bytes, *, operation: int = 2) -> bytes:
    """One that a server sends (RFC 6455, 5.2)."""
    return bytes([0x80 | operation, len(payload)]) + payload


@contextmanager
def pod(*payloads: bytes, tls: KeyPair | None = None, status: str = "101 Switching Protocols") -> Iterator[Any]:
    """A server that answers one command so; its address, and the lines that it was asked by."""
    asked: list[str] = []

    def serve() -> None:
        client, _ = listening.accept()
        if tls is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(tls.certificate, tls.key)
            try:
                client = context.wrap_socket(client, server_side=True)
            except OSError:  # the client trusts it not
                return
        with client:
            text = b""
            while b"\r\n\r\n" not in text:
                text += client.recv(4096)
            asked.extend(text.decode().split("\r\n"))
            key = next(line.partition(": ")[2] for line in asked if line.lower().startswith("sec-websocket-key"))
            accept = base64.b64encode(hashlib.sha1((key + _MAGIC).encode()).digest()).decode()
            head = (
                f"HTTP/1.1 {status}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n"
            )
            client.sendall(f"{head}Sec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n".encode())
            client.sendall(b"".join(map(frame, payloads)) + frame(b"\x03\xe8", operation=8))

    with create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http{'s' if tls else ''}://127.0.0.1:{listening.getsockname()[1]}", asked
        thread.join(timeout=HANGS_S)


def run(path: Path) -> PodCommand:
    found = Api.from_kubeconfig(path)
    return found.execute("p", namespace="n", container="c", command=["ceph", "x y"], timeout_s=HANGS_S)


def test_what_a_command_prints_comes_by_channel_over_tls(tmp_path: Path) -> None:
    """A character may come in two pieces."""
    authority = Authority(folder=tmp_path, common_name="ca")
    pair = authority.issue("server", common_name="server", addresses=["127.0.0.1"])
    payloads = (b"\x01", b"\x01gr\xc3", b"\x02careful", b"\x01\xbcn", SUCCESS)
    with pod(*payloads, tls=pair) as (url, asked):
        cluster = {"server": url, "certificate-authority": "ca.crt"}
        user = {"token": "abcdefghijkl", "as": "me", "as-groups": ["one", "two"]}
        assert run(kubeconfig(tmp_path / "mine", cluster=cluster, user=user)) == PodCommand(
            status=0, stdout="grün", stderr="careful"
        )
    assert asked[0].startswith("GET /api/v1/namespaces/n/pods/p/exec?container=c&stdout=true&stderr=true&command=ceph")
    assert {"Authorization: Bearer abcdefghijkl", "Impersonate-User: me"} < set(asked)
    assert [line for line in asked if line.startswith("Impersonate-Group")] == [
        "Impersonate-Group: one",
        "Impersonate-Group: two",
    ]
    assert "Sec-WebSocket-Protocol: v4.channel.k8s.io" in asked


def test_a_server_that_nobody_vouches_for_is_told_nothing(tmp_path: Path) -> None:
    authority = Authority(folder=tmp_path, common_name="other")
    Authority(folder=tmp_path, common_name="ca")
    pair = authority.issue("server", common_name="server", addresses=["127.0.0.1"])
    with pod(SUCCESS, tls=pair) as (url, asked):
        path = kubeconfig(tmp_path / "mine", cluster={"server": url, "certificate-authority": "ca.crt"})
        with pytest.raises(ApiUnreachable, match=r"(?i)certificate"):
            run(path)
    assert asked == []


def test_a_refusal_is_told_with_its_status(tmp_path: Path) -> None:
    with pod(status="403 Forbidden") as (url, _), pytest.raises(ApiUnreachable, match="403"):
        run(kubeconfig(tmp_path / "mine", cluster={"server": url}))


def test_a_stream_that_ends_without_a_status_is_told(tmp_path: Path) -> None:
    with pod(b"\x01half") as (url, _), pytest.raises(ApiUnreachable, match="broke off"):
        run(kubeconfig(tmp_path / "mine", cluster={"server": url}))

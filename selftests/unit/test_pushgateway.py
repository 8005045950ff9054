"""A Pushgateway that is down, slow or refuses costs a run nothing but a warning, and no password is shown."""

from __future__ import annotations

import base64
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from prometheus_client.parser import text_string_to_metric_families

from acceptance.report.prometheus.pushgateway import push
from acceptance.settings.gateway import Gateway
from acceptance.settings.run import read_settings
from acceptance.text.errors import WrongUsage
from acceptance.text.redaction import redact
from embedded_cluster.network import free_ports
from selftests.bounds import HANGS_S
from selftests.unit.compared_runs import measured, run_of

ROOT = Path(__file__).parents[2]
RESULTS = run_of(measured({"write.iops": 1000.0}))


class Taking(BaseHTTPRequestHandler):
    """Takes everything, and keeps it."""

    status = 202
    says = b""
    taken: ClassVar[list[tuple[str, str, str | None, str]]] = []

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.taken.append((self.command, self.path, self.headers["Authorization"], body))
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(self.says)))
        self.end_headers()
        self.wfile.write(self.says)

    def log_message(self, *_: object) -> None: ...


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


def gateway_at(server: socket.socket) -> Gateway:
    return Gateway.parse(f"http://127.0.0.1:{server.getsockname()[1]}")


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    Taking.taken.clear()


def test_each_class_has_a_group_of_its_own_that_is_replaced() -> None:
    both = run_of(measured({"write.iops": 1.0}), measured({"write.iops": 2.0}, storage_class="/mnt/a b"))
    with serving(Taking) as address:
        assert push(both, Gateway.parse(f"http://{address}/some/where/"), timeout_s=HANGS_S) is None
    named = base64.urlsafe_b64encode(b"/mnt/a b").decode()
    prefix = "/some/where/metrics/job/storage_acceptance"
    assert [(verb, path) for verb, path, _, _ in Taking.taken] == [
        ("PUT", f"{prefix}/candidate/fast/cluster@base64/="),
        ("PUT", f"{prefix}/candidate@base64/{named}/cluster@base64/="),
    ]
    for (_, _, _, body), name in zip(Taking.taken, ("fast", "/mnt/a b"), strict=True):
        families = text_string_to_metric_families(body)
        assert {sample.labels["candidate"] for family in families for sample in family.samples} == {name}


def test_user_and_password_go_to_the_gateway_and_nowhere_else() -> None:
    with serving(Taking) as address:
        gateway = Gateway.parse(f"http://nightly:open%2Fsesame@{address}")
        assert push(RESULTS, gateway, timeout_s=HANGS_S) is None
    ((_, _, authorization, _),) = Taking.taken
    assert base64.b64decode((authorization or "").removeprefix("Basic ")) == b"nightly:open/sesame"
    assert "sesame" not in repr(gateway) + redact("open/sesame open%2Fsesame")


def test_a_gateway_that_refuses_is_told_in_its_own_words() -> None:
    class Refusing(Taking):
        status, says = 400, b"pushed metrics are\ninvalid"

    with serving(Refusing) as address:
        problem = push(RESULTS, Gateway.parse(f"http://nightly:open-sesame@{address}"), timeout_s=HANGS_S)
    assert problem == f"http://{address}: the Pushgateway answered 400 Bad Request: pushed metrics are invalid"


def test_a_gateway_that_is_down_is_told_by_its_address() -> None:
    address = f"127.0.0.1:{free_ports(['nobody'])['nobody']}"
    problem = push(RESULTS, Gateway.parse(f"http://nightly:open-sesame@{address}"), timeout_s=HANGS_S)
    assert problem is not None
    assert problem.startswith(f"http://{address}: the Pushgateway cannot be reached: ") and "refused" in problem


@pytest.mark.parametrize("drip", [b"", b"HTTP/1.1 200 OK\r\n"])
def test_a_gateway_that_is_slow_is_not_waited_for(drip: bytes) -> None:
    """Silent, or with another header whenever a time-out of the socket is about to end: for much longer than it may be
    waited for on the busiest machine, or until nobody waits."""
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(drip)
                for number in range(90 if drip else 0):
                    if over.wait(0.3):
                        return
                    with suppress(OSError):  # nobody waits any more
                        connection.sendall(f"X-{number}: more\r\n".encode())
                over.wait(60)

        threading.Thread(target=answer, daemon=True).start()
        began = time.monotonic()
        problem = push(RESULTS, gateway_at(server), timeout_s=0.5)
        took_s = time.monotonic() - began
        over.set()
    assert took_s < 20
    assert problem is not None and ("no answer within 0.5 s" in problem or "timed out" in problem)


def test_what_is_no_answer_of_a_web_server_is_a_problem_as_well() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")

        threading.Thread(target=answer, daemon=True).start()
        problem = push(RESULTS, gateway_at(server), timeout_s=HANGS_S)
    assert problem is not None and "SSH-2.0" in problem


@pytest.mark.parametrize("framing", [b"Content-Length: 300\r\n\r\nno", b"Transfer-Encoding: chunked\r\n\r\n12c\r\nno"])
def test_a_gateway_that_refuses_and_hangs_up_is_told(framing: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # ends with a reset
            with connection, connection.makefile("rb") as asked:
                # All of it, since who sends to a connection that is gone is told of nothing but that.
                lines = dict(line.split(b": ", 1) for line in iter(asked.readline, b"\r\n") if b": " in line)
                asked.read(int(lines[b"Content-Length"]))
                connection.sendall(b"HTTP/1.1 500 Out of order\r\n" + framing)

        threading.Thread(target=answer, daemon=True).start()
        problem = push(RESULTS, gateway_at(server), timeout_s=HANGS_S)
    assert problem is not None and problem.endswith(": the Pushgateway answered 500 Out of order")


def test_a_fault_while_metrics_are_made_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def faulty(*_: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("acceptance.report.prometheus.pushgateway.samples_of", faulty)
    problem = push(RESULTS, Gateway.parse("http://127.0.0.1:1"), timeout_s=HANGS_S)
    assert problem == "http://127.0.0.1:1: ZeroDivisionError: division by zero"


def test_an_address_is_read_without_what_pushes() -> None:
    """The settings are read at the start of everything, the commands too."""
    code = "import sys; import acceptance.settings.run; print(*sys.modules, sep='\\n')"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    needless = ("acceptance.report", "jinja2", "prometheus_client", "matplotlib")
    assert "acceptance.settings.gateway" in loaded.split()
    assert [each for each in loaded.split() if each.startswith(needless)] == []


@pytest.mark.parametrize(
    "url",
    [
        "gateway:9091",
        "ftp://gateway",
        "http://",
        "http://a b",
        "http://gateway:port",
        "http://gateway/?token=sesame",
        "http://gateway/#x",
    ],
)
def test_what_is_no_address_of_a_gateway_is_refused_at_once(url: str) -> None:
    with pytest.raises(
        WrongUsage, match=r"--storage-pushgateway: expected the address of a Pushgateway such as"
    ) as error:
        read_settings({"thresholds": "t", "profiles": "p", "pushgateway": url})
    assert "sesame" not in str(error.value)


def test_a_wrong_address_is_told_without_its_password() -> None:
    with pytest.raises(ValueError, match=r"found 'http://\(not shown\)@gateway:port'"):
        Gateway.parse("http://nightly:open-sesame@gateway:port")

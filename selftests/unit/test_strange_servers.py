"""What answers at an address may be anything, or nothing: it is one sentence, and never waited for without end."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import pytest
from urllib3 import exceptions

from acceptance.cluster import api as api_module
from acceptance.cluster import api_requests
from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiUnreachable
from acceptance.cluster.resources import PODS
from acceptance.planning import site as planning_site
from acceptance.planning.site import Site, look_at_cluster
from acceptance.settings.run import read_settings
from acceptance.text.errors import AcceptanceError
from selftests.unit.loopback_server import Loopback, kubeconfig, loopback
from selftests.unit.paged_api_server import Clock


@pytest.fixture
def plain() -> Iterator[Loopback]:
    server = Loopback()
    with loopback(server):
        yield server


def api(folder: Path, server: Loopback) -> Api:
    return Api.from_kubeconfig(kubeconfig(folder / "mine", cluster={"server": server.url}))


@pytest.mark.parametrize(
    "answer",
    [{"Version": "27.1"}, b"<html>", b'{"gitVersion": "v1', [], {"gitVersion": None}],
    ids=["other JSON", "HTML", "cut JSON", "a list", "null"],
)
def test_a_server_that_is_no_kubernetes_is_told(
    answer: Any, tmp_path: Path, plain: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acceptance.cluster.api.LITTLE_RETRY_S", 0)
    plain.answers["/version"] = answer
    with pytest.raises(ApiUnreachable, match=plain.url):
        api(tmp_path, plain).version()


@pytest.fixture
def dripping() -> Iterator[str]:
    """The address of a server whose answer comes byte by byte, and never ends."""
    over = threading.Event()

    def drip(client: socket.socket) -> None:
        with client, suppress(OSError):
            client.recv(4096)
            client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            while not over.wait(0.02):
                client.sendall(b" ")

    def serve(listening: socket.socket) -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=drip, args=(listening.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=serve, args=(listening,), daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        over.set()


def test_an_answer_that_never_ends_is_given_up(tmp_path: Path, dripping: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_requests, "WHOLE_S", 0.5)
    monkeypatch.setattr(api_module, "LITTLE_RETRY_S", 0)
    with pytest.raises(ApiUnreachable, match=r"did not end within 0\.5 s"):
        api(tmp_path, Loopback(url=dripping)).version()


@pytest.fixture
def mute(tmp_path: Path) -> Iterator[Api]:
    """A client of a server that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:  # the kernel accepts them
        yield api(tmp_path, Loopback(url=f"http://127.0.0.1:{listening.getsockname()[1]}"))


def look(server: Api) -> Site:
    settings = read_settings({"thresholds": "t", "profiles": "p", "image": "suite:1"})
    return look_at_cluster(server, settings, kind="kubeconfig", subjects=[])


def test_a_plan_waits_at_most_10_s_for_the_first_answer(mute: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that answers after 9 s is slow: the plan still reads from it."""
    answer_limits_s: list[float] = []

    def call_api(*_: object, _request_timeout: tuple[float, float]) -> None:
        answer_limits_s.append(_request_timeout[1])
        time.sleep(_request_timeout[1])
        raise exceptions.ReadTimeoutError(cast(Any, None), "/version", "Read timed out.")

    clock = Clock(monkeypatch)
    monkeypatch.setattr(mute._requests.connection, "call_api", call_api)
    began_s = clock.now_s
    site = look(mute)
    assert answer_limits_s == [10] and clock.now_s - began_s == 10
    assert not site.is_reachable and str(site.trouble).endswith(": no answer within 10 s")


def test_a_plan_for_a_server_that_never_answers_is_made_without_it(mute: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning_site, "LOOK_ANSWER_S", 0.5)
    site = look(mute)
    assert (site.is_reachable, site.kind) == (False, "kubeconfig")
    assert re.fullmatch(rf"GET /version on {mute.address}: no answer within \d+ s", str(site.trouble))


@pytest.mark.parametrize("answer", [{}, {"metadata": {}, "items": {"a": 1}}, {"metadata": [], "items": []}])
def test_a_list_that_is_none_is_told(answer: Any, tmp_path: Path, plain: Loopback) -> None:
    plain.answers["/api/v1/pods"] = answer
    with pytest.raises(AcceptanceError, match=plain.url):
        api(tmp_path, plain).list(PODS)

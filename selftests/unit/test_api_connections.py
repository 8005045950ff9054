"""How a kubeconfig's user reaches the API server: with which headers, over which TLS, and what is told at once."""

from __future__ import annotations

import base64
import json
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiError, ApiUnreachable, ApiUntrusted
from acceptance.cluster.resources import PODS
from acceptance.process.terminal import Terminal
from acceptance.text.errors import EnvironmentFailure, WrongUsage
from embedded_cluster.certificates import Authority, KeyPair
from selftests.unit.loopback_server import Loopback, kubeconfig, loopback

TOKEN, V1 = "abcdefghijkl", "client.authentication.k8s.io/v1"


@pytest.fixture
def plain() -> Iterator[Loopback]:
    server = Loopback()
    with loopback(server):
        yield server


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(folder=tmp_path, common_name="ca")


def here(authority: Authority) -> KeyPair:
    return authority.issue("server", common_name="server", addresses=["127.0.0.1"])


def api(folder: Path, server: Loopback, *, user: dict[str, Any] | None = None, **cluster: Any) -> Api:
    return Api.from_kubeconfig(kubeconfig(folder / "mine", cluster={"server": server.url, **cluster}, user=user))


def encoded(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()


ACTING = {
    "as": "system:serviceaccount:a:b",
    "as-uid": "u-1",
    "as-groups": ["one,two", "grün"],
    "as-user-extra": {"Example.com/Scopes": ["read", "write"]},
}


@pytest.mark.parametrize("user", [{"token": TOKEN}, {"tokenFile": "token"}], ids=["token", "tokenFile"])
def test_every_request_and_stream_acts_as_the_kubeconfig_says(
    user: dict[str, Any], tmp_path: Path, plain: Loopback
) -> None:
    (tmp_path / "token").write_text(TOKEN)
    found = api(tmp_path, plain, user={**user, **ACTING})
    found.version()
    found.ask(PODS, {})
    found.delete(PODS, "p", namespace="n")
    found.log("p", namespace="n", container="c")
    list(found.lines("/metrics"))
    found.watch(PODS, namespace=None, labels="", version="1").stop()
    with pytest.raises(ApiUnreachable):  # this server speaks no websocket
        found.execute("p", namespace="n", container="c", command=["true"], timeout_s=5)
    assert len(plain.asked) == 7 and any("/exec" in path for path, _ in plain.asked)
    for _, headers in plain.asked:
        assert headers.get_all("Authorization") == [f"Bearer {TOKEN}"]
        assert headers.get_all("Impersonate-User") == [ACTING["as"]]
        assert headers.get_all("Impersonate-Uid") == [ACTING["as-uid"]]
        groups = [each.encode("latin-1").decode() for each in headers.get_all("Impersonate-Group")]
        assert groups == ACTING["as-groups"]
        assert headers.get_all("Impersonate-Extra-example.com%2Fscopes") == ["read", "write"]


@pytest.mark.parametrize("lacking", ["as-uid", "as-groups", "as-user-extra"])
def test_acting_as_nobody_is_refused(lacking: str, tmp_path: Path, plain: Loopback) -> None:
    with pytest.raises(WrongUsage, match="`as`"):
        api(tmp_path, plain, user={"token": TOKEN, lacking: ACTING[lacking]})


def test_a_header_of_two_lines_is_refused(tmp_path: Path, plain: Loopback) -> None:
    with pytest.raises(WrongUsage, match="Impersonate-User"):
        api(tmp_path, plain, user={"token": TOKEN, "as": "me\nImpersonate-Group: system:masters"})


@pytest.mark.parametrize(
    ("user", "sent"),
    [
        ({}, None),
        ({"token": TOKEN}, f"Bearer {TOKEN}"),
        ({"tokenFile": "token"}, "Bearer from-the-file"),
        ({"tokenFile": "token", "token": TOKEN}, "Bearer from-the-file"),
        (
            {"token": TOKEN, "exec": {"apiVersion": V1, "command": "no"}},
            f"Bearer {TOKEN}",
        ),
        ({"username": "me", "password": "pass word"}, f"Basic {base64.b64encode(b'me:pass word').decode()}"),
    ],
    ids=["nobody", "token", "tokenFile", "both", "token before exec", "password"],
)
def test_a_user_is_let_in_as_by_kubectl(
    user: dict[str, Any], sent: str | None, tmp_path: Path, plain: Loopback
) -> None:
    (tmp_path / "token").write_text("from-the-file\n")  # as `kubectl create token > FILE` leaves it
    api(tmp_path, plain, user=user).version()
    assert plain.authorizations() == {sent}


def test_a_token_file_is_read_again(tmp_path: Path, plain: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "token").write_text("first")
    found = api(tmp_path, plain, user={"tokenFile": "token"})
    (tmp_path / "token").write_text("second")
    found.version()
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 61)
    found.version()
    assert [headers["Authorization"] for _, headers in plain.asked] == ["Bearer first", "Bearer second"]


def program(folder: Path, *, expires: str | None = None) -> dict[str, Any]:
    """A user whose program gives another token each time."""
    status = {"expirationTimestamp": expires} if expires else {}
    (folder / "login").write_text(
        f"#!{sys.executable}\nimport json, pathlib\n"
        f"counted = pathlib.Path({str(folder / 'counted')!r})\n"
        "number = len(counted.read_text()) if counted.exists() else 0\n"
        "counted.write_text('x' * (number + 1))\n"
        f"print(json.dumps({{'apiVersion': '{V1}beta1', 'kind': 'ExecCredential', 'status': "
        f"{{**{status!r}, 'token': f'token-{{number}}'}}}}))\n"
    )
    (folder / "login").chmod(0o700)
    return {"exec": {"apiVersion": f"{V1}beta1", "command": "./login"}}


def test_a_login_lasts_until_it_expires(tmp_path: Path, plain: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    user = program(tmp_path, expires="2100-01-01T00:00:00Z")
    found = api(tmp_path, plain, user=user)
    found.version()
    found.version()
    monkeypatch.setattr(time, "time", lambda: 4102444800.0)  # then
    found.version()
    assert [headers["Authorization"][-1] for _, headers in plain.asked] == ["0", "0", "1"]


def test_a_login_that_is_refused_is_made_again_once(tmp_path: Path, plain: Loopback) -> None:
    found = api(tmp_path, plain, user=program(tmp_path))
    plain.lets_in = lambda headers: headers["Authorization"] == "Bearer token-1"
    found.version()
    assert [headers["Authorization"][-1] for _, headers in plain.asked] == ["0", "1"]
    plain.lets_in = lambda headers: False
    with pytest.raises(ApiError, match="401"):
        found.version()
    assert [headers["Authorization"][-1] for _, headers in plain.asked] == ["0", "1", "1", "2"]


def test_a_program_is_told_of_the_cluster_where_it_is_to_be(tmp_path: Path, authority: Authority) -> None:
    server = Loopback()
    script, token = tmp_path / "login", '{"apiVersion": "%s", "kind": "ExecCredential", "status": {"token": "t"}}'
    script.write_text(f"#!/bin/sh\necho \"$KUBERNETES_EXEC_INFO\" > {tmp_path}/told\necho '{token % V1}'\n")
    script.chmod(0o700)
    user = {"exec": {"apiVersion": V1, "command": "./login", "provideClusterInfo": True}}
    extension = {"name": "client.authentication.k8s.io/exec", "extension": {"audience": "a"}}
    with loopback(server, tls=here(authority)):
        api(tmp_path, server, user=user, extensions=[extension], **{"certificate-authority": "ca.crt"}).version()
    told = json.loads((tmp_path / "told").read_text())["spec"]["cluster"]
    assert told == {
        "server": server.url,
        "certificate-authority-data": encoded(authority.certificate),
        "config": {"audience": "a"},
    }


@pytest.mark.parametrize("by", ["file", "data"])
def test_a_client_certificate_is_shown(by: str, tmp_path: Path, authority: Authority) -> None:
    authority.certificate.write_text(f"# für uns\n{authority.certificate.read_text()}", encoding="utf-8")
    server, pair = Loopback(), authority.issue("client", common_name="me")
    user = {"client-certificate": "client.crt", "client-key": "client.key"}
    cluster: dict[str, Any] = {"certificate-authority": "ca.crt"}
    if by == "data":
        user = {"client-certificate-data": encoded(pair.certificate), "client-key-data": encoded(pair.key)}
        cluster = {"certificate-authority-data": encoded(authority.certificate)}
    with loopback(server, tls=here(authority), clients_of=authority):
        assert api(tmp_path, server, user=user, **cluster).version() == "v1.34.4"


def test_a_certificate_of_a_login_program_is_shown(tmp_path: Path, authority: Authority) -> None:
    server, pair = Loopback(), authority.issue("client", common_name="me")
    status = {"clientCertificateData": pair.certificate.read_text(), "clientKeyData": pair.key.read_text()}
    (tmp_path / "answer").write_text(json.dumps({"apiVersion": V1, "kind": "ExecCredential", "status": status}))
    user = {"exec": {"apiVersion": V1, "command": "cat", "args": [str(tmp_path / "answer")]}}
    with loopback(server, tls=here(authority), clients_of=authority):
        assert api(tmp_path, server, user=user, **{"certificate-authority": "ca.crt"}).version() == "v1.34.4"


@pytest.mark.parametrize("fault", ["another name", "unknown authority", "no TLS"])
def test_what_can_never_fit_is_tried_once(fault: str, tmp_path: Path, authority: Authority) -> None:
    """By the server's count of connections, however slow the machine is."""
    server, cluster = Loopback(), {"certificate-authority": "ca.crt"}
    pair = here(authority)
    if fault == "another name":
        pair = authority.issue("other", common_name="other", names=["elsewhere"])
    if fault == "unknown authority":
        Authority(folder=tmp_path, common_name="ca")
    with loopback(server, tls=None if fault == "no TLS" else pair):
        server.url = server.url.replace("http:", "https:")
        found = api(tmp_path, server, user={"token": TOKEN}, **cluster)
        with pytest.raises(ApiUntrusted, match=str(tmp_path / "mine")):
            found.version()
    assert server.connections == 1


def test_a_name_for_tls_alone_is_heeded(tmp_path: Path, authority: Authority) -> None:
    server = Loopback()
    with loopback(server, tls=authority.issue("other", common_name="other", names=["elsewhere"])):
        named = {"certificate-authority": "ca.crt", "tls-server-name": "elsewhere"}
        assert api(tmp_path, server, **named).version() == "v1.34.4"


def test_tls_that_fails_once_it_worked_is_given_its_time(
    tmp_path: Path, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As behind a load balancer, one of whose servers has another certificate for a moment."""
    server = Loopback()
    with loopback(server, tls=here(authority)):
        found = api(tmp_path, server, **{"certificate-authority": "ca.crt"})
        found.version()
        manager = found._requests.connection.rest_client.pool_manager
        manager.clear()
        found._requests.connection.tls.check_hostname = True
        monkeypatch.setitem(manager.connection_pool_kw, "server_hostname", "elsewhere")
        with pytest.raises(ApiUnreachable) as told:
            found._requests.json("GET", "/version", timeout_s=0)
        assert not isinstance(told.value, ApiUntrusted)


def test_an_unverified_server_is_told_of_once_and_no_warning_comes(
    tmp_path: Path, authority: Authority, recwarn: pytest.WarningsRecorder
) -> None:
    server, said = Loopback(), tmp_path / "said"
    with loopback(server, tls=here(authority)), said.open("wb") as to:
        path = kubeconfig(tmp_path / "mine", cluster={"server": server.url, "insecure-skip-tls-verify": True})
        found = Api.from_kubeconfig(path, terminal=Terminal(stderr=to.fileno()))
        found.version()
        found.list(PODS)
    assert [str(each.message) for each in recwarn] == []
    assert len(said.read_text().splitlines()) == 1 and str(path) in said.read_text()


@pytest.mark.skipif(find_spec("socks") is not None, reason="SOCKS is to be had here")
def test_a_socks_proxy_tells_what_it_takes(tmp_path: Path, plain: Loopback) -> None:
    with pytest.raises(WrongUsage, match="PySocks"):
        api(tmp_path, plain, **{"proxy-url": "socks5://127.0.0.1:1080"})


def test_a_program_that_is_away_is_told_with_its_hint(tmp_path: Path, plain: Loopback) -> None:
    user = {"exec": {"apiVersion": V1, "command": "no-such-login", "installHint": "see example.com"}}
    with pytest.raises(EnvironmentFailure, match=r"no-such-login cannot be run.*see example\.com"):
        api(tmp_path, plain, user=user)

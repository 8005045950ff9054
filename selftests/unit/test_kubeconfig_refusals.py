"""What is wrong with a kubeconfig is one sentence with its file, whatever is in it; nothing is asked of any server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from acceptance.cluster.api import Api
from acceptance.text.errors import AcceptanceError, WrongUsage
from embedded_cluster.certificates import Authority
from selftests.unit.loopback_server import kubeconfig

V1 = "client.authentication.k8s.io/v1"
WRONG: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "no server": ({"server": ""}, {}, "server"),
    "server that is no address": ({"server": "https://"}, {}, "server"),
    "server of another kind": ({"server": "ftp://x"}, {}, "server"),
    "proxy without scheme": ({"proxy-url": "127.0.0.1:3128"}, {}, "proxy-url"),
    "proxy of another kind": ({"proxy-url": "ftp://x"}, {}, "proxy-url"),
    "authority away": ({"certificate-authority": "gone"}, {}, "gone"),
    "authority that is none": ({"certificate-authority-data": "eA=="}, {}, "certificate-authority"),
    "authority not shown": ({"certificate-authority-data": "DATA+OMITTED"}, {}, "without --raw"),
    "authority twice": ({"certificate-authority": "a", "certificate-authority-data": "eA=="}, {}, "both"),
    "authority of nobody": ({"certificate-authority": "ca.crt", "insecure-skip-tls-verify": True}, {}, "insecure"),
    "token of two lines": ({}, {"token": "abcdefghijkl\n"}, "token"),
    "token not shown": ({}, {"token": "REDACTED"}, "without --raw"),
    "token file away": ({}, {"tokenFile": "gone"}, "gone"),
    "token file empty": ({}, {"tokenFile": "empty"}, "empty"),
    "key not shown": ({}, {"client-certificate-data": "DATA+OMITTED"}, "without --raw"),
    "certificate without key": ({}, {"client-certificate": "client.crt"}, "client-key"),
    "key without certificate": ({}, {"client-key": "client.key"}, "client-certificate"),
    "key of another": ({}, {"client-certificate": "client.crt", "client-key": "server.key"}, "another certificate"),
    "two ways": ({}, {"token": "t", "username": "me", "password": "p"}, "token"),
    "program and provider": ({}, {"exec": {}, "auth-provider": {}}, "auth-provider"),
    "program null": ({}, {"exec": {"apiVersion": V1, "command": None}}, "command"),
    "program of old": (
        {},
        {"exec": {"apiVersion": f"{V1}alpha1", "command": "x"}},
        "v1beta1",
    ),
    "program of no version": ({}, {"exec": {"command": "x"}}, "apiVersion"),
    "provider of old": ({}, {"auth-provider": {"name": "gcp"}}, "gcp"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_what_kubectl_refuses_is_told_with_file_and_entry(fault: str, tmp_path: Path) -> None:
    cluster, user, named = WRONG[fault]
    authority = Authority(folder=tmp_path, common_name="ca")
    authority.issue("client", common_name="me")
    authority.issue("server", common_name="server", addresses=["127.0.0.1"])
    (tmp_path / "empty").touch()
    path = kubeconfig(tmp_path / "mine", cluster={"server": "https://127.0.0.1:1", **cluster}, user=user)
    with pytest.raises(WrongUsage) as told:
        Api.from_kubeconfig(path)
    assert str(path) in str(told.value) and named in str(told.value)


_TEXT = st.sampled_from(
    [
        "",
        "c",
        "u",
        "x",
        "https://127.0.0.1:1",
        "eA==",
        "DATA+OMITTED",
        "a\nb",
        "\x00",
        "gr\u00fcn",
        "[",
        V1,
        "a.b.c",
        "oidc",
    ]
)
_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _TEXT | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=5,
)


def _mostly(fits: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Anything at all now and then: what comes behind it is not looked at."""
    return st.integers(0, 29).flatmap(lambda number: fits if number else _ANYTHING)


def _some(**values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Some of these keys, which have `_` for `-`."""
    return st.fixed_dictionaries({}, optional={key.replace("_", "-"): _mostly(each) for key, each in values.items()})


def _texts(*names: str) -> st.SearchStrategy[Any]:
    return _some(**dict.fromkeys(names, _TEXT))


_SERVER = st.just("https://127.0.0.1:1") | _TEXT | st.text(max_size=12).map("https://{}".format)
_CLUSTER = st.builds(
    lambda server, more: {**more, "server": server},
    _mostly(_SERVER),
    _some(
        tls_server_name=_TEXT,
        insecure_skip_tls_verify=st.booleans(),
        certificate_authority=_TEXT,
        certificate_authority_data=_TEXT,
        proxy_url=_SERVER,
        extensions=st.lists(_ANYTHING, max_size=2),
    ),
)
_PROGRAM = _some(
    apiVersion=_TEXT,
    args=st.lists(_TEXT, max_size=2),
    interactiveMode=_TEXT,
    installHint=_TEXT,
    env=st.lists(_ANYTHING),
)
_PROVIDER = _some(name=st.just("oidc") | _TEXT, config=_texts("id-token", "client-id", "refresh-token"))
_ACTING = _some(
    **{"as": _TEXT, "as-uid": _TEXT},
    as_groups=st.lists(_TEXT, max_size=2),
    as_user_extra=st.dictionaries(_TEXT, st.lists(_TEXT, max_size=2), max_size=2),
)
_WAYS = (
    _texts("token", "tokenFile"),
    _texts("username", "password"),
    _texts("client-certificate", "client-key", "client-certificate-data", "client-key-data"),
    _some(exec=_PROGRAM),
    _some(auth_provider=_PROVIDER),
)
_USER = st.builds(lambda way, acting: {**acting, **way}, st.one_of(_WAYS), st.just({}) | _ACTING)


def _entries(kind: str, inside: st.SearchStrategy[Any], *, name: str) -> st.SearchStrategy[Any]:
    return _mostly(st.fixed_dictionaries({"name": st.just(name), kind: _mostly(inside)}).map(lambda entry: [entry]))


_DOCUMENT = st.fixed_dictionaries(
    {
        "current-context": _mostly(st.just("x")),
        "contexts": _entries("context", st.just({"cluster": "c", "user": "u"}), name="x"),
        "clusters": _entries("cluster", _CLUSTER, name="c"),
        "users": _entries("user", _USER, name="u"),
    }
)


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(document=_DOCUMENT | _ANYTHING)
def test_any_document_is_used_or_refused_in_a_sentence(document: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No program is named in any of them, so none is run."""
    path = tmp_path_factory.mktemp("any") / "mine"
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    try:
        Api.from_kubeconfig(path)
    except AcceptanceError as refused:
        assert refused.exit_status in (4, 10)
        assert str(path) in str(refused)


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    content=st.binary(max_size=60) | st.text(alphabet="[]{}:-&*<!|>'\"#\n\t 0x:\x85\ufeff", max_size=30).map(str.encode)
)
@example(content=b"\xff\xfe{")
def test_any_bytes_are_read_or_refused_in_a_sentence(content: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("any") / "mine"
    path.write_bytes(content)
    with pytest.raises(WrongUsage, match=str(path)):  # nothing that short names a cluster
        Api.from_kubeconfig(path)

"""A login at an OpenID Connect issuer, as kubectl has it built in: the token is used, and renewed once it expires."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acceptance.cluster.api import Api
from acceptance.process.terminal import Terminal
from acceptance.text.errors import EnvironmentFailure
from embedded_cluster.certificates import Authority
from selftests.unit.loopback_server import Loopback, kubeconfig, loopback


def token(*, expires: float | None, name: str = "me") -> str:
    """A JSON web token whose signature nobody checks here; seconds as `time.time` counts."""
    claims = {"sub": name, **({} if expires is None else {"exp": expires})}
    parts = ({"alg": "RS256"}, claims)
    return ".".join(
        [*(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts), "c2ln"]
    )


VALID, EXPIRED = token(expires=4102444800), token(expires=1500000000)


@pytest.fixture
def server() -> Iterator[Loopback]:
    found = Loopback()
    with loopback(found):
        yield found


def api(folder: Path, server: Loopback, said: Path, **config: Any) -> Api:
    user = {"auth-provider": {"name": "oidc", "config": {"client-id": "kubernetes", **config}}}
    path = kubeconfig(folder / "mine", cluster={"server": server.url}, user=user)
    with said.open("wb") as to:
        return Api.from_kubeconfig(path, terminal=Terminal(stderr=to.fileno()))


@pytest.mark.parametrize("used", [VALID, token(expires=None)])
def test_a_token_that_is_valid_is_used(used: str, tmp_path: Path, server: Loopback) -> None:
    api(tmp_path, server, tmp_path / "said", **{"id-token": used}).version()
    assert server.authorizations() == {f"Bearer {used}"}


@pytest.mark.parametrize(("refresh", "lines"), [("the-same-refresh", 0), ("another-refresh", 1)])
def test_an_expired_one_is_renewed_by_an_issuer_that_is_verified(
    refresh: str, lines: int, tmp_path: Path, server: Loopback
) -> None:
    """That the issuer replaced the refresh token is told, for the kubeconfig stays as it is."""
    authority, issuer = Authority(folder=tmp_path, common_name="ca"), Loopback()
    with loopback(issuer, tls=authority.issue("issuer", common_name="issuer", addresses=["127.0.0.1"])):
        issuer.answers = {
            "/.well-known/openid-configuration": {"token_endpoint": f"{issuer.url}/token"},
            "/token": {"id_token": VALID, "refresh_token": refresh},
        }
        config = {"id-token": EXPIRED, "idp-issuer-url": issuer.url, "refresh-token": "the-same-refresh"}
        authority_data = base64.b64encode(authority.certificate.read_bytes()).decode()
        trusted = {"idp-certificate-authority-data": authority_data}
        api(tmp_path, server, tmp_path / "said", **config, **trusted).version()
        assert server.authorizations() == {f"Bearer {VALID}"}
        assert len((tmp_path / "said").read_text().splitlines()) == lines
        with pytest.raises(EnvironmentFailure, match=issuer.url):  # which nobody vouches for now
            api(tmp_path, server, tmp_path / "said", **config)


@pytest.mark.parametrize(
    "lacking",
    [
        {"id-token": EXPIRED},
        {"id-token": EXPIRED, "refresh-token": "r", "idp-issuer-url": "https://127.0.0.1:2"},
        {"refresh-token": "r", "idp-issuer-url": "nonsense"},
        {},
    ],
)
def test_a_token_that_cannot_be_renewed_is_told(lacking: dict[str, str], tmp_path: Path, server: Loopback) -> None:
    with pytest.raises(EnvironmentFailure, match=str(tmp_path / "mine")):
        api(tmp_path, server, tmp_path / "said", **lacking)
    assert server.asked == []


def test_an_issuer_that_refuses_is_told_in_its_own_words(tmp_path: Path, server: Loopback) -> None:
    issuer = Loopback(lets_in=lambda headers: False)
    with loopback(issuer):
        config = {"id-token": EXPIRED, "refresh-token": "r", "idp-issuer-url": issuer.url}
        with pytest.raises(EnvironmentFailure, match="status 401"):
            api(tmp_path, server, tmp_path / "said", **config)

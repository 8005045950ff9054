"""A login at an OpenID Connect issuer (`auth-provider: oidc` of a kubeconfig), as it is built into kubectl.

Source: k8s.io/client-go/plugin/pkg/client/auth/oidc,
https://openid.net/specs/openid-connect-core-1_0.html#RefreshTokens
"""

from __future__ import annotations

import base64
import binascii
import json
import ssl
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import urllib3

from acceptance.cluster.credentials import EARLIER_S, Credential, NoLogin, require_header
from acceptance.cluster.tls import authority_text, trusting
from acceptance.process.terminal import Terminal
from acceptance.text.errors import WrongUsage
from acceptance.text.redaction import remember

TIMEOUT_S = 30.0
NAME = "oidc"
_RENEW = "log in again with the tool that logs in for kubectl"


@dataclass(kw_only=True)
class OidcLogin:
    """The token of a user, and its renewal. `config` as in the kubeconfig, `user_is`: the user in words."""

    config: dict[str, str]
    user_is: str
    terminal: Terminal
    _in_use: bool = field(default=False, init=False)

    def login(self) -> Credential:
        """Return the kubeconfig's token while it is valid, and then one that the issuer gives for the refresh token."""
        token = self.config.get("id-token", "")
        expires_at = _expiry(token)
        if self._in_use or not token or (expires_at is not None and time.time() > expires_at - EARLIER_S):
            token = self._refresh()
            expires_at = _expiry(token)
        self._in_use = True
        require_header(token, f"{self.user_is}: id-token")
        return Credential(token=token, expires_at=expires_at)

    def _refresh(self) -> str:
        missing = [key for key in ("idp-issuer-url", "client-id", "refresh-token") if not self.config.get(key)]
        if missing:
            raise NoLogin(
                f"{self.user_is}: the id-token is missing or has expired, and it cannot be renewed without "
                f"{', '.join(missing)}; {_RENEW}"
            )
        issuer = self.config["idp-issuer-url"]
        http = self._issuer_pool()
        endpoints = self._answer(http, "GET", f"{issuer.rstrip('/')}/.well-known/openid-configuration")
        refresh = self.config["refresh-token"]
        form = {"grant_type": "refresh_token", "refresh_token": refresh, "client_id": self.config["client-id"]}
        secret = self.config.get("client-secret", "")
        if secret:
            form["client_secret"] = secret
        answer = self._answer(http, "POST", str(endpoints.get("token_endpoint")), form)
        token = answer.get("id_token")
        if not isinstance(token, str) or not token:
            raise NoLogin(f"{self.user_is}: the issuer {issuer} returned no id_token for the refresh token; {_RENEW}")
        self._keep(token, answer.get("refresh_token"))
        return token

    def _keep(self, token: str, refresh: object) -> None:
        """Keep the new tokens for the next time. The kubeconfig is the user's, and stays as it is."""
        remember(token)
        config = {**self.config, "id-token": token}
        if isinstance(refresh, str) and refresh and refresh != self.config["refresh-token"]:
            remember(refresh)
            config["refresh-token"] = refresh
            self.terminal.say(
                f"warning: {self.user_is}: the issuer replaced the refresh token, and the suite never changes a "
                f"kubeconfig: before you use kubectl again, {_RENEW}"
            )
        self.config = config

    def _issuer_pool(self) -> urllib3.PoolManager:
        place = f"{self.user_is}: idp-certificate-authority"
        authority = authority_text(
            self.config.get("idp-certificate-authority", ""),
            self.config.get("idp-certificate-authority-data", ""),
            place,
        )
        return urllib3.PoolManager(ssl_context=trusting(authority, place))

    def _answer(self, http: urllib3.PoolManager, method: str, url: str, form: dict[str, str] | None = None) -> Any:
        if not url.startswith(("https://", "http://")):
            raise NoLogin(
                f"{self.user_is}: the id-token has expired, and {url} cannot renew it; correct idp-issuer-url"
            )
        try:
            response = http.request(
                method,
                url,
                body=None if form is None else urlencode(form),
                headers={} if form is None else {"Content-Type": "application/x-www-form-urlencoded"},
                timeout=TIMEOUT_S,
                retries=False,
            )
            content = json.loads(response.data)
        except (urllib3.exceptions.HTTPError, OSError, ssl.SSLError) as error:
            raise NoLogin(
                f"{self.user_is}: the id-token has expired, and {url} does not answer: {error}; check that the "
                f"issuer can be reached, or {_RENEW}"
            ) from error
        except (ValueError, RecursionError):
            content = None
        if response.status >= 400 or not isinstance(content, dict):
            why = content.get("error_description") or content.get("error") if isinstance(content, dict) else "no JSON"
            raise NoLogin(
                f"{self.user_is}: the id-token has expired, and {url} does not renew it (status {response.status}: "
                f"{why}); {_RENEW}"
            )
        return content


def oidc_login(config: dict[str, str], user_is: str, terminal: Terminal) -> OidcLogin:
    """Return the login of a user. Raises WrongUsage for a token that no issuer could have issued."""
    if config.get("id-token") and config["id-token"].count(".") != 2:
        raise WrongUsage(f"{user_is}: expected a JSON web token as id-token, found other text; {_RENEW}")
    return OidcLogin(config=config, user_is=user_is, terminal=terminal)


def _expiry(token: str) -> float | None:
    """Return when a JSON web token expires, as `time.time` counts; None if it has no expiry, 0 if it is unreadable."""
    if token.count(".") != 2:
        return 0.0
    try:
        payload = token.split(".")[1]
        expiry = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))).get("exp")
        return None if expiry is None else float(expiry)
    except (binascii.Error, ValueError, TypeError, AttributeError, RecursionError, OverflowError):
        return 0.0

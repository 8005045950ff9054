"""Connections to an API server: by kubeconfig files, or as the service account of a pod."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from kubernetes import client, config

from acceptance.cluster.api_transport import Connection
from acceptance.cluster.credentials import (
    Headers,
    Identity,
    Source,
    TokenFile,
    bearer,
    impersonation,
    password_headers,
    require_header,
)
from acceptance.cluster.kubeconfig import Access, read_access
from acceptance.cluster.login_program import LoginProgram
from acceptance.cluster.oidc_login import NAME as OIDC
from acceptance.cluster.oidc_login import oidc_login
from acceptance.cluster.tls import OMISSION_MARKS, authority_text, content_of, show_certificate, trusting
from acceptance.process.terminal import Terminal, this_terminal
from acceptance.text.errors import EnvironmentFailure, WrongUsage
from acceptance.text.redaction import remember

# Addresses that are reached without the environment's proxy, as with kubectl.
LOOPBACK = "localhost,127.0.0.0/8,::1"
PROXIES = ("http", "https", "socks5")
_CLUSTER_EXTENSION = "client.authentication.k8s.io/exec"


def by_kubeconfig(
    sources: Sequence[Path], *, context: str | None = None, terminal: Terminal | None = None
) -> client.ApiClient:
    """Connect as the merged kubeconfig files specify; log in if they name a login program.

    The files are read, never written. `terminal`: where the program may ask the user; None: the terminal of this
    process. Raises WrongUsage, naming file and entry, if the files cannot be used, and EnvironmentFailure if a login
    fails.
    """
    terminal = terminal or this_terminal()
    access = read_access(sources, context=context)
    settings, tls = _settings_of(access), _tls_of(access)
    identity = _identity_of(access, terminal, settings.host)
    place = f"{access.user_is}: output of the login program"
    if tls is not None:
        identity.on_certificate = lambda certificate, key: show_certificate(tls, certificate, key, place)
    identity.headers()
    if access.cluster.insecure:
        terminal.say(
            f"warning: {access.cluster_is}: insecure-skip-tls-verify is set: the suite does not verify the identity of "
            f"the API server {settings.host}"
        )
    return Connection(settings, origin=str(access.file), identity=identity, tls=tls)


def _settings_of(access: Access) -> client.Configuration:
    cluster, place = access.cluster, access.cluster_is
    settings = _client_settings()
    settings.host = _server(access)
    settings.verify_ssl = not cluster.insecure
    settings.tls_server_name = cluster.server_name or None
    if cluster.proxy:
        settings.proxy, settings.no_proxy = cluster.proxy, None  # the kubeconfig names it for this server
    elif settings.proxy:
        settings.proxy = settings.proxy if "://" in settings.proxy else f"http://{settings.proxy}"
        settings.no_proxy = ",".join(filter(None, [settings.no_proxy, LOOPBACK]))
    if settings.proxy:
        settings.proxy_headers = _proxy_headers(
            settings.proxy, f"{place}: proxy-url" if cluster.proxy else "the proxy in the environment"
        )
        settings.proxy = re.sub("^socks5:", "socks5h:", settings.proxy)  # the proxy resolves names, as with kubectl
    return settings


def _server(access: Access) -> str:
    """Return the address of the API server; add a scheme as kubectl does."""
    cluster, place = access.cluster, f"{access.cluster_is}: server"
    if not cluster.server:
        raise WrongUsage(f"{place}: expected the address of an API server, found none; correct it")
    user = access.user
    has_certificate = cluster.authority or cluster.authority_data or user.certificate or user.certificate_data
    scheme = "https" if has_certificate or cluster.insecure else "http"
    address = cluster.server if "://" in cluster.server else f"{scheme}://{cluster.server}"
    parts = _address(address)
    if parts is None or parts.scheme.lower() not in ("http", "https"):
        raise WrongUsage(
            f"{place}: expected an address such as https://HOST:PORT, found {cluster.server!r}; correct it"
        )
    return address.rstrip("/")


def _address(text: str) -> SplitResult | None:
    """Return the parts of a URL with a valid host, or None for any other text."""
    try:
        parts = urlsplit(text)
        usable = parts.hostname and parts.port != 0 and text.isprintable() and " " not in text
        if usable:
            str(parts.hostname).encode("idna")
    except ValueError:
        return None
    return parts if usable else None


def _proxy_headers(proxy: str, place: str) -> dict[str, str] | None:
    """Return the headers that log in at the proxy, if any. Raises WrongUsage for an address that is no proxy's."""
    parts = _address(proxy)
    if parts is None or parts.scheme not in PROXIES:
        raise WrongUsage(
            f"{place}: expected an address such as http://HOST:PORT ({', '.join(PROXIES)}), found {proxy!r}; correct it"
        )
    if parts.scheme == "socks5" and (find_spec("socks") is None or find_spec("python_socks") is None):
        raise WrongUsage(
            f"{place}: {proxy} is a SOCKS proxy, which needs two missing Python packages; install them with "
            "`pip install PySocks python-socks`, or name an HTTP proxy"
        )
    if parts.username is None:
        return None
    login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return {"proxy-authorization": f"Basic {base64.b64encode(login.encode()).decode()}"}


def _tls_of(access: Access) -> Any:
    """Return the settings of TLS; they hold the user's certificate."""
    cluster, user = access.cluster, access.user
    place = f"{access.cluster_is}: certificate-authority"
    authority = authority_text(cluster.authority, cluster.authority_data, place)
    if authority and cluster.insecure:
        raise WrongUsage(f"{place} and insecure-skip-tls-verify are both given; remove one")
    tls = trusting(authority, place, insecure=cluster.insecure)
    certificate = content_of(user.certificate, user.certificate_data, f"{access.user_is}: client-certificate")
    key = content_of(user.key, user.key_data, f"{access.user_is}: client-key")
    if bool(certificate) != bool(key):
        present, missing = ("certificate", "key") if certificate else ("key", "certificate")
        raise WrongUsage(f"{access.user_is}: expected client-{missing} with client-{present}, found none; add it")
    if certificate:
        show_certificate(tls, certificate, key, access.user_is)
    return tls


def _identity_of(access: Access, terminal: Terminal, server: str) -> Identity:
    """Return the identity that kubectl would choose: by a token, else a password, else a login."""
    user, place = access.user, access.user_is
    impersonation_headers = impersonation(access)
    ways = [name for name, value in _ways(access).items() if value]
    if len(ways) > 1:
        raise WrongUsage(f"{place}: expected one way to authenticate, found {' and '.join(ways)}; remove all but one")
    if user.token in OMISSION_MARKS:
        raise WrongUsage(
            f"{place}: token: expected a token, found the placeholder that `kubectl config view` prints without --raw; "
            "replace it"
        )
    require_header(user.token, f"{place}: token")
    if user.token_file:
        return Identity(
            static_headers=impersonation_headers, source=TokenFile(path=Path(user.token_file), user_is=place)
        )
    login_headers: Headers = bearer(user.token) if user.token else password_headers(user, place)
    if login_headers:
        return Identity(static_headers=[*login_headers, *impersonation_headers])
    return Identity(static_headers=impersonation_headers, source=_login_of(access, terminal, server))


def _ways(access: Access) -> dict[str, object]:
    user = access.user
    return {
        "token": user.token or user.token_file,
        "username and password": user.username or user.password,
        "exec": user.program if user.provider else None,
        "auth-provider": user.provider if user.program else None,
    }


def _login_of(access: Access, terminal: Terminal, server: str) -> Source | None:
    program, provider, place = access.user.program, access.user.provider, access.user_is
    if program is not None:
        cluster_info = _cluster_info(access, server) if program.provide_cluster else None
        return LoginProgram(program=program, user_is=place, terminal=terminal, cluster=cluster_info)
    if provider is None:
        return None
    if provider.name != OIDC:
        raise WrongUsage(
            f"{place}: auth-provider {provider.name or 'without a name'} does not exist in Kubernetes 1.26 or later, "
            f"which has only {OIDC}; create the kubeconfig again with your provider's tool, which configures a login "
            "program (exec)"
        )
    return oidc_login(provider.config, place, terminal)


def _cluster_info(access: Access, server: str) -> dict[str, Any]:
    """Return the cluster information for a login program (`provideClusterInfo`)."""
    cluster = access.cluster
    authority = content_of(cluster.authority, cluster.authority_data, f"{access.cluster_is}: certificate-authority")
    own = next((extension.extension for extension in cluster.extensions if extension.name == _CLUSTER_EXTENSION), None)
    info = {
        "server": server,
        "tls-server-name": cluster.server_name,
        "insecure-skip-tls-verify": cluster.insecure,
        "certificate-authority-data": base64.b64encode(authority).decode(),
        "proxy-url": cluster.proxy,
        "config": own,
    }
    return {key: value for key, value in info.items() if value}


def by_service_account() -> client.ApiClient:
    """Connect to the cluster of the pod that this process runs in, as its service account.

    The token is read again every minute, because the kubelet replaces it long before it expires. Raises
    EnvironmentFailure outside a pod, and in a pod without a token.
    """
    settings = _client_settings()
    try:
        config.load_incluster_config(client_configuration=settings)  # type: ignore[no-untyped-call]
    except (config.ConfigException, OSError, UnicodeDecodeError) as error:
        raise EnvironmentFailure(
            f"expected a pod with the token of its service account, found none: {error} Run the suite as "
            "deploy/job.yaml does (docs/in-cluster.md), or name a cluster with --storage-kubeconfig FILE"
        ) from error
    _remember_tokens(settings)
    return client.ApiClient(settings)


def _remember_tokens(settings: client.Configuration) -> None:
    """Redact all tokens, also those that replace expired ones; tokens of an exec plugin are in no file."""
    renew: Callable[[client.Configuration], None] | None = settings.refresh_api_key_hook

    def remember_all(now: client.Configuration) -> None:
        for token in now.api_key.values():
            remember(re.sub(r"^bearer ", "", token, flags=re.IGNORECASE))

    def renew_and_remember(now: client.Configuration) -> None:
        if renew is not None:
            renew(now)
        remember_all(now)

    remember_all(settings)
    settings.refresh_api_key_hook = renew_and_remember  # type: ignore[assignment]


def _client_settings() -> client.Configuration:
    settings = client.Configuration()
    settings.retries = False  # urllib3 would retry three times on top of our own time-out
    settings.connection_pool_maxsize = 128  # each followed log holds one; beyond that urllib3 warns
    return settings

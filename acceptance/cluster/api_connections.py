"""Connections to an API server: by a kubeconfig file, or as the service account of a pod."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.request import getproxies

from kubernetes import client, config

from acceptance.text.errors import EnvironmentFailure
from acceptance.text.redaction import remember

# No proxy of the environment leads there; kubectl does the same.
LOOPBACK = "localhost,127.0.0.0/8,::1"


def by_kubeconfig(kubeconfig: Path, *, context: str | None = None) -> client.ApiClient:
    """Connect as a kubeconfig file says; the file is read, never written.

    Raises EnvironmentFailure when the file cannot be used.
    """
    settings = _client_settings()
    try:
        config.load_kube_config(  # type: ignore[no-untyped-call]
            config_file=str(kubeconfig), context=context, persist_config=False, client_configuration=settings
        )
    except (config.ConfigException, OSError, ValueError, TypeError, AttributeError) as error:
        raise EnvironmentFailure(f"kubeconfig {kubeconfig} cannot be used: {error}") from error
    _remember_tokens(settings)
    if settings.proxy in getproxies().values():  # and not by the file itself, which means it
        settings.no_proxy = ",".join(filter(None, [settings.no_proxy, LOOPBACK]))
    return client.ApiClient(settings)


def by_service_account() -> client.ApiClient:
    """Connect to the cluster of the pod that this process runs in, as its service account.

    The token is read again every minute: the kubelet replaces it long before it expires. Raises EnvironmentFailure
    where this is no pod, or one without a token.
    """
    settings = _client_settings()
    try:
        config.load_incluster_config(client_configuration=settings)  # type: ignore[no-untyped-call]
    except (config.ConfigException, OSError, UnicodeDecodeError) as error:
        raise EnvironmentFailure(
            f"wanted a pod with the token of its service account, found none: {error} Run it as deploy/job.yaml "
            "does (docs/in-cluster.md), or name a cluster with --storage-kubeconfig FILE"
        ) from error
    _remember_tokens(settings)
    return client.ApiClient(settings)


def _remember_tokens(settings: client.Configuration) -> None:
    """Have no token shown, also not those that come when one has run out; an exec plugin's are in no file."""
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

"""Connections to an API server: by a kubeconfig file, or as the service account of a pod."""

from __future__ import annotations

from pathlib import Path

from kubernetes import client, config

from acceptance.credentials import remember
from acceptance.errors import EnvironmentFailure


def by_kubeconfig(kubeconfig: Path, *, context: str | None = None) -> client.ApiClient:
    """Connect as a kubeconfig file says; the file is read, never written.

    Raises EnvironmentFailure when the file cannot be used.
    """
    settings = _client_settings()
    try:
        connection: client.ApiClient = config.new_client_from_config(  # type: ignore[no-untyped-call]
            config_file=str(kubeconfig), context=context, persist_config=False, client_configuration=settings
        )
    except (config.ConfigException, OSError, ValueError, TypeError, AttributeError) as error:
        raise EnvironmentFailure(f"kubeconfig {kubeconfig} cannot be used: {error}") from error
    for token in connection.configuration.api_key.values():  # an exec plugin's is in no file
        remember(token.removeprefix("Bearer "))
    return connection


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
    remember(settings.api_key["BearerToken"].removeprefix("bearer "))
    return client.ApiClient(settings)


def _client_settings() -> client.Configuration:
    settings = client.Configuration()
    settings.retries = False  # urllib3 would retry three times on top of our own time-out
    settings.connection_pool_maxsize = 128  # each followed log holds one; beyond that urllib3 warns
    return settings

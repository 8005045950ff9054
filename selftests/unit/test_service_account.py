"""A run in a pod: it finds its cluster and its account as Kubernetes hands them to pods."""

from __future__ import annotations

import datetime
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from kubernetes import client
from kubernetes.config import incluster_config

from acceptance.cluster.api import Api
from acceptance.cluster.api_connections import by_service_account
from acceptance.text.errors import EnvironmentFailure
from acceptance.text.redaction import redact
from selftests.bounds import HANGS_S

ROOT = Path(__file__).parents[2]
AUTHORITY = "-----BEGIN CERTIFICATE-----\n"
FIRST, SECOND = "the-first-token-of-the-account", "the-second-token-of-the-account"


@pytest.fixture
def pod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the kubelet gives to a pod; the folder of its service account."""
    for name, file in {"SERVICE_TOKEN_FILENAME": "token", "SERVICE_CERT_FILENAME": "ca.crt"}.items():
        monkeypatch.setattr(incluster_config, name, str(tmp_path / file))
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.96.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    (tmp_path / "token").write_text(FIRST)
    (tmp_path / "ca.crt").write_text(AUTHORITY)
    # No connection is made, so the authority need not be a real one.
    monkeypatch.setattr("kubernetes.client.rest.RESTClientObject.__init__", lambda self, configuration: None)
    return tmp_path


def sent_token(connection: client.ApiClient) -> str:
    """What the next request would be let in by."""
    return str(connection.configuration.get_api_key_with_prefix("BearerToken"))


def test_it_connects_to_the_service_of_the_cluster(pod: Path) -> None:
    connection = by_service_account()
    assert connection.configuration.host == "https://10.96.0.1:443"
    assert connection.configuration.ssl_ca_cert == str(pod / "ca.crt")
    assert sent_token(connection) == f"bearer {FIRST}"


def test_an_ipv6_address_is_written_as_one(pod: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "fd00::1")
    assert Api.from_service_account().address == "https://[fd00::1]:443"


def test_a_token_that_was_replaced_is_read_again(pod: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run takes longer than a token lives."""
    connection = by_service_account()
    (pod / "token").write_text(SECOND)
    assert sent_token(connection) == f"bearer {FIRST}"

    later = datetime.datetime.now() + datetime.timedelta(seconds=61)
    clock = SimpleNamespace(datetime=SimpleNamespace(now=lambda: later), timedelta=datetime.timedelta)
    monkeypatch.setattr(incluster_config, "datetime", clock)
    assert sent_token(connection) == f"bearer {SECOND}"


def test_the_token_is_shown_nowhere(pod: Path) -> None:
    by_service_account()
    assert FIRST not in redact(f"refused: {FIRST}")


@pytest.mark.parametrize("missing", ["token", "ca.crt", "address"])
def test_what_a_pod_lacks_is_said(missing: str, pod: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if missing == "address":
        monkeypatch.delenv("KUBERNETES_SERVICE_HOST")
    else:
        (pod / missing).unlink()
    with pytest.raises(
        EnvironmentFailure, match=r"expected a pod with the token of its service account.*deploy/job\.yaml"
    ):
        by_service_account()


def test_cleaning_up_two_clusters_at_once_is_wrong_usage() -> None:
    words = [sys.executable, "-m", "acceptance", "cleanup", "--in-cluster", "--context", "other"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=HANGS_S, check=False)
    assert done.returncode == 4
    assert "--in-cluster means the cluster of this pod" in done.stderr

"""A run against an API server that repeats in its errors all that it was sent: nothing secret is printed or kept."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from selftests.pytest_command import PYTEST_MODULE
from selftests.unit.json_server import JsonHandler, serving
from selftests.warm_start import run_module

ROOT = Path(__file__).parents[2]
TOKEN, KEY_LINE, PASSWORD, VARIABLE, PROXY, PARAMETER = (
    f"canary-{name}-4f3a9c71" for name in ("token", "keyline", "password", "variable", "proxy", "parameter")
)
KEY = base64.b64encode(f"-----BEGIN EC PRIVATE KEY-----\n{KEY_LINE}\n-----END EC PRIVATE KEY-----\n".encode()).decode()
CANARIES = (TOKEN, KEY_LINE, PASSWORD, VARIABLE, PROXY, PARAMETER, KEY)
ALL = " ".join([TOKEN, KEY_LINE, PASSWORD, VARIABLE, PROXY, KEY, base64.b64encode(TOKEN.encode()).decode()])
OTHERS = [
    {"name": "by-key", "user": {"client-key-data": KEY}},
    {"name": "by-password", "user": {"username": "me", "password": PASSWORD}},
    {"name": "by-plugin", "user": {"exec": {"command": "p", "env": [{"name": "VAULT_TOKEN", "value": VARIABLE}]}}},
]


class Server(JsonHandler):
    """Says its version and the rest of a run's first questions, and refuses what would be made, with all it knows."""

    def do_GET(self) -> None:
        if self.path.startswith("/version"):
            self.answer(200, {"gitVersion": "v1.34.4"})
        elif "/storageclasses" in self.path:
            parameters = {"adminSecret": PARAMETER, "url": f"https://me:{PASSWORD}@store"}
            item = {"metadata": {"name": "fast"}, "provisioner": "p", "parameters": parameters}
            self.answer(200, {"metadata": {}, "items": [item]})
        elif self.path.endswith("/namespaces/kube-system"):
            self.answer(200, {"metadata": {"uid": "u"}})
        else:
            self.answer(200, {"metadata": {}, "items": []})

    def do_POST(self) -> None:
        self.body()
        if "selfsubjectaccessreviews" in self.path:
            self.answer(201, {"status": {"allowed": True}})
        else:
            self.answer(403, {"message": f"{self.headers['Authorization']}: no: {ALL} {PARAMETER}"})


@pytest.fixture
def server() -> Iterator[str]:
    """Where it listens."""
    with serving(Server) as url:
        yield url


def plugin(folder: Path, *, status: int) -> dict[str, Any]:
    """A user whose token a plugin prints, or a plugin that fails and tells everything."""
    script = folder / "plugin"
    credential = {"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1", "status": {"token": TOKEN}}
    answer = json.dumps(credential)
    script.write_text(f"#!/bin/sh\necho '{answer}'\n[ {status} = 0 ] || echo '{ALL}' >&2\nexit {status}\n")
    script.chmod(0o700)
    return {
        "exec": {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": str(script),
            "args": ["--client-secret", PASSWORD],
            "env": [{"name": "VAULT_TOKEN", "value": VARIABLE}],
            "interactiveMode": "Never",
        }
    }


def kubeconfig(folder: Path, server: str, user: dict[str, Any]) -> Path:
    """As that user; what is secret of others is in it too."""
    path = folder / "kubeconfig"
    content = {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "here", "user": "me"}}],
        "clusters": [
            {"name": "here", "cluster": {"server": server}},
            {"name": "other", "cluster": {"server": server, "proxy-url": f"http://me:{PROXY}@proxy:3128"}},
        ],
        "users": [{"name": "me", "user": user}, *OTHERS],
    }
    path.write_text(yaml.safe_dump(content))
    return path


def run(folder: Path, path: Path) -> tuple[int, str]:
    """Status of a run, and all that it printed and kept."""
    words = ["--showlocals", "-vv", "--log-cli-level=DEBUG", "-m", "smoke"]
    options = ["--storage-class=fast", "--storage-image=i", f"--storage-report={folder}/reports"]
    command = (*PYTEST_MODULE, *words, *options, f"--storage-kubeconfig={path}")
    variables = {key: value for key, value in os.environ.items() if not key.startswith(("STORAGE_", "PYTEST_"))}
    done = run_module(*command, folder=ROOT, environment=variables)
    kept = [file.read_text() for file in (folder / "reports").rglob("*") if file.is_file()]
    return done.returncode, "\n".join([done.stdout, done.stderr, *kept])


@pytest.mark.parametrize("way", ["token", "plugin", "plugin that fails"])
def test_no_credential_leaves_the_suite(way: str, server: str, tmp_path: Path) -> None:
    user = {"token": TOKEN} if way == "token" else plugin(tmp_path, status=0 if way == "plugin" else 1)
    status, told = run(tmp_path, kubeconfig(tmp_path, server, user))
    assert status == 10, told
    if way != "plugin that fails":
        assert "answered 403" in told and "(not shown)" in told
    # Nobody knows a token that a plugin never gave.
    unknown = {TOKEN} if way == "plugin that fails" else set()
    assert [canary for canary in CANARIES if canary in told and canary not in unknown] == []


def test_a_kubeconfig_that_cannot_be_read_is_not_quoted(server: str, tmp_path: Path) -> None:
    path = kubeconfig(tmp_path, server, {"token": TOKEN})
    path.write_text(path.read_text().replace(f"token: {TOKEN}", f"token: {TOKEN}: {TOKEN}"))
    status, told = run(tmp_path, path)
    assert status == 4, told
    assert re.search(r"line \d+: mapping values are not allowed here", told)
    assert TOKEN not in told

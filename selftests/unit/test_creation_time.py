"""`--storage-cluster-set time=TIME` limits all of a cluster's creation: programs, images, the wait for the cluster."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from kubernetes import client
from urllib3 import exceptions

from acceptance.cluster.api import Api
from acceptance.cluster.new_cluster import wait_usable
from acceptance.process.commands import CommandResult
from acceptance.settings.made_cluster import Maker
from acceptance.text.errors import EnvironmentFailure
from fixtures import cluster_makers, made_clusters
from fixtures.cluster_makers import MadeManager
from fixtures.made_clusters import load_images, made_connection, require_programs
from selftests.unit.loopback_server import kubeconfig
from selftests.unit.paged_api_server import Clock
from selftests.unit.test_made_clusters import manager


class Programs:
    """Programs that take `takes_s` each. `limits_s`: the maximum duration of each that was run."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, takes_s: float) -> None:
        self.takes_s = takes_s
        self.limits_s: list[float] = []
        monkeypatch.setattr(cluster_makers, "run_program", self.run)
        monkeypatch.setattr(made_clusters, "subprocess", SimpleNamespace(run=self.run_docker))
        monkeypatch.setattr(MadeManager, "_ensure_executable", lambda _: None)
        monkeypatch.setattr(made_clusters.shutil, "which", lambda name: f"/usr/bin/{name}")

    def run(self, words: Sequence[str], *, timeout_s: float, **_: Any) -> CommandResult:
        self.limits_s.append(timeout_s)
        time.sleep(self.takes_s)
        if "--kubeconfig" in words:
            path = Path(words[words.index("--kubeconfig") + 1])
            kubeconfig(path, cluster={"server": "http://127.0.0.1:9"})
        return CommandResult(words=tuple(words), status=0, stdout="kubeconfig", stderr="")

    def run_docker(self, words: Sequence[str], *, timeout: float, **_: Any) -> SimpleNamespace:
        return SimpleNamespace(returncode=self.run(words, timeout_s=timeout).status)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_all_programs_of_a_creation_share_its_time(
    clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The deletion has its own: it must not fail because the creation was slow."""
    programs = Programs(monkeypatch, takes_s=150)
    made = manager("k3d", tmp_path)
    made.create_cluster()  # by two programs
    load_images(made, ["suite:1"])  # `docker image inspect`, then `k3d image import`
    assert programs.limits_s == [600, 450, made_clusters.DOCKER_S, 150]
    with pytest.raises(EnvironmentFailure, match=r"no time is left for `k3d image import .*600 s.*time=TIME"):
        made.load_image("other:1")
    made.delete_cluster()
    assert programs.limits_s[4:] == [cluster_makers.DELETION_S]


def refuse(_limits_s: tuple[float, float]) -> None:
    raise exceptions.NewConnectionError(cast(Any, None), "Connection refused")


def hang(limits_s: tuple[float, float]) -> None:
    time.sleep(limits_s[1])
    raise exceptions.ReadTimeoutError(cast(Any, None), "/api/v1/nodes", "Read timed out.")


@pytest.mark.parametrize("answer", [refuse, hang])
@pytest.mark.parametrize(
    ("maker", "removed_by"), [("kind", "kind delete cluster --name"), ("minikube", "minikube delete -p")]
)
def test_a_new_cluster_that_never_answers_ends_the_creation_in_time(
    answer: Callable[[tuple[float, float]], None],
    maker: Maker,
    removed_by: str,
    clock: Clock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def call_api(_self: object, *_: object, _request_timeout: tuple[float, float], **__: object) -> None:
        answer(_request_timeout)

    Programs(monkeypatch, takes_s=2)
    monkeypatch.setattr(client.ApiClient, "call_api", call_api)
    kubeconfig(tmp_path / "kubeconfig", cluster={"server": "http://127.0.0.1:9"})
    made = manager(maker, tmp_path, time="3s")
    began_s = clock.now_s
    with pytest.raises(EnvironmentFailure, match=rf"(?s)nodes.*time=TIME.*{removed_by} {made.cluster_name}`$"):
        made_connection(made, [])
    assert 2 <= clock.now_s - began_s <= 4


def test_time_without_an_answer_of_the_new_cluster_counts(clock: Clock) -> None:
    """Unlike with storage, which cannot be judged for time in which nothing of it was observed."""

    class SlowServer:
        def within(self, _seconds: float) -> SlowServer:
            return self

        def list(self, _resource: object) -> list[Any]:
            time.sleep(3)  # three of them make a poll
            return []

        def find(self, *_: object, **__: object) -> None:
            return None

    began_s = clock.now_s
    with pytest.raises(EnvironmentFailure, match=r"0 of 1 nodes are ready.*; give it more time"):
        wait_usable(cast(Api, SlowServer()), nodes=1, timeout_s=30, tell=lambda _: None, longer="give it more time")
    assert 20 <= clock.now_s - began_s <= 40


def test_a_docker_that_hangs_is_waited_for_no_longer_than_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, script in (("kind", "exit 0"), ("docker", "exec sleep 45")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\nexit 0\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    began_s = time.monotonic()
    with pytest.raises(EnvironmentFailure, match="reaches none"):
        require_programs("kind", timeout_s=0.3)
    assert time.monotonic() - began_s < 30

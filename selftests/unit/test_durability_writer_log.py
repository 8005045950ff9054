"""The writer's log is taken up again where it was left, and only its end says that the container has ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiUnreachable
from acceptance.cluster.pod_manifest import MAIN
from acceptance.cluster.workspace import Workspace
from acceptance.text.errors import EnvironmentFailure
from acceptance.trials.crashes import writer as module
from acceptance.trials.crashes.writer import Writer

RUNS = {"containerStatuses": [{"name": MAIN, "state": {"running": {}}}]}


def lines(*numbers: int) -> bytes:
    """As the node keeps them: a record a second, each with its time."""
    return b"".join(
        b"2026-11-01T01:02:%02d.5Z storage-acceptance: durable %d\n" % (number, number) for number in numbers
    )


class Cluster:
    """A node that gives a piece of the log for each connection; some of them break."""

    def __init__(self, connections: Sequence[tuple[bytes, bool]]) -> None:
        self.connections = list(connections)
        self.since: list[str] = []

    def follow_log(self, pod: str, *, since: str, **how: object) -> Iterator[bytes]:
        self.since.append(since)
        content, breaks = self.connections.pop(0)
        yield content
        if breaks:
            raise ApiUnreachable("reset")

    def find(self, resource: object, name: str, *, namespace: str) -> dict[str, Any]:
        return {"status": RUNS if self.connections else {"phase": "Failed"}}


def followed(cluster: Cluster, monkeypatch: pytest.MonkeyPatch, *, heeds_term: bool = False) -> Writer:
    """The writer when its log has been followed to the pod's end."""
    monkeypatch.setattr(module, "AGAIN_S", 0.0)
    workspace = Workspace(api=cast(Api, cluster), run_id="r", namespace="n", image="i", timeout_s=0.1)
    writer = Writer(workspace, workspace.claim("c", storage_class="fast", size=1), node=None, heeds_term=heeds_term)
    writer._follow()
    return writer


def test_each_connection_begins_where_the_last_was_left(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster([(lines(1, 2, 3), True), (lines(3, 4), False), (lines(4, 5, 6), False)])
    writer = followed(cluster, monkeypatch)
    assert cluster.since == ["", "2026-11-01T01:02:03Z", "2026-11-01T01:02:04Z"]
    assert writer.acknowledged_count == 6
    writer.wait_over()


def test_of_a_log_that_was_cut_off_the_rest_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A node keeps the newest part of a long log; each number says that all before it are durable."""
    later = lines(40, 41)
    cluster = Cluster([(lines(1, 2, 3), True), (later, False), (later, False)])
    writer = followed(cluster, monkeypatch)
    assert cluster.since == ["", "2026-11-01T01:02:03Z", ""]
    assert writer.acknowledged_count == 41
    writer.wait_over()


def test_a_connection_that_breaks_with_the_pod_does_not_say_that_its_container_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    writer = followed(Cluster([(lines(1, 2), True)]), monkeypatch)
    assert writer.acknowledged_count == 2
    with pytest.raises(EnvironmentFailure, match="the end of its container was not observed"):
        writer.wait_over()


def test_a_pod_that_was_told_to_end_has_ended_when_it_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its kubelet says so, also where its log went with it while it was read again."""
    writer = followed(Cluster([(lines(1, 2), False), (lines(2), True)]), monkeypatch, heeds_term=True)
    assert writer.acknowledged_count == 2
    writer.wait_over()

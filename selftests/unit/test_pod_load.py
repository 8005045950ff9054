"""The log of a load in a pod, whose last lines may come after the word that its container has ended."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from acceptance.cluster.pod_manifest import MAIN
from acceptance.loads.fio.output import FioOutput
from acceptance.measuring import pod_load
from acceptance.measuring.load_log import MARK
from acceptance.measuring.pod_load import PodLoad
from acceptance.text.errors import StorageFailure

BEGUN, ENDED = (f"2026-11-25T18:19:0{second}Z {MARK} {words}\n" for second, words in ((1, "segment 0"), (2, "ended 0")))


class Cluster:
    """Its node says that the container has ended; the log is `whole` from the given connection on."""

    def __init__(self, whole_at: int) -> None:
        self.whole_at = whole_at
        self.asked = 0

    def follow_log(self, *_: Any, **__: Any) -> Iterator[bytes]:
        self.asked += 1
        yield (BEGUN + ENDED if self.asked >= self.whole_at else BEGUN).encode()

    def find(self, *_: Any, **__: Any) -> Any:
        state = {"terminated": {"exitCode": 0, "reason": "Completed"}}
        status = {"phase": "Running", "containerStatuses": [{"name": MAIN, "state": state}]}
        return {"metadata": {"name": "load"}, "spec": {}, "status": status}


def followed(cluster: Cluster) -> PodLoad:
    workspace: Any = SimpleNamespace(api=cluster, timeout_s=60)
    plan: Any = SimpleNamespace(name="load", namespace="run", classes="fast", image="fio")
    load = PodLoad(workspace, plan, new_output=lambda: FioOutput(jobs=()), timeout_s=60)
    load.follow(lambda *_: False)
    return load


def test_lines_that_come_after_the_end_are_read() -> None:
    cluster = Cluster(whole_at=2)
    assert followed(cluster).log.exit_status == 0
    assert cluster.asked == 2


def test_a_load_that_never_says_that_it_is_over_broke_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pod_load, "LATE_S", 0.5)
    with pytest.raises(StorageFailure, match="the load of pod load on StorageClass fast broke off"):
        followed(Cluster(whole_at=1000))

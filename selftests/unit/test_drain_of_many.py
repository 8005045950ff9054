"""Several pods of a node that are evicted at the same time: what is timed, and what fails."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any, cast

import pytest

from acceptance.cluster.claims import Claim
from acceptance.judging.figures import judge_figure
from acceptance.limits.simultaneous import DRAIN_OF_MANY
from acceptance.text.errors import NotTried, StorageFailure
from acceptance.trials import drain_of_many as module
from acceptance.trials.crashes.acknowledged_records import record
from acceptance.trials.crashes.reading import Reading
from acceptance.trials.drain_of_many import TIME, MovedVolume, drain_many, figures_of, require_moved
from acceptance.trials.features.bench import Bench

TOKEN, OTHER = "0123456789abcdef", "fedcba9876543210"
PODS = 3


class PlayedWriter:
    """Stands for `Writer`: it runs where it is told to, or on node-1, and has written three records."""

    def __init__(self, _: object, claim: Claim, *, node: str | None, **__: object) -> None:
        self.plan = SimpleNamespace(name=claim.name, claims=(claim,))
        self.asked_node, self.node, self.token, self.acknowledged_count = node, node or "node-1", TOKEN, 3

    def __enter__(self) -> PlayedWriter:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def write_for(self, seconds: float, *, records: int) -> None:
        pass


@pytest.fixture
def drained(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Drains a node of three pods. `stuck`: the claim that no other pod gets; `lost`: the one that loses a record."""

    def run(*, stuck: str = "", lost: str = "", nodes: tuple[str, ...] = ("node-1", "node-2")) -> list[MovedVolume]:
        together = threading.Barrier(PODS, timeout=20)
        writers: list[PlayedWriter] = []

        def writer(*arguments: Any, **settings: Any) -> PlayedWriter:
            writers.append(PlayedWriter(*arguments, **settings))
            return writers[-1]

        def start(_: object, plan: Any, **__: object) -> None:
            if plan.name == stuck:
                raise StorageFailure("Multi-Attach error")

        def read(_: object, plan: Any) -> Reading:
            numbers = range(1, 4)
            lines = (record(n, token=OTHER if plan.name == lost and n == 2 else TOKEN) for n in numbers)
            return Reading(node="node-2", content=b"".join(lines))

        bench = SimpleNamespace(
            api=None,
            timeout_s=1.0,
            node=None,
            storage_class=SimpleNamespace(name="fast"),
            workspace=SimpleNamespace(pods=SimpleNamespace(template=None)),
            claim=lambda part: Claim(name=part, namespace="run", storage_class="fast", size=1, run_id="r"),
            undo_with=lambda undo: None,
            volume_of=lambda claim: "pv",
            not_tried=NotTried,
        )
        monkeypatch.setattr(module, "Writer", writer)
        monkeypatch.setattr(module, "nodes_for_volume", lambda *_: list(nodes))
        # No eviction ends before all have begun: they are requested at the same time.
        monkeypatch.setattr(module, "evict", lambda *_, **__: together.wait())
        monkeypatch.setattr(module, "reader_plan", lambda _, claim, **where: SimpleNamespace(name=claim.name, **where))
        monkeypatch.setattr(module, "create_pod", lambda *_, **__: None)
        monkeypatch.setattr(module, "wait_started", start)
        monkeypatch.setattr(module, "finish_reading", read)
        volumes = drain_many(cast(Bench, bench), pods=PODS, say=lambda _: None)
        assert [writer.asked_node for writer in writers] == [None, "node-1", "node-1"]
        return volumes

    return run


def status(volumes: list[MovedVolume]) -> str:
    limit = DRAIN_OF_MANY.limit(TIME, 60.0, because="the test wants it so")
    return judge_figure(figures_of(volumes, storage_class="fast"), limit).status


def test_all_pods_of_one_node_are_evicted_at_the_same_time(drained: Any) -> None:
    volumes = drained()
    require_moved(volumes, storage_class="fast")
    assert {volume.node for volume in volumes} == {"node-2"} and len(volumes) == PODS
    assert status(volumes) == "pass"


def test_a_volume_that_no_other_node_uses_fails_with_its_reason(drained: Any) -> None:
    volumes = drained(stuck="2-of-3")
    with pytest.raises(StorageFailure, match=r"3 pods .* 1 volumes are wrong: 2-of-3: Multi-Attach error"):
        require_moved(volumes, storage_class="fast")
    assert status(volumes) == "inconclusive"


def test_lost_records_of_one_of_many_fail(drained: Any) -> None:
    volumes = drained(lost="3-of-3")
    with pytest.raises(StorageFailure, match="3-of-3: 1 of 3 acknowledged records are lost or altered: 2 to 2"):
        require_moved(volumes, storage_class="fast")
    assert [row["Problem"] != "" for row in figures_of(volumes, storage_class="fast").rows] == [False, False, True]


def test_the_last_volume_counts() -> None:
    volumes = [MovedVolume(claim=str(number), node="n", seconds=seconds) for number, seconds in enumerate((5.0, 61.0))]
    assert status(volumes) == "fail"


def test_volumes_of_one_node_are_not_drained(drained: Any) -> None:
    with pytest.raises(NotTried, match="can be used from node-1 only"):
        drained(nodes=("node-1",))

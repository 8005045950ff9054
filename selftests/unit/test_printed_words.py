"""A pod that is waited for until it prints a word: late, never, or not any more."""

from __future__ import annotations

import time
from typing import Any, cast

import pytest

from acceptance.cluster.claims import Claim
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.resources import PODS, Object, Resource
from acceptance.text.errors import EnvironmentFailure, StorageFailure
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.printed import wait_printed
from selftests.unit.paged_api_server import Clock
from selftests.unit.test_volumes_and_pods import RUNS

CLAIM = Claim(name="claim", namespace="ns", storage_class="fast", size=1, run_id="r")
POD = PodPlan(name="removes", claims=(CLAIM,), image="fio:1", command=["sh"], deadline_s=60)
BROKE_OFF = {
    "phase": "Failed",
    "containerStatuses": [{"name": "load", "state": {"terminated": {"reason": "Error", "exitCode": 1}}}],
}


class PlayedBench:
    """A bench whose pod has these statuses, one each time that somebody looks, and these lines; the last ones stay."""

    timeout_s = 30.0

    def __init__(self, *statuses: Object | None, lines: tuple[str, ...] = ("",)) -> None:
        self.statuses, self.lines = list(statuses), list(lines)

    @property
    def api(self) -> Any:
        return self

    def find(self, resource: Resource, *_: object, **__: object) -> Object | None:
        if resource != PODS:
            return {"metadata": {}, "status": {}}
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        return None if status is None else {"metadata": {}, "spec": {}, "status": status}

    def list(self, *_: object, **__: object) -> list[Object]:
        return []

    def output_of(self, _: object) -> str:
        return self.lines.pop(0) if len(self.lines) > 1 else self.lines[0]


def wait(bench: PlayedBench) -> None:
    wait_printed(cast(Bench, bench), POD, "removed", goal="a pod to delete files")


def test_a_pod_that_somebody_else_deletes_is_not_blamed_on_the_storage() -> None:
    """At once, and not when the time for it is over."""
    with pytest.raises(EnvironmentFailure, match=f"pod {POD.name} on StorageClass fast was deleted by someone else"):
        wait(PlayedBench(None))


def test_a_pod_that_ends_without_the_word_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch)
    began_s = time.monotonic()
    with pytest.raises(StorageFailure) as raised:
        wait(PlayedBench(RUNS, BROKE_OFF, lines=("", "rm: cannot remove 'a': Input/output error\n")))
    assert time.monotonic() - began_s < PlayedBench.timeout_s / 2
    assert str(raised.value) == (
        "waited for a pod to delete files; pod removes on StorageClass fast ended before that "
        "(phase Failed, container load terminated: Error 1): rm: cannot remove 'a': Input/output error"
    )


def test_a_word_that_its_node_hands_over_late_counts() -> None:
    """The kubelet may tell of a container's end before the last lines of it can be read."""
    wait(PlayedBench(BROKE_OFF, lines=("", "", "removed\n")))

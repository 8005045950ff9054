"""The start barrier of a step: by each pod's own clock, put off for who is late, and no number where a clock moves."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from acceptance.cluster.resources import Resource
from acceptance.loads.profiles import Profile
from acceptance.measuring.windows import common_window
from acceptance.text.errors import AcceptanceError, EnvironmentFailure
from acceptance.trials.scaling.load_set import LoadSet
from acceptance.trials.scaling.pod_log import PodLog
from acceptance.trials.scaling.steps import Step, run_step

PROFILE = Profile(name="p", path=Path("p.fio"), text="", about="", jobs=("write",))


def document(at_s: float, second: int) -> str:
    """As fio prints it after so many seconds of 100 writes each."""
    write = {"total_ios": second * 100, "io_bytes": second * 409600, "runtime": second * 1000}
    job = {"jobname": "write", "read": {}, "write": write, "sync": {}}
    document = {"fio version": "fio-3.33", "timestamp_ms": int(at_s * 1000), "jobs": [job]}
    return json.dumps(document, indent=1) + "\n"


class Pods:
    """Stands for a set of load pods: each has a clock, which lacks `behind_s` of the suite's and may jump in a step.

    `overlooks`: how many patches a pod's kubelet does not see.
    """

    def __init__(
        self, *, behind_s: dict[str, float], jump_s: float = 0.0, overlooks: dict[str, int] | None = None
    ) -> None:
        self.pods = list(behind_s)
        self.behind_s, self.jump_s, self.overlooks = behind_s, jump_s, dict(overlooks or {})
        self.time_s = 1000.25
        self.told: dict[str, list[str]] = {pod: [] for pod in self.pods}
        self.kept: dict[str, Iterable[str]] = {}
        self.plan = SimpleNamespace(set_name="scale", storage_class="fast")
        self.workspace = SimpleNamespace(api=self, namespace="ns", keep_output=self.kept.__setitem__)
        self._logs = {pod: PodLog(prefill_jobs=()) for pod in self.pods}
        for pod in self.pods:
            self._say(pod, "ready")
            self._say(pod, f"clock {int(1000 - behind_s[pod])}", at_s=int(1000 - behind_s[pod]) + behind_s[pod] + 0.1)

    def _say(self, pod: str, words: str, *, at_s: float | None = None) -> None:
        self._logs[pod].feed(
            f"\nstorage-acceptance: {words}\n".encode(), arrived_s=self.time_s if at_s is None else at_s
        )

    def patch(self, resource: Resource, pod: str, body: Any, *, namespace: str) -> None:
        self.told[pod].append(next(iter(body["metadata"]["annotations"].values())))
        if self.overlooks.get(pod, 0) > 0:
            self.overlooks[pod] -= 1
        else:
            self._say(pod, f"barrier {self.told[pod][-1].split()[0]}")

    def expect(self, jobs: tuple[str, ...]) -> None:
        for log in self._logs.values():
            log.wanted_jobs = jobs

    def log(self, pod: str) -> PodLog:
        return self._logs[pod]

    def node(self, pod: str) -> str:
        return f"node-of-{pod}"

    def now_s(self) -> float:
        return self.time_s

    def wait(
        self,
        what: str,
        done: Callable[[str], bool],
        *,
        pods: list[str],
        timeout_s: float,
        failure: type[AcceptanceError],
        progress: Callable[[], str] = str,
    ) -> None:
        if what.startswith("to begin"):
            for pod in pods:
                self._load(pod)
        missing = [pod for pod in pods if not done(pod)]
        if missing:
            self.time_s += timeout_s
            raise failure(f"{what}; not yet: {', '.join(missing)}")

    def _load(self, pod: str) -> None:
        """Begin at the full second of its own clock that it was told, and load for as long as it was told."""
        number, _, runtime, begin, _ = self.told[pod][-1].split()
        self._say(pod, f"begin {number}")
        for second in range(1, int(runtime.rstrip("s")) + 1):
            shown_s = int(begin) + second
            true_s = shown_s + self.behind_s[pod]
            text = document(shown_s - self.jump_s * (pod == self.pods[-1]), second)
            self._logs[pod].feed(text.encode(), arrived_s=true_s + 0.05)
        self._say(pod, f"end {number} 0")


def run(pods: Pods) -> list[Any]:
    step = Step(number=1, profile=PROFILE, pods=len(pods.pods), window_s=6)
    return run_step(cast(LoadSet, pods), step)


def begins(pods: Pods, attempt: int = -1) -> list[int]:
    return [int(pods.told[pod][attempt].split()[3]) for pod in pods.pods]


def test_pods_begin_together_though_their_clocks_differ() -> None:
    pods = Pods(behind_s={"a": 0.0, "b": 90.0, "c": -3600.0})
    volumes = run(pods)
    first, *others = begins(pods)
    assert others == [first - 90, first + 3600]
    window = common_window({volume.pod: volume.samples for volume in volumes}, wanted_s=6)
    starts = [volume.samples[0].start_s for volume in volumes]
    assert max(starts) - min(starts) < 0.2
    assert window.length_s == 6
    assert [round(volume.offset_s) for volume in volumes] == [0, 90, -3600]
    assert all('"jobname": "write"' in "".join(text) for text in pods.kept.values()) and len(pods.kept) == 3


def test_a_clock_that_moves_within_a_step_makes_no_number() -> None:
    pods = Pods(behind_s={"a": 0.0, "b": 0.0}, jump_s=5.0)
    with pytest.raises(EnvironmentFailure, match=r"clock of node node-of-b \(pod b\) moved by \+4\.9 s"):
        run(pods)


def test_a_pod_that_overlooks_the_start_barrier_has_the_beginning_put_off_for_all() -> None:
    pods = Pods(behind_s={"a": 0.0, "b": 0.0}, overlooks={"b": 2})
    volumes = run(pods)
    assert len(volumes) == 2
    assert [len(told) for told in pods.told.values()] == [3, 3]
    assert begins(pods, 0) < begins(pods, 1) < begins(pods, 2)


def test_a_pod_that_never_comes_is_named() -> None:
    pods = Pods(behind_s={"a": 0.0, "b": 0.0}, overlooks={"b": 1000})
    with pytest.raises(EnvironmentFailure, match=r"to join the start barrier of step 1 \(p\); not yet: b"):
        run(pods)
    assert len(pods.told["a"]) < 40


def test_the_start_barrier_tells_job_seconds_and_rate() -> None:
    pods = Pods(behind_s={"a": 0.0})
    run_step(cast(LoadSet, pods), Step(number=4, profile=PROFILE, pods=1, window_s=6, rate=102.9))
    assert re.fullmatch(r"4 p\.limited\.fio 10s \d+ 102", pods.told["a"][0])


def test_a_step_of_some_leaves_the_others_alone() -> None:
    pods = Pods(behind_s={"a": 0.0, "b": 0.0, "c": 0.0})
    volumes = run_step(cast(LoadSet, pods), Step(number=1, profile=PROFILE, pods=2, window_s=6))
    assert [volume.pod for volume in volumes] == ["a", "b"]
    assert pods.told["c"] == [] and sorted(pods.kept) == ["p-scale-2-1-a", "p-scale-2-1-b"]


def test_what_was_done_before_the_first_sample_is_known() -> None:
    """fio's first document comes a second after the beginning, and the samples begin with it."""
    (volume,) = run(Pods(behind_s={"a": 0.0}))
    (head,) = volume.head
    assert head.end_s == volume.samples[0].start_s
    assert (head.sample.duration_s, head.sample.counts["write"].ios) == (1.0, 100)

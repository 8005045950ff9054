"""Growth between pods and of raw block volumes: the trials' own scripts, as processes of this host. A device is
a file that can be written up to the size of the volume and no further, as a limit of the process says."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from acceptance.cluster.claims import Claim
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import StorageFailure
from acceptance.trials.features import block_expansion, offline_expansion
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.block_expansion import try_block_expansion
from acceptance.trials.features.offline_expansion import try_expansion_with_a_new_pod, try_offline_expansion
from selftests.bounds import HANGS_S

MIB = 1024**2
SIZE = 8 * MIB
QUICKLY = "sleep() { command sleep 0.05; }\n"


@dataclass
class GrowingBench:
    """A bench with one volume of 8 MiB. `grows`: whether more of it than its name grows; `keeps`: whether what is on it
    stays."""

    folder: Path
    grows: bool = True
    keeps: bool = True
    timeout_s: float = HANGS_S

    def __post_init__(self) -> None:
        self.storage_class = SimpleNamespace(name="fast", allow_expansion=True)
        self.capacity = self.usable = SIZE
        self.api = SimpleNamespace(get=lambda *_: {"spec": {"capacity": {"storage": str(self.capacity)}}})
        self.not_tried = RuntimeError
        self.pods: list[subprocess.Popen[bytes]] = []

    def claim(self, part: str, *, block: bool = False) -> Claim:
        self.volume = self.folder / part
        if block:
            self.volume.write_bytes(bytes(SIZE))
        else:
            self.volume.mkdir()
        return Claim(name=part, namespace="run", storage_class="fast", size=SIZE, run_id="r", block=block)

    def volume_of(self, claim: Claim) -> str:
        return claim.name

    def expand(self, _: Any, claim: Claim, *, size: int) -> None:
        """What Kubernetes shows grows, and what pods have, if the storage is good."""
        self.capacity = size
        if not self.keeps:
            (self.volume if claim.block else self.volume / "mark").write_bytes(b"")
        if self.grows:
            self.usable = size
            for pod in (each for each in self.pods if each.poll() is None):
                self._limit(pod.pid)
        else:
            self.timeout_s = 2.0  # for what is waited for in vain; a pod has begun when it is started

    def _limit(self, pid: int) -> None:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (self.usable, resource.RLIM_INFINITY))

    def _begun(self, script: str, variables: dict[str, str]) -> subprocess.Popen[bytes]:
        df = f"df() {{ echo '/dev/volume {self.usable // 1024} 0 0 1% /'; }}\n"
        return subprocess.Popen(
            ["sh", "-c", QUICKLY + df + script],
            env=os.environ | {"VOLUME": str(self.volume)} | variables,
            stdout=(self.folder / f"output-{len(self.pods)}").open("wb"),
            stderr=subprocess.DEVNULL,
            preexec_fn=lambda: self._limit(0),
        )

    def start(self, claim: Claim, script: str, **variables: str) -> int:
        """A pod that has printed mark and size: a busy machine may take long to start a process."""
        self.pods.append(self._begun(script, variables))
        number = len(self.pods) - 1
        wait_for(
            "a pod to print two lines",
            look=lambda: self.output_of(number),
            ready=lambda seen: seen.count("\n") >= 2,
            state=repr,
            timeout_s=HANGS_S,
        )
        return number

    def run(self, claim: Claim, script: str, **variables: str) -> str:
        self.pods.append(self._begun(script, variables))
        number = len(self.pods) - 1
        assert self.pods[number].wait(timeout=HANGS_S) == 0
        return self.output_of(number)

    def end(self, number: int) -> None:
        self.pods[number].kill()
        self.pods[number].wait()

    def output_of(self, number: int) -> str:
        return (self.folder / f"output-{number}").read_text()


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GrowingBench]:
    """Storage whose volumes grow."""
    made = GrowingBench(tmp_path)
    monkeypatch.setattr(block_expansion, "expand", made.expand)
    monkeypatch.setattr(offline_expansion, "ask", made.expand)
    monkeypatch.setattr(offline_expansion, "wait_reported", lambda *_, **__: None)
    yield made
    for number in range(len(made.pods)):
        made.end(number)


def tried(bench: GrowingBench) -> Bench:
    return cast(Bench, bench)


BETWEEN_PODS = pytest.mark.parametrize("trial", [try_offline_expansion, try_expansion_with_a_new_pod])
Trial = Callable[[Bench], str]


def test_a_device_that_grows_is_seen(bench: GrowingBench) -> None:
    assert "wrote and read at the end of its 16 MiB" in try_block_expansion(tried(bench))


def test_a_device_that_grows_in_name_only_is_told(bench: GrowingBench) -> None:
    bench.grows = False
    said = "the raw block volume of PVC grows .* last state: no data can be written to its new end"
    with pytest.raises(StorageFailure, match=said):
        try_block_expansion(tried(bench))


def test_a_device_that_loses_its_beginning_is_told(bench: GrowingBench) -> None:
    bench.keeps = False
    with pytest.raises(StorageFailure, match="lost its data when it was expanded"):
        try_block_expansion(tried(bench))


@BETWEEN_PODS
def test_a_file_system_that_grows_between_pods_is_seen(trial: Trial, bench: GrowingBench) -> None:
    assert "grew from 8 MiB to 16 MiB" in trial(tried(bench))


@BETWEEN_PODS
def test_a_file_system_that_stays_as_it_was_between_pods_is_told(trial: Trial, bench: GrowingBench) -> None:
    bench.grows = False
    said = r"to have its new size in a new pod .* last state: 8 MiB, and 8 MiB before it was expanded"
    with pytest.raises(StorageFailure, match=said):
        trial(tried(bench))


@BETWEEN_PODS
def test_data_that_growth_loses_is_told(trial: Trial, bench: GrowingBench) -> None:
    bench.keeps = False
    with pytest.raises(StorageFailure, match="lost its data when it was expanded"):
        trial(tried(bench))

"""Many files: the program itself, as a process of this host on a folder, and what the trial makes of pods and files."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from acceptance.cluster.claims import Claim
from acceptance.cluster.one_shot_pod import NotStarted, OneShotPod
from acceptance.results.many_files import FILE_OPERATIONS
from acceptance.text.errors import EnvironmentFailure, NotTried, StorageFailure
from acceptance.trials.features.bench import Bench
from acceptance.trials.many_files import trial
from acceptance.trials.many_files.program import NoRoom, rates_of, require_over
from acceptance.trials.many_files.trial import ManyFilesTrial
from selftests.bounds import HANGS_S

STARTS_S = 1.5
Change = Callable[[str], str]


@dataclass
class HostBench:
    """A bench whose pods are processes on folders. `changed`: the program, as something else than it is; `of_groups`:
    what pods with a group of their own print; `start_s`: how long a pod takes to start on its volume.
    """

    folder: Path
    changed: Change = lambda text: text
    of_groups: str = "drwxrwsr-x 2 65534 {group} 4096 Nov 24 12:00 .\n-rw-rw-r-- 1 65534 {group} 0 Nov 24 12:00 f\n"
    start_s: Callable[[Claim], float] = lambda claim: STARTS_S
    path: str = os.environ["PATH"]
    user: int | None = 65534
    kind: str = "csi"
    nodes: tuple[str, ...] = ("n1", "n2")
    pods: list[tuple[str, str, Any, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.node = "n1"
        self.timeout_s = 300.0
        self.storage_class = SimpleNamespace(name="fast")
        self.workspace = SimpleNamespace(image="fio:1", pods=SimpleNamespace(template=None, user=self.user))
        spec = {self.kind: {"driver": "a.driver"}}
        self.api = SimpleNamespace(get=lambda *_: {"spec": spec}, find=lambda *_: {"spec": {}})
        self.not_tried = NotTried

    def claim(self, part: str, *, size: int) -> Claim:
        folder = self.folder / part
        folder.mkdir()
        return Claim(name=part, namespace="run", storage_class="fast", size=size, run_id="r")

    def volume_of(self, claim: Claim) -> str:
        return claim.name

    def stay_on(self, node: str) -> None:
        self.node = node

    def run(self, claim: Claim, script: str) -> str:
        return self.one_shot_pod(claim, script).output

    def one_shot_pod(
        self,
        claim: Claim,
        script: str,
        *,
        fs_group: int | None = None,
        group_policy: str = "OnRootMismatch",
        **variables: str,
    ) -> OneShotPod:
        self.pods.append((claim.name, self.node, fs_group, group_policy))
        start_s = self.start_s(claim)
        if start_s > self.timeout_s:
            raise NotStarted("waited 300 s for pod x")
        if "PROGRAM" in variables:
            variables["PROGRAM"] = self.changed(variables["PROGRAM"])
        done = subprocess.run(
            [shutil.which("sh") or "sh", "-c", script],
            env=os.environ | variables | {"VOLUME": str(self.folder / claim.name), "PATH": self.path},
            capture_output=True,
            check=False,
            timeout=HANGS_S,
        )
        printed = done.stdout
        if fs_group is not None and "PROGRAM" not in variables:
            printed = self.of_groups.format(group=fs_group).encode()
        return OneShotPod(node=self.node, status=done.returncode, content=printed, state="ended", start_s=start_s)


@pytest.fixture
def tmp_path(folder_in_memory: Path) -> Path:
    """The program has all of its file system made durable, folder by folder."""
    return folder_in_memory


@pytest.fixture(autouse=True)
def all_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "nodes_for_volume", lambda api, volume, template: ["n1", "n2"])


def many(bench: HostBench, *, files: int = 1234) -> ManyFilesTrial:
    return ManyFilesTrial(bench=cast(Bench, bench), files=files, size=1024**3, say=lambda text: None)


def test_all_files_are_made_found_and_deleted_folder_by_folder(tmp_path: Path) -> None:
    bench = HostBench(tmp_path)
    record = many(bench).run()
    assert [rate.operation for rate in record.rates] == list(FILE_OPERATIONS)
    for rate in record.rates:
        assert (rate.files, len(rate.counts), min(rate.counts), max(rate.counts)) == (1234, 100, 12, 13)
        assert rate.low is not None and rate.high is not None and 0 < rate.low < rate.seconds_each < rate.high
    assert (record.files, record.asked, record.no_group) == (1234, 1234, "")
    assert list((tmp_path / "full-candidate").iterdir()) == []


def test_pods_start_in_turn_on_both_volumes_and_on_both_nodes(tmp_path: Path) -> None:
    bench = HostBench(tmp_path)
    record = many(bench).run()
    alike = [(start.files, start.node) for start in record.starts if start.kind == "same-group"]
    assert alike == [(1234, "n2"), (0, "n2"), (0, "n1"), (1234, "n1"), (1234, "n2"), (0, "n2")]
    others = [(start.kind, start.files, start.node) for start in record.starts if start.kind != "same-group"]
    assert others == [
        ("other-group", 0, "n1"),
        ("other-group", 1234, "n1"),
        ("other-group-always", 0, "n1"),
        ("other-group-always", 1234, "n1"),
    ]
    assert all(start.seconds == STARTS_S for start in record.starts)
    groups = [(group, policy) for _, _, group, policy in bench.pods if group is not None]
    assert groups == [(54321, "OnRootMismatch")] * 2 + [(54322, "Always")] * 2 + [(54322, "OnRootMismatch")]


def test_few_files_lie_in_as_many_folders(tmp_path: Path) -> None:
    record = many(HostBench(tmp_path), files=2).run()
    assert record.rates[0].counts == [1, 1] and record.rates[0].low is None


def test_of_a_baseline_only_files_are_timed(tmp_path: Path) -> None:
    record = many(HostBench(tmp_path)).run(role="baseline")
    assert (record.role, record.starts, len(record.rates)) == ("baseline", [], 4)


def test_what_is_not_made_in_time_is_left_and_what_there_is_is_timed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock of the program jumps once it has made some folders."""
    late = HostBench(tmp_path, changed=lambda text: text.replace("if now() > ends", "if folder > 30 or now() > ends"))
    record = many(late).run()
    assert (record.asked, record.files) == (1234, 30 * 13)
    assert {rate.files for rate in record.rates} == {390}
    assert {start.files for start in record.starts} == {0, 390}


@pytest.mark.parametrize(
    ("before", "after", "wrong"),
    [
        ("    names[#names + 1] =", "    names[math.min(#names + 1, 9)] =", "a folder of 13 files lists"),
        ("  C.closedir(opened)", "  names[#names + 1] = names[#names] C.closedir(opened)", "1 unknown or duplicate"),
        ("if stat(path(folder, file))", "if stat(path(folder, file) .. 1)", r"could not stat .*No such file"),
        ("C.unlink(path(folder, file))", "C.unlink(volume)", "could not delete:"),
        ('say("over")', "", "ended too early"),
    ],
)
def test_files_that_are_not_as_they_were_made_fail_for_that(
    before: str, after: str, wrong: str, tmp_path: Path
) -> None:
    def changed(text: str) -> str:
        assert before in text
        return text.replace(before, after)

    with pytest.raises(StorageFailure, match=wrong):
        many(HostBench(tmp_path, changed=changed)).run()


def test_a_volume_without_room_is_not_tried() -> None:
    with pytest.raises(NoRoom, match="No space left on device"):
        require_over([["failed", "create:", "No", "space left on device"]], storage_class="fast", output="")
    with pytest.raises(StorageFailure, match="could not create: Input/output error"):
        require_over([["failed", "create:", "Input/output", "error"]], storage_class="fast", output="")


def test_a_volume_without_room_says_which_option_makes_it_larger(tmp_path: Path) -> None:
    full = HostBench(
        tmp_path, changed=lambda text: 'io.write("storage-acceptance: failed create: No space left on device\\n")'
    )
    with pytest.raises(NotTried, match=r"1Gi of StorageClass fast has no room for 1,234 .*--storage-volume-size"):
        many(full).run()


def test_an_image_without_sysbench_is_no_failure_of_the_storage(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match=r"image 'fio:1' lacks sysbench, .*--storage-image"):
        many(HostBench(tmp_path, path="/nowhere:/bin-of-nobody")).run()


def test_a_pod_that_does_not_start_ends_it_and_is_told(tmp_path: Path) -> None:
    bench = HostBench(tmp_path, start_s=lambda claim: STARTS_S)
    bench.start_s = lambda claim: 999.0 if len(bench.pods) > 4 and claim.name != "empty" else STARTS_S
    record = many(bench).run()
    last = record.starts[-1]
    assert (last.seconds, last.why, last.files) == (None, "waited 300 s for pod x", 1234)
    assert [rate.operation for rate in record.rates] == ["create", "list", "stat"]


def test_whoever_gives_nothing_to_the_group_is_not_quick_but_wrong(tmp_path: Path) -> None:
    bench = HostBench(tmp_path, of_groups="drwxrwsr-x 2 65534 {group} 4096 .\n-rw-rw-r-- 1 65534 65534 0 f\n")
    with pytest.raises(StorageFailure, match=r"a pod with fsGroup 54321 started on .* found 54321 and 65534"):
        many(bench).run()


@pytest.mark.parametrize(
    ("change", "why"),
    [({"kind": "nfs"}, "to which Kubernetes applies no fsGroup"), ({"user": None}, "no pod may request another")],
)
def test_groups_that_are_not_meant_to_be_given_are_not_timed(change: dict[str, Any], why: str, tmp_path: Path) -> None:
    record = many(HostBench(tmp_path, **change)).run()
    assert why in record.no_group
    assert {start.kind for start in record.starts} == {"same-group"} and len(record.rates) == 4


def test_nothing_said_is_no_rate() -> None:
    assert list(rates_of([["over"]], confidence=0.98)) == []

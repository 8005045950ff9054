"""Folders of a volume in pods: what they see and write, with real shells, and each way in which that can be wrong."""

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
from acceptance.cluster.pod_manifest import PodPlan, pod_manifest
from acceptance.text.errors import StorageFailure, Unsupported
from acceptance.trials.features import sub_path
from acceptance.trials.features.bench import Bench
from selftests.bounds import HANGS_S
from selftests.unit.test_volume_features import TriedBench

CLAIM = Claim(name="folders", namespace="run", storage_class="fast", size=1, run_id="r")
Place = Callable[["PlayedBench", str, str | None], Path]


def as_it_should(bench: PlayedBench, node: str, path: str | None) -> Path:
    """The folder of the volume that a pod on that node has with that subPath."""
    return bench.folder / (path or "")


@dataclass
class PlayedBench(TriedBench):
    """Pods are shells here, `place` is where they find their volume; `takes`: whether a read-only one takes writes;
    `before`: what happens before the pod of that number, from 1."""

    folder: Path
    place: Place = as_it_should
    takes: bool = False
    before: dict[int, Callable[[], object]] = field(default_factory=dict)
    refuses: str = ""
    node: str = "n1"
    pods: int = 0

    def __post_init__(self) -> None:
        self.workspace = SimpleNamespace(pods=SimpleNamespace(template=None))
        self.api = None

    def claim(self, part: str) -> Claim:
        return CLAIM

    def volume_of(self, claim: Claim) -> str:
        return "pv"

    def missing(self, why: str) -> Unsupported:
        return Unsupported(why)

    def run(
        self,
        claim: Claim,
        script: str,
        *,
        node: str | None = None,
        read_only: bool = False,
        sub_path: str | None = None,
        **variables: str,
    ) -> str:
        self.pods += 1
        self.before.get(self.pods, lambda: None)()
        seen = self.place(self, node or self.node, sub_path)
        seen.mkdir(parents=True, exist_ok=True)  # the kubelet does
        if self.refuses and self.refuses == sub_path:
            return "refused sh: cannot create written: Permission denied\n"
        names = {"VOLUME": str(seen), **variables}
        if read_only and not self.takes:
            names["VOLUME"] = shutil.copytree(seen, f"{self.folder}-read-only")
        done = subprocess.run(
            ["sh", "-c", script], env=os.environ | names, capture_output=True, text=True, timeout=HANGS_S
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.replace("wrote", "refused read-only") if read_only and not self.takes else done.stdout


@pytest.fixture(autouse=True)
def two_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sub_path, "nodes_for_volume", lambda *_: ["n1", "n2"])
    monkeypatch.setattr(sub_path, "why_no_group", lambda *_: None)


def tried(tmp_path: Path, **changes: Any) -> str:
    return sub_path.try_sub_path(cast(Bench, PlayedBench(folder=tmp_path / "volume", **changes)))


def test_folders_that_are_what_they_should_be_are_seen(tmp_path: Path) -> None:
    assert "data/a of a volume, which existed, and data/new/deep, which did not" in tried(tmp_path)


def whole(bench: PlayedBench, node: str, path: str | None) -> Path:
    return bench.folder


def elsewhere(bench: PlayedBench, node: str, path: str | None) -> Path:
    """The volume is mounted after the kubelet has made the folder, which is on the node's disk then."""
    return bench.folder.with_name("disk") / path if path == sub_path.NEW else as_it_should(bench, node, path)


def each_node_its_own(bench: PlayedBench, node: str, path: str | None) -> Path:
    return bench.folder / node / (path or "")


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (whole, "a pod with subPath data/a .* sees the wrong files: expected mark, found data"),
        (
            elsewhere,
            "a pod wrote to subPath data/new/deep of .* on n1 does not appear in a new pod on n2 .*; found: nothing",
        ),
        (each_node_its_own, "a pod wrote to subPath data/a of .* does not appear in a new pod"),
    ],
)
def test_a_folder_that_is_somewhere_else_fails(place: Place, said: str, tmp_path: Path) -> None:
    with pytest.raises(StorageFailure, match=said):
        tried(tmp_path, place=place)


def test_a_folder_that_has_lost_what_it_held_fails(tmp_path: Path) -> None:
    lost = {2: lambda: shutil.rmtree(tmp_path / "volume")}
    with pytest.raises(StorageFailure, match="expected mark, found nothing"):
        tried(tmp_path, before=lost)


def test_a_folder_with_other_content_fails(tmp_path: Path) -> None:
    other = {2: lambda: (tmp_path / "volume" / "data" / "a" / "mark").write_text("older\n")}
    with pytest.raises(StorageFailure, match="found mark, with other content"):
        tried(tmp_path, before=other)


def test_a_read_only_folder_that_takes_a_file_fails(tmp_path: Path) -> None:
    with pytest.raises(StorageFailure, match=r"subPath data/a of .*, mounted read-only, accepted a file"):
        tried(tmp_path, takes=True)


def test_a_folder_that_refuses_its_pod_fails_or_is_missing_where_no_group_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StorageFailure, match=r"subPath data/new/deep of .* cannot write there: refused .*denied"):
        tried(tmp_path, refuses=sub_path.NEW)
    monkeypatch.setattr(sub_path, "why_no_group", lambda *_: "they are of kind nfs")
    with pytest.raises(Unsupported, match=r"as root, .* they are of kind nfs"):
        tried(tmp_path / "nfs", refuses=sub_path.NEW)


@pytest.mark.parametrize("read_only", [False, True])
def test_a_pod_has_the_folder_of_its_volume(read_only: bool) -> None:
    plan = PodPlan(
        name="pod", claims=(CLAIM,), image="fio:1", command=["true"], deadline_s=1, sub_path="a/b", read_only=read_only
    )
    spec = pod_manifest(plan)["spec"]
    (mount,) = spec["containers"][0]["volumeMounts"]
    assert mount["subPath"] == "a/b" and mount.get("readOnly", False) is read_only
    assert spec["volumes"][0]["persistentVolumeClaim"].get("readOnly", False) is read_only

"""Copies, growth and several volumes: the trials' own scripts, as processes of this host with a folder as a volume."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from acceptance.cluster import snapshots
from acceptance.cluster.api import Api
from acceptance.cluster.claims import Claim, DataSource
from acceptance.cluster.resources import SNAPSHOT_CONTENTS
from acceptance.cluster.snapshots import Snapshot, contents_behind, delete_snapshots
from acceptance.planning.site import Site, lacks_feature
from acceptance.text.errors import StorageFailure, Unsupported
from acceptance.trials.features import copies, several_volumes, snapshot_rounds
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.clones import try_clone
from acceptance.trials.features.larger import try_larger
from acceptance.trials.features.parallel_clones import CLONES, try_parallel_clones
from acceptance.trials.features.read_only_copies import try_read_only_copy
from acceptance.trials.features.same_node import try_on_same_node
from acceptance.trials.features.several_volumes import try_two_volumes
from acceptance.trials.features.sizes import size_in, sizes_in
from acceptance.trials.features.trying import CAPABILITIES, DECLARATIONS
from selftests.unit.simulated_api import SimulatedApi
from selftests.unit.test_volume_features import TriedBench

GIB = 1024**3


@dataclass
class FolderBench:
    """A bench whose volumes are folders below `folder`, or files as devices, and whose clones are copies of them.

    `copied`: what a clone is of its source, by how many there were before; `shown`: the folder that a pod sees in place
    of a volume's, by the volume's name; `size`: that `df` tells of a volume, by what was asked for.
    """

    folder: Path
    copied: Callable[[Path, Path, int], object] = lambda source, target, number: (
        shutil.copytree(source, target) if source.is_dir() else shutil.copyfile(source, target)
    )
    shown: Mapping[str, str] = field(default_factory=dict)
    size: Callable[[Claim], int] = lambda claim: claim.size
    cannot_start: Callable[[Sequence[Claim]], str | None] = lambda claims: None

    def __post_init__(self) -> None:
        self.node = "n1"
        self.storage_class = SimpleNamespace(name="fast", provisioner="a.driver")
        self.workspace = SimpleNamespace(pods=SimpleNamespace(template=None))
        self.claims: dict[str, Claim] = {}
        self.api = SimpleNamespace(get=self._volume)
        self.missing = Unsupported

    def _volume(self, _: object, name: str) -> dict[str, Any]:
        return {"spec": {"csi": {}, "capacity": {"storage": str(self.claims[name].size)}}}

    def claim(
        self, part: str, *, size: int = GIB, source: DataSource | None = None, access: str = "", block: bool = False
    ) -> Claim:
        made = Claim(
            name=part, namespace="run", storage_class="fast", size=size, run_id="r", block=block, source=source
        )
        if source is None and block:
            (self.folder / part).write_bytes(bytes(8 * 1024**2))
        elif source is None:
            (self.folder / part).mkdir()
        else:
            self.copied(self.folder / source.name, self.folder / part, len(self.claims))
        self.claims[part] = made
        return made

    def require_access(self, access: str) -> None:
        pass  # its nodes have what any access mode takes

    def volume_of(self, claim: Claim) -> str:
        return claim.name

    def run(
        self,
        claim: Claim,
        script: str,
        *,
        beside: Sequence[Claim] = (),
        node: str | None = None,
        read_only: bool = False,
        **variables: str,
    ) -> str:
        claims = (claim, *beside)
        if (why := self.cannot_start(claims)) is not None:
            raise StorageFailure(why)
        on_second = node == "n2"
        paths = [
            str(self.folder / (self.shown.get(each.name, each.name) if on_second else each.name)) for each in claims
        ]
        df = f"df() {{ echo 'x {self.size(claim) // 1024} 0 0 1% /'; }}\n"
        named = {"VOLUME": paths[0]} | {f"VOLUME_{place}": path for place, path in enumerate(paths[1:], 2)}
        done = subprocess.run(
            ["sh", "-c", df + script], env=os.environ | named | variables, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise StorageFailure(done.stdout + done.stderr)
        return done.stdout

    def plan(self, claim: Claim, *, script: str, **variables: str) -> Any:
        return SimpleNamespace(claim=claim, script=script, variables=variables, asked_for=False)

    def ask_for(self, plan: Any) -> None:
        plan.asked_for = True

    def wait_output(self, plan: Any) -> str:
        assert plan.asked_for
        return self.run(plan.claim, plan.script, **plan.variables)

    def end(self, plan: Any) -> None:
        plan.asked_for = False


@pytest.fixture
def bench(tmp_path: Path) -> FolderBench:
    """Storage that can do everything."""
    return FolderBench(tmp_path)


def tried(bench: FolderBench) -> Bench:
    return cast(Bench, bench)


def empty(source: Path, target: Path, number: int) -> None:
    target.mkdir()


def the_same(source: Path, target: Path, number: int) -> None:
    target.symlink_to(source)


def test_a_larger_copy_is_seen(bench: FolderBench) -> None:
    assert "a clone of 2 GiB held the data of its source" in try_larger(tried(bench), "clone")


def test_a_file_system_that_stays_small_is_told(bench: FolderBench) -> None:
    bench.size = lambda claim: GIB
    said = "expected a file system of at least 1.5 GiB, found 1 GiB; that of its source has 1 GiB"
    with pytest.raises(StorageFailure, match=said):
        try_larger(tried(bench), "clone")


def test_a_larger_copy_that_is_empty_is_told(bench: FolderBench) -> None:
    bench.copied = empty
    with pytest.raises(StorageFailure, match="is wrong: it is empty"):
        try_larger(tried(bench), "clone")


def test_a_volume_and_its_clone_are_seen_side_by_side(bench: FolderBench) -> None:
    assert "used a volume and its clone at the same time" in try_on_same_node(tried(bench), "clone")


def test_a_pod_that_cannot_have_both_fails(bench: FolderBench) -> None:
    bench.cannot_start = lambda claims: "duplicate UUID" if len(claims) == 2 else None
    with pytest.raises(StorageFailure, match="duplicate UUID"):
        try_on_same_node(tried(bench), "clone")


def test_a_copy_that_is_its_source_is_told(bench: FolderBench) -> None:
    bench.copied = the_same
    with pytest.raises(StorageFailure, match="finds wrong data on them"):
        try_on_same_node(tried(bench), "clone")


def test_a_clone_of_a_device_goes_its_own_way(bench: FolderBench) -> None:
    assert "a clone held the data of its source" in try_clone(tried(bench), block=True)


def test_a_clone_of_a_device_that_shares_data_is_told(bench: FolderBench) -> None:
    bench.copied = the_same
    with pytest.raises(StorageFailure, match="data written to the clone appears on its source"):
        try_clone(tried(bench), block=True)


def test_clones_made_at_once_are_seen(bench: FolderBench) -> None:
    assert f"{CLONES} clones of one volume" in try_parallel_clones(tried(bench))


def test_one_clone_of_several_that_is_empty_is_told(bench: FolderBench) -> None:
    bench.copied = lambda source, target, number: (empty if number == 2 else shutil.copytree)(source, target, number)  # type: ignore[operator]
    with pytest.raises(StorageFailure, match=r"1 of 3 clones .* are wrong: clone-2: it is empty"):
        try_parallel_clones(tried(bench))


def test_a_copy_for_reading_that_takes_writes_is_told(bench: FolderBench) -> None:
    """Nothing refuses them here."""
    with pytest.raises(StorageFailure, match=r"a clone \(ReadOnlyMany\) of .* accepted writes: a new file"):
        try_read_only_copy(tried(bench), "clone")


def test_a_copy_for_reading_that_is_empty_is_told(bench: FolderBench) -> None:
    bench.copied = empty
    with pytest.raises(StorageFailure, match="does not show its data"):
        try_read_only_copy(tried(bench), "clone")


@pytest.mark.parametrize("nodes", [["n1", "n2"], ["n1"]])
def test_two_volumes_are_seen(nodes: list[str], bench: FolderBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(several_volumes, "nodes_for_volume", lambda *_: nodes)
    where = "on n1 and on n2" if len(nodes) == 2 else "on n1, the only node that can use both"
    assert f"pods {where} used two volumes" in try_two_volumes(tried(bench))


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        ({"second": "first"}, "on n2 the second volume shows the data of the first"),
        ({"first": "second", "second": "first"}, "the first volume shows the data of the second and the second"),
    ],
)
def test_volumes_that_are_mixed_up_are_told(
    shown: dict[str, str], said: str, bench: FolderBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(several_volumes, "nodes_for_volume", lambda *_: ["n1", "n2"])
    bench.shown = shown
    with pytest.raises(StorageFailure, match=said):
        try_two_volumes(tried(bench))


def test_marks_on_a_device_are_read_where_they_were_written(tmp_path: Path) -> None:
    """The device is a file of zeros here."""
    device, mark, other = tmp_path / "device", "a" * 32, "b" * 32
    device.write_bytes(bytes(8 * 1024**2))
    claim = Claim(name="device", namespace="run", storage_class="fast", size=GIB, run_id="r", block=True)
    bench = tried(FolderBench(tmp_path))
    assert copies.content(bench, claim) == {}
    copies.write_before(bench, claim, mark)
    assert copies.content(bench, claim) == {"before": mark}
    copies.change(bench, claim, other)
    assert copies.content(bench, claim) == {"before": other, "after": other}
    late = copies.wrong_with_copy(copies.content(bench, claim), before=mark, after=other)
    assert late == "it holds data that was written after the copy was taken"
    assert device.stat().st_size == 8 * 1024**2 and device.read_bytes()[: 1024**2] == bytes(1024**2)


def test_what_a_device_held_before_is_no_mark(tmp_path: Path) -> None:
    (tmp_path / "device").write_bytes(os.urandom(8 * 1024**2))
    claim = Claim(name="device", namespace="run", storage_class="fast", size=GIB, run_id="r", block=True)
    assert copies.content(tried(FolderBench(tmp_path)), claim) == {}


def test_sizes_are_those_that_df_printed() -> None:
    output = (
        "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/loop1 1038336 40240 998096 4% /volumes/1\n"
    )
    assert sizes_in(output) == [1038336 * 1024]
    with pytest.raises(StorageFailure, match="does not see the size of its volume: df: no such file"):
        size_in("df: no such file")


def content(name: str, handle: str) -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": {"source": {"volumeHandle": handle}}}


def test_contents_that_stay_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the claim's own volume, and no others."""
    listed = [content("snapcontent-2", "h1"), content("snapcontent-1", "h1"), content("others", "h2")]
    api = SimpleNamespace(
        get=lambda resource, name, namespace=None: {
            "spec": {"volumeName": "pv"} if namespace else {"csi": {"volumeHandle": "h1"}}
        },
        list=lambda resource: listed if resource is SNAPSHOT_CONTENTS else [],
    )
    claim = Claim(name="c", namespace="run", storage_class="fast", size=1, run_id="r")
    assert contents_behind(cast(Api, api), claim) == ["snapcontent-1", "snapcontent-2"]
    listed.clear()
    assert contents_behind(cast(Api, api), claim) == []


def test_a_round_without_snapshots_is_named(bench: FolderBench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Six snapshots are taken of the volume in its life, deleted ones among them."""
    asked: list[str] = []

    def wait_taken(api: object, snapshot: str, *, timeout_s: float) -> None:
        if asked.index(snapshot) >= 6:
            raise StorageFailure(f"waited 1 s for snapshot {snapshot} to be ready to use")

    monkeypatch.setattr(snapshot_rounds, "snapshot_class_for", lambda _: "fast")
    monkeypatch.setattr(snapshot_rounds, "ask_for_snapshot", lambda *_, part, **__: asked.append(part) or part)
    monkeypatch.setattr(snapshot_rounds, "wait_taken", wait_taken)
    monkeypatch.setattr(snapshot_rounds, "delete_snapshots", lambda *_, **__: None)
    bench.start = lambda *_: "pod"  # type: ignore[attr-defined]
    bench.timeout_s = 1.0  # type: ignore[attr-defined]
    with pytest.raises(StorageFailure, match=r"in round 4 of 4 .* waited 1 s for snapshot snapshot-4-1 to be ready"):
        snapshot_rounds.try_snapshot_rounds(tried(bench))


def test_a_content_that_outlives_its_snapshot_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    api = SimulatedApi({})
    api.create(SNAPSHOT_CONTENTS, {"metadata": {"name": "snapcontent-1", "finalizers": ["driver/protection"]}})
    monkeypatch.setattr(snapshots, "have_removed", lambda *_: "snapcontent-1")
    monkeypatch.setattr(snapshots, "recent_events", lambda *_, **__: [])
    each = Snapshot(name="snap", namespace="run", snapshot_class="fast", run_id="r")
    with pytest.raises(StorageFailure, match="snap and its content to be deleted; last state: snapcontent-1"):
        delete_snapshots(cast(Api, api), [each], timeout_s=0.01)


def test_what_needs_snapshots_or_growth_is_known_to_be_missing_without_trying() -> None:
    site = Site(classes={"fast": TriedBench.storage_class}, snapshots=False)
    for capability in CAPABILITIES:
        needed = DECLARATIONS[capability].needs or capability
        why = lacks_feature(site, "fast", capability)
        assert (why is not None) == (needed in ("expansion", "snapshot")), capability
        assert why is None or why.startswith(f"capability '{capability}': ")
    of_devices = {name for name, declared in DECLARATIONS.items() if declared.of_devices}
    assert {each for each in CAPABILITIES if "block" in each} == of_devices

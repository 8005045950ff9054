"""Copies as backups: the trials' own scripts with the real fio, as processes of this host with folders as volumes."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from acceptance.cluster.claims import Claim
from acceptance.cluster.snapshots import RestorableSnapshot, Snapshot
from acceptance.loads.verified.jobs import DATA_FILE, job_files
from acceptance.text.errors import NotTried, StorageFailure, Unsupported
from acceptance.trials.features import (
    bulk_copies,
    bulk_data,
    chain_of_copies,
    deleted_sources,
    expansion_with_snapshot,
    making_copies,
    recreated_claim,
    shared_restore,
    sharing,
    snapshot_without_source,
)
from acceptance.trials.features.bench import SIZE, Bench
from acceptance.trials.features.bulk_copies import try_bulk_copy, try_bulk_expansion
from acceptance.trials.features.chain_of_copies import try_chain
from acceptance.trials.features.deleted_sources import delete_with_volume
from acceptance.trials.features.expansion_with_snapshot import try_expansion_with_snapshot
from acceptance.trials.features.full_clone import try_full_clone
from acceptance.trials.features.recreated_claim import try_recreated_claim
from acceptance.trials.features.shared_restore import try_shared_restore
from acceptance.trials.features.snapshot_without_source import try_snapshot_without_source
from selftests.bounds import HANGS_S
from selftests.unit.test_copies_of_volumes import FolderBench, empty
from selftests.unit.test_refusals import Events, csi, warning

BLOCKS = 32
MIB = 1024**2
COPIES = ("snapshot", "restored", "clone", "snapshot-1", "snapshot-2", "restored-2")
Change = Callable[[Path], object]


def damage(volume: Path) -> None:
    """Lose a block in the middle of the large file."""
    with (volume / DATA_FILE).open("r+b") as file:
        file.seek(BLOCKS // 2 * bulk_data.BULK // BLOCKS)
        file.write(bytes(64 * 1024))


class BackupBench(FolderBench):
    """A bench whose snapshots are folders, too.

    `on_copy`: what becomes of a new copy; `on_deletion`: of what is left after a deletion; `programs`: before all else
    in each pod's shell.
    """

    on_copy: Change = staticmethod(str)
    on_deletion: Callable[[str, Path], object] = staticmethod(lambda name, volume: None)
    programs = ""
    timeout_s: float = HANGS_S

    def __post_init__(self) -> None:
        super().__post_init__()
        self.jobs = self.folder / "jobs"
        self.jobs.mkdir()
        for name, text in job_files().items():
            (self.jobs / name).write_text(text)
        self.workspace = SimpleNamespace(run_id="r", namespace="run")
        self.api = SimpleNamespace(get=self._volume, create=lambda *_, **__: None)
        self.storage_class = SimpleNamespace(
            name="fast", provisioner="a.driver", allow_expansion=True, reclaim_policy="Delete"
        )
        self.not_tried = NotTried
        self.names: list[str] = []

    def claim(self, part: str, **options: Any) -> Claim:
        options.pop("access", None)
        claim = super().claim(part, **options)
        self.names.append(part)
        if options.get("source"):
            self.on_copy(self.folder / part)
        return claim

    def volume_of(self, claim: Claim) -> str:
        """The PV of the last claim of that name: another one each time."""
        return f"pv-{self.names.index(claim.name)}-{self.names.count(claim.name)}"

    def _volume(self, _: object, name: str) -> dict[str, Any]:
        return {"spec": {"csi": {}, "capacity": {"storage": str(SIZE)}}}

    def run(self, claim: Claim, script: str, *, files: str | None = None, **variables: Any) -> str:  # type: ignore[override]
        if files:
            variables["JOBS"] = str(self.jobs)
        return super().run(claim, self.programs + script, **variables)

    def start(self, claim: Claim, script: str, *, node: str | None = None, **variables: str) -> subprocess.Popen[str]:
        """A pod; on the node n2 it uses the folder of the volume that `shown` names."""
        folder = self.folder / (self.shown.get(claim.name, claim.name) if node == "n2" else claim.name)
        environment = os.environ | {"VOLUME": str(folder)} | variables
        return subprocess.Popen(["sh", "-c", script], env=environment, stdout=subprocess.PIPE, text=True)

    def output_of(self, plan: subprocess.Popen[str]) -> str:
        return plan.communicate(timeout=HANGS_S)[0]

    def end(self, plan: subprocess.Popen[str]) -> None:
        plan.kill()
        plan.communicate()

    def delete(self, name: str) -> None:
        shutil.rmtree(self.folder / name)
        for volume in self.folder.iterdir():
            self.on_deletion(name, volume)

    def take(self, _: object, claim: Claim, *, snapshot_class: str, part: str = "snapshot") -> Snapshot:
        shutil.copytree(self.folder / claim.name, self.folder / part)
        self.on_copy(self.folder / part)
        return Snapshot(name=part, namespace="run", snapshot_class=snapshot_class, run_id="r")


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BackupBench:
    """Storage that can do everything."""
    made = BackupBench(tmp_path)
    monkeypatch.setattr(bulk_data, "BULK", BLOCKS * 64 * 1024)
    played: dict[str, Any] = {
        "snapshot_class_for": lambda _: "fast",
        "ask_for_snapshot": made.take,
        "wait_taken": lambda *_, **__: RestorableSnapshot(content="content", size=None),
        "delete_with_volume": lambda _, claim: made.delete(claim.name),
        "remove_claim": lambda _, claim, **__: made.delete(claim.name),
        "delete_snapshot": lambda _, snapshot, **__: made.delete(snapshot.name),
        "wait_volume_gone": lambda *_, **__: None,
        "expand": lambda _, claim, **__: made.on_copy(made.folder / claim.name),
        "another_node": lambda *_: "n2",
        "wait_ended": lambda _, plan, **__: plan.wait(timeout=HANGS_S),
        "ask": lambda *_, **__: None,
        "wait_enlarged": lambda _, claim, **__: made.on_copy(made.folder / claim.name),
        "size_in_a_new_pod": lambda *_, size, **__: size,
    }
    modules = (
        bulk_copies,
        chain_of_copies,
        expansion_with_snapshot,
        making_copies,
        recreated_claim,
        shared_restore,
        sharing,
        snapshot_without_source,
    )
    for module in modules:
        for name in played.keys() & vars(module).keys():
            monkeypatch.setattr(module, name, played[name])
    return made


def tried(bench: BackupBench) -> Bench:
    return cast(Bench, bench)


BLOCK_LOST = r"1 of 32 blocks of 64 KiB differ from what was written: at offset 1,048,576 zeros, or never written"
TRIALS: dict[str, tuple[Callable[[Bench], str], str]] = {
    "without source": (try_snapshot_without_source, "held all"),
    "restored": (lambda bench: try_bulk_copy(bench, "restored snapshot"), "on a restored snapshot were those"),
    "clone": (lambda bench: try_bulk_copy(bench, "clone"), "on a clone were those"),
    "growth": (try_bulk_expansion, "were as they were written after a volume grew by 1 GiB"),
    "chain": (try_chain, "all other volumes and snapshots of the chain held their data"),
    "shared": (try_shared_restore, "and each read what the other wrote"),
    "growth with a snapshot": (try_expansion_with_snapshot, "and kept its data; the restored snapshot held all"),
}


@pytest.mark.parametrize("case", TRIALS)
def test_intact_data_is_seen(case: str, bench: BackupBench) -> None:
    trial, sentence = TRIALS[case]
    assert sentence in trial(tried(bench))


@pytest.mark.parametrize("case", TRIALS)
def test_a_block_that_a_copy_or_a_grown_volume_lacks_is_told(case: str, bench: BackupBench) -> None:
    """Small files are right."""
    bench.on_copy = damage
    with pytest.raises(StorageFailure, match=BLOCK_LOST):
        TRIALS[case][0](tried(bench))


@pytest.mark.parametrize("case", ["without source", "restored", "clone", "chain", "shared"])
def test_an_empty_copy_is_told(case: str, bench: BackupBench) -> None:
    bench.copied = empty
    with pytest.raises(StorageFailure, match=r"read again .*: the file does not exist"):
        TRIALS[case][0](tried(bench))


def test_a_copy_that_shares_blocks_with_its_source_is_told(bench: BackupBench) -> None:
    bench.copied = lambda source, target, number: target.symlink_to(source)
    with pytest.raises(
        StorageFailure, match=r"after its source was written again .* 32 of 32 blocks .* foreign content"
    ):
        try_bulk_copy(tried(bench), "clone")


def test_a_snapshot_that_is_changed_with_its_growing_volume_is_told(bench: BackupBench) -> None:
    """The restored snapshot has what was written after it was taken."""

    def show_source(volume: Path) -> None:
        if volume.name == "restored":
            shutil.copyfile(bench.folder / "grows" / DATA_FILE, volume / DATA_FILE)

    bench.on_copy = show_source
    with pytest.raises(StorageFailure, match=r"taken before the volume grew .* 32 of 32 blocks"):
        try_expansion_with_snapshot(tried(bench))


@pytest.mark.parametrize(
    ("deleted", "damaged", "sentence"),
    [
        ("source", "restored", "after the volume at the root of the chain was deleted"),
        ("snapshot-1", "restored", "after the first snapshot of the chain was deleted"),
        ("restored", "clone", "after the restored volume, the source of both, was deleted"),
        ("snapshot-2", "restored-2", "after the second snapshot of the chain was deleted"),
    ],
)
def test_a_deletion_that_damages_what_is_left_is_named(
    deleted: str, damaged: str, sentence: str, bench: BackupBench
) -> None:
    bench.on_deletion = lambda name, volume: damage(volume) if (name, volume.name) == (deleted, damaged) else None
    with pytest.raises(StorageFailure, match=f"is damaged {sentence}: .*{BLOCK_LOST}"):
        try_chain(tried(bench))


def test_a_restored_volume_that_each_node_has_for_itself_is_told(bench: BackupBench) -> None:
    (bench.folder / "apart").mkdir()
    bench.shown, bench.timeout_s = {"restored": "apart"}, 1.0
    with pytest.raises(StorageFailure, match="the file of the first node does not appear on the second node"):
        try_shared_restore(tried(bench))


VOLUME = {"metadata": {"name": "pv"}, "spec": {"csi": {"volumeHandle": "vol-1"}}, "status": {"phase": "Released"}}


@pytest.mark.parametrize(
    ("code", "words", "ends_in"),
    [
        ("FailedPrecondition", "volume vol-1 has 2 snapshots", Unsupported),
        ("FailedPrecondition", "volume vol-1 is still attached to node n1", StorageFailure),
        ("Internal", "volume vol-1 has snapshots", StorageFailure),
    ],
)
def test_a_volume_that_is_kept_by_its_copies_is_missing_only_if_the_driver_refuses_for_that_reason(
    code: str, words: str, ends_in: type[Exception], bench: BackupBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deleted_sources, "remove_claim", lambda *_, **__: None)
    monkeypatch.setattr(deleted_sources, "set_policy", lambda *_: None)
    message = csi(code, words).partition(": ")[2]
    events = Events(warning(message, reason="VolumeFailedDelete"))
    bench.api = SimpleNamespace(get=lambda *_: VOLUME, find=lambda *_: VOLUME, list=events.list)
    bench.timeout_s = 0.01
    claim = Claim(name="source", namespace="run", storage_class="fast", size=1, run_id="r")
    bench.names.append("source")
    with pytest.raises(ends_in, match=words) as caught:
        delete_with_volume(tried(bench), claim)
    assert type(caught.value) is ends_in


@pytest.mark.parametrize(
    ("code", "words", "refused"),
    [
        ("FailedPrecondition", "vol-1 has 1 snapshots, and cannot grow", True),
        ("FailedPrecondition", "vol-1 is in use", False),
        ("Unavailable", "a snapshot is being taken; try again later", False),
    ],
)
def test_growth_is_refused_only_if_the_driver_names_the_snapshot(
    code: str, words: str, refused: bool, bench: BackupBench
) -> None:
    message = f'resize volume "pv-1" by resizer "a.driver" failed: rpc error: code = {code} desc = {words}'
    bench.api = SimpleNamespace(list=Events(warning(message, reason="VolumeResizeFailed")).list)
    claim = Claim(name="grows", namespace="run", storage_class="fast", size=1, run_id="r")
    bench.names.append("grows")
    assert (expansion_with_snapshot._refusal(tried(bench), claim) is not None) == refused


FULL = """
df() {{ echo 'x {shown} 0 8192 1% /'; }}
dd() {{
    case "$*" in *filler*) echo filler > "$VOLUME/filler"; echo "dd: error writing: {end}"; return 1;; esac
    {new}
}}
"""


def full(
    bench: BackupBench, *, shown: int = SIZE // 1024, end: str = "No space left on device", new: str = "true"
) -> Any:
    bench.programs = FULL.format(shown=shown, end=end, new=new)
    return tried(bench)


def test_a_full_volume_is_cloned(bench: BackupBench) -> None:
    """What is free is 8 MiB here."""
    assert "the clone held all 6 MiB with checksums" in try_full_clone(full(bench))


def test_a_clone_of_a_full_volume_that_lacks_data_is_told(bench: BackupBench) -> None:
    bench.on_copy = damage
    with pytest.raises(StorageFailure, match=r"on a clone of a full volume .* 1 of 96 blocks"):
        try_full_clone(full(bench))


def test_a_clone_of_a_full_volume_that_takes_no_more_writes_is_told(bench: BackupBench) -> None:
    with pytest.raises(StorageFailure, match="accepts no writes after a file was deleted"):
        try_full_clone(full(bench, new="return 1"))


@pytest.mark.parametrize(("shown", "end"), [(2 * SIZE // 1024, "No space left on device"), (SIZE // 1024, "none")])
def test_a_volume_whose_size_is_not_enforced_is_not_filled(shown: int, end: str, bench: BackupBench) -> None:
    with pytest.raises(Unsupported, match="does not enforce volume sizes"):
        try_full_clone(full(bench, shown=shown, end=end))


def test_a_recreated_claim_with_a_new_volume_is_seen(bench: BackupBench) -> None:
    assert "each time it got a new volume of its size" in try_recreated_claim(tried(bench))


def test_an_old_volume_that_returns_is_told(bench: BackupBench) -> None:
    bench.delete = lambda name: (bench.folder / name).rename(bench.folder / "old")  # type: ignore[method-assign]
    claim = bench.claim

    def returned(part: str, **options: Any) -> Claim:
        made = claim(part, **options)
        if (bench.folder / "old").exists():
            shutil.rmtree(bench.folder / part)
            (bench.folder / "old").rename(bench.folder / part)
        return made

    bench.claim = returned  # type: ignore[method-assign]
    with pytest.raises(StorageFailure, match=r"its new volume holds the file of an old one: [0-9a-f]{32}"):
        try_recreated_claim(tried(bench))


def test_a_new_volume_with_the_old_size_is_told(bench: BackupBench) -> None:
    bench.size = lambda _: SIZE
    with pytest.raises(StorageFailure, match=r"expected at least 1.5 GiB for a request of 2 GiB, found 1 GiB"):
        try_recreated_claim(tried(bench))


def test_the_old_pv_in_place_of_a_new_one_is_told(bench: BackupBench) -> None:
    bench.volume_of = lambda claim: "pv"  # type: ignore[method-assign]
    with pytest.raises(StorageFailure, match="was bound to its old PV pv"):
        try_recreated_claim(tried(bench))


def test_a_new_volume_that_goes_with_the_old_one_is_told(bench: BackupBench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A provisioner that names its folder after the PVC deletes that of the new one."""
    monkeypatch.setattr(
        recreated_claim, "wait_volume_gone", lambda *_, **__: (bench.folder / "recreated" / "mark").unlink()
    )
    with pytest.raises(StorageFailure, match="lost its data when the old one was deleted"):
        try_recreated_claim(tried(bench))

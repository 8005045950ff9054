"""New volumes after a deleted one, with real shells as pods: empty ones are seen; marks, files and unread data fail."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, cast

import pytest

from acceptance.cluster.claims import Claim
from acceptance.text.errors import StorageFailure
from acceptance.trials.features import erased
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.erased import FILES, NEW_VOLUMES, marks_in, try_erased
from selftests.unit.test_copies_of_volumes import FolderBench

MIB = 1024**2
SIZE = 8 * MIB


class ErasingBench(FolderBench):
    """Volumes of 8 MiB: no shell writes more, as to a device. `shows`: the new volumes that show earlier data."""

    shows: tuple[str, ...] = ()
    size_limit = SIZE

    def claim(self, part: str, **options: Any) -> Claim:
        claim = super().claim(part, **{**options, "size": SIZE})
        if part in self.shows:
            path = self.folder / part
            shutil.rmtree(path) if path.is_dir() else path.unlink()
            (self.folder / "earlier").rename(path)
        return claim

    def ask_for(self, plan: Any, *, guarded: bool = True) -> None:
        super().ask_for(plan)

    def run(self, claim: Claim, script: str, **options: Any) -> str:
        return super().run(claim, f"ulimit -f {self.size_limit // 512}\n{script}", **options)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ErasingBench:
    """Storage on which a deleted volume is kept as `earlier`."""
    monkeypatch.setattr(erased, "FILE_BYTES", SIZE // (2 * FILES))
    monkeypatch.setattr(
        erased, "delete_with_volume", lambda _, claim: (tmp_path / claim.name).rename(tmp_path / "earlier")
    )
    return ErasingBench(tmp_path)


def tried(bench: ErasingBench, *, block: bool) -> str:
    return try_erased(cast(Bench, bench), block=block)


@pytest.mark.parametrize(("block", "marks"), [(True, SIZE // 4096), (False, SIZE // 2 // 4096)])
def test_volumes_that_show_nothing_are_seen(block: bool, marks: int, bench: ErasingBench) -> None:
    """All marks were counted before, so that a search that finds none means something."""
    how = tried(bench, block=block)
    counted = int(how.split()[3].replace(",", ""))
    assert counted == marks and f"{NEW_VOLUMES} new" in how


@pytest.mark.parametrize("block", [True, False])
def test_one_volume_with_earlier_data_fails(block: bool, bench: ErasingBench) -> None:
    bench.shows = ("new-2",)
    with pytest.raises(StorageFailure, match=r"1 of 3 new volumes were not empty: new-2 shows [\d,]+ marks"):
        tried(bench, block=block)


def test_files_of_others_fail_and_are_not_named(bench: ErasingBench, monkeypatch: pytest.MonkeyPatch) -> None:
    def replaced(_: object, claim: Claim) -> None:
        shutil.rmtree(bench.folder / claim.name)
        (bench.folder / "earlier").mkdir()
        (bench.folder / "earlier" / "private").touch()

    monkeypatch.setattr(erased, "delete_with_volume", replaced)
    bench.shows = ("new-3",)
    with pytest.raises(StorageFailure, match="new-3 has 1 files or folders, none of them this suite's") as caught:
        tried(bench, block=False)
    assert "private" not in str(caught.value)


def test_what_a_file_system_creates_itself_is_no_earlier_data(
    bench: ErasingBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fresh(_: object, claim: Claim) -> None:
        shutil.rmtree(bench.folder / claim.name)
        for name in ("lost+found", ".snapshot"):
            (bench.folder / "earlier" / name).mkdir(parents=True)

    monkeypatch.setattr(erased, "delete_with_volume", fresh)
    bench.shows = ("new-1",)
    assert "showed none of them" in tried(bench, block=False)


def test_a_volume_that_does_not_take_the_marks_fails(bench: ErasingBench) -> None:
    bench.size_limit = MIB
    with pytest.raises(StorageFailure, match=r"expected at least 7\.2 MiB of marks .*, found 1 MiB"):
        tried(bench, block=True)


@pytest.mark.parametrize("output", ["", "/dev/xvda holds unreadable\n0 marks\n", "0 entries\n"])
def test_data_that_could_not_be_read_is_no_empty_volume(output: str) -> None:
    with pytest.raises(StorageFailure, match="could not read all of its volume"):
        marks_in(output)

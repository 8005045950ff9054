"""The run's folder: each file whole at any time, `latest` beside it, names that stay inside."""

from __future__ import annotations

import errno
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from acceptance.results.document import Results
from acceptance.results.recorder import Recorder
from acceptance.results.run_folder import RunFolder
from acceptance.text.errors import EnvironmentFailure


def results(run_id: str = "r") -> Results:
    return Recorder(run_id=run_id, started_at=datetime.now(UTC), settings={"tier": "µ"}, tier_limits=0).results()


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    made = RunFolder(tmp_path / "reports", run_id="r")
    made.make()
    return made


def test_latest_points_at_the_run_that_began_last(tmp_path: Path) -> None:
    for run_id in ("one", "two"):
        RunFolder(tmp_path, run_id=run_id).make()
    assert (tmp_path / "latest").resolve() == tmp_path / "two"
    assert (tmp_path / "latest").readlink() == Path("two")  # the folder may be moved
    assert sorted(path.name for path in tmp_path.iterdir()) == ["latest", "one", "two"]


def test_a_folder_that_is_discarded_takes_what_was_made_for_it_alone(tmp_path: Path) -> None:
    one, two = (RunFolder(tmp_path / "a" / "reports", run_id=name) for name in ("one", "two"))
    for each in (one, two):
        each.begin()
        each.write_report("half")
    two.discard()
    assert [path.name for path in (tmp_path / "a" / "reports").iterdir()] == ["one"]
    one.discard()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_others_made_is_not_discarded(tmp_path: Path) -> None:
    (tmp_path / "reports" / "r").mkdir(parents=True)
    folder = RunFolder(tmp_path / "reports", run_id="r")
    folder.begin()
    folder.discard()
    assert folder.path.is_dir()


def test_results_are_written_whole_and_leave_no_scratch(folder: RunFolder) -> None:
    folder.write_results(results())
    folder.write_results(results("later"))
    assert Results.model_validate_json(folder.results.read_text(encoding="utf-8")).run.id == "later"
    assert sorted(path.name for path in folder.path.iterdir()) == ["fio", "results.json"]


def test_results_that_cannot_be_written_leave_the_old_ones(folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, *_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    folder.write_results(results())
    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(EnvironmentFailure, match=r"results\.json cannot be written"):
        folder.write_results(results("later"))
    assert json.loads(folder.results.read_text(encoding="utf-8"))["run"]["id"] == "r"
    assert sorted(path.name for path in folder.path.iterdir()) == ["fio", "results.json"]


def test_a_link_that_somebody_planted_is_not_followed(folder: RunFolder, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.write_text("years of work")
    for name in (".results.json.part", "results.json"):
        folder.path.joinpath(name).symlink_to(theirs)
    folder.write_results(results())
    assert theirs.read_text() == "years of work"
    assert not folder.results.is_symlink()


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("sync-write-iops-fast-1", "sync-write-iops-fast-1.json"),
        ("../../etc/passwd", "..-..-etc-passwd.json"),
        ("a b/c\n", "a-b-c-.json"),
    ],
)
def test_what_fio_printed_is_kept_unchanged_and_inside_the_folder(folder: RunFolder, name: str, file: str) -> None:
    folder.write_fio(name, ['{\n"µ": 1\n}\n', "fio: said something\n"])
    assert [path.name for path in (folder.path / "fio").iterdir()] == [file]
    assert (folder.path / "fio" / file).read_text(encoding="utf-8") == '{\n"µ": 1\n}\nfio: said something\n'


def test_a_folder_that_cannot_be_made_is_the_environments_failure(tmp_path: Path) -> None:
    (tmp_path / "reports").write_text("a file", encoding="utf-8")
    with pytest.raises(EnvironmentFailure, match=r"report folder .*reports/r cannot be created"):
        RunFolder(tmp_path / "reports", run_id="r").make()

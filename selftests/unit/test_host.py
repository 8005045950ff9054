"""Storage of this host: which directories are taken, what is shown of them, and that nothing is left in them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from acceptance.measuring.host_preflight import describe_host, require_programs
from acceptance.measuring.host_workspace import HostWorkspace
from acceptance.settings.directories import directory, same_directories
from acceptance.text.errors import EnvironmentFailure, StorageFailure

NOBODY = 65534


def test_a_directory_is_known_by_its_absolute_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "disk").mkdir()
    monkeypatch.chdir(tmp_path)
    assert {directory("disk"), directory("./disk/"), directory(f"{tmp_path}/disk")} == {str(tmp_path / "disk")}


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("", "found '': No such file or directory"),
        ("fast", "found 'fast': No such file or directory"),
        ("/etc/hostname", "found '/etc/hostname': it is not a directory"),
        ("/a\0b", "null"),
    ],
)
def test_what_is_no_directory_is_refused(value: str, problem: str) -> None:
    with pytest.raises(ValueError, match="expected a directory of this host") as raised:
        directory(value)
    assert problem in str(raised.value)


@pytest.mark.parametrize("name", ["a#b", "a;b", "a:b", "a$b", "a\nb", "a\\b", "a\udcffb"])
def test_a_path_that_fio_would_take_for_another_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(ValueError, match="others have a meaning to fio"):
        directory(str(tmp_path / name))


@pytest.mark.parametrize("name", ["a b", "a,b", "a@b", "a%b", "ä+b", "a=b~c"])
def test_a_path_that_is_accepted_is_the_one_that_fio_loads(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    file = Path(directory(str(tmp_path / name))) / "data"
    job = tmp_path / "job.fio"
    job.write_text("[a]\nfilename=${FILE}\nsize=4k\nrw=write\n")
    subprocess.run(["fio", str(job)], env=os.environ | {"FILE": str(file)}, capture_output=True, check=True)
    assert file.stat().st_size == 4096
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, "job.fio"])


@pytest.fixture
def nobody() -> Iterator[None]:
    """The user whose rights are asked for owns nothing."""
    if os.geteuid() != 0:
        pytest.skip("takes root to become another user")
    os.setreuid(NOBODY, -1)
    yield
    os.setreuid(0, -1)


def test_a_directory_that_the_user_may_not_write_to_is_refused(nobody: None) -> None:
    with pytest.raises(ValueError, match="this user may not write to directory /etc"):
        directory("/etc")


def test_a_link_leads_to_the_same_directory(tmp_path: Path) -> None:
    one, link, other = (str(tmp_path / name) for name in ("one", "link", "other"))
    os.mkdir(one)
    os.mkdir(other)
    os.symlink(one, link)
    assert same_directories([one, link, other]) == [(one, link)]


@pytest.fixture
def directories(tmp_path: Path) -> list[str]:
    """Two directories with somebody's data."""
    made = [tmp_path / name for name in ("one", "other")]
    for each in made:
        each.mkdir()
        (each / "precious").write_text("data")
    return [str(each) for each in made]


def workspace(directories: list[str], *, run_id: str = "r1") -> HostWorkspace:
    return HostWorkspace(directories, run_id=run_id, keep_output=lambda name, text: None)


def contents(directories: list[str]) -> list[list[str]]:
    return [sorted(os.listdir(each)) for each in directories]


def test_each_run_has_a_folder_of_its_own_and_removes_that_alone(directories: list[str]) -> None:
    one, other = workspace(directories), workspace(directories, run_id="r2")
    for each in (one, other):
        each.make()
        (each.folder(directories[0]) / "data").write_text("x")
    one.remove()
    assert contents(directories) == [["precious", "storage-acceptance-r2"]] * 2
    assert os.listdir(other.folder(directories[0])) == ["data"]
    other.remove()
    other.remove()
    assert contents(directories) == [["precious"]] * 2


def test_a_folder_that_was_there_is_not_the_runs_to_remove(directories: list[str]) -> None:
    foreign = Path(directories[1]) / "storage-acceptance-r1"
    foreign.mkdir()
    made = workspace(directories)
    with pytest.raises(EnvironmentFailure, match=f"folder {foreign} cannot be created"):
        made.make()
    made.remove()
    assert contents(directories) == [["precious"], ["precious", foreign.name]]


def test_what_cannot_be_removed_is_named_and_the_rest_removed(directories: list[str]) -> None:
    made = workspace(directories)
    made.make()
    stuck = made.folder(directories[0])
    stuck.rmdir()
    stuck.symlink_to("/etc")
    with pytest.raises(StorageFailure, match=f"{stuck} cannot be removed") as raised:
        made.remove()
    assert len(str(raised.value).splitlines()) == 1
    assert contents(directories) == [["precious", stuck.name], ["precious"]]
    assert made.removed_by == f"rm -r {directories[0]}/storage-acceptance-r1 {directories[1]}/storage-acceptance-r1"


def test_the_report_shows_what_is_mounted_there(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("/proc/sys")
    host = describe_host([str(tmp_path), str(link)])
    assert (host.kind, host.kubernetes_version, [node.name for node in host.nodes]) == (
        "host",
        "",
        [os.uname().nodename],
    )
    disk, proc = host.storage_classes
    assert (disk.name, disk.provisioner) == (str(tmp_path), "directory")
    file_system = subprocess.run(["df", "--output=fstype,target", tmp_path], capture_output=True, text=True, check=True)
    assert [disk.parameters["file system"], disk.parameters["mounted on"]] == file_system.stdout.split()[-2:]
    assert proc.parameters["file system"] == "proc"
    assert "rw" in disk.parameters["mount options"].split(",")


def test_of_several_mounts_the_last_and_deepest_is_shown_without_credentials(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mounted(on: Path, device: str) -> SimpleNamespace:
        return SimpleNamespace(mountpoint=str(on), device=device, fstype="fuse", opts="rw")

    mounts = [
        mounted(tmp_path, "a"),
        mounted(tmp_path, "ftp://me:secret@b/c"),
        mounted(Path("/"), "d"),
        mounted(tmp_path / "disk", "e"),
    ]
    monkeypatch.setattr(psutil, "disk_partitions", lambda all: mounts)
    (shown,) = describe_host([str(tmp_path / "disk2")]).storage_classes
    assert shown.parameters["device"] == "ftp://(not shown)@b/c"


def test_missing_programs_are_all_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EnvironmentFailure, match="apt-get install fio sysbench"):
        require_programs({"sysbench", "fio"})

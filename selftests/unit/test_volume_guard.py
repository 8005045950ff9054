"""The last look before a byte is written: the script itself, on folders and on a device."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from acceptance.cluster.volume_guard import REFUSAL_STATUS, guarded_command, refusal
from selftests.bounds import HANGS_S

MARK = "20261121-071502-4f3a9c0b1d2e7a65"


def run(*volumes: Path, told: Path, mark: str = MARK) -> int:
    """The exit status of `touch VOLUME/written` behind the guard; what it tells of its end goes to the file `told`."""
    command = guarded_command(
        ["sh", "-c", 'touch "$1/written"', "load", str(volumes[-1])], volumes=[str(each) for each in volumes], mark=mark
    )
    command[2] = command[2].replace("/dev/termination-log", str(told))
    return subprocess.run(command, capture_output=True, timeout=HANGS_S, check=False).returncode


@pytest.fixture
def volume(tmp_path: Path) -> Path:
    folder = tmp_path / "a volume"
    folder.mkdir()
    return folder


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_new_volume_is_taken_and_known_again(volume: Path, tmp_path: Path) -> None:
    (volume / "lost+found").mkdir()
    (volume / ".snapshot").mkdir()
    for _ in range(2):  # a container that is started again finds what it wrote
        assert run(volume, told=tmp_path / "told") == 0
    assert names(volume) == {"lost+found", ".snapshot", ".storage-acceptance", "written"}


@pytest.mark.parametrize("name", ["data", "two words", "*", "-n", "é\n"])
def test_whatever_others_wrote_is_refused_and_named(name: str, volume: Path, tmp_path: Path) -> None:
    (volume / name).write_text("years of work")
    told = tmp_path / "told"
    assert run(volume, told=told) == REFUSAL_STATUS
    assert names(volume) == {name}
    ended = {"exitCode": REFUSAL_STATUS, "message": told.read_text()}
    for state in ("state", "lastState"):
        assert f"({name.strip()})" in str(refusal({state: {"terminated": ended}}))


def test_a_link_that_leads_nowhere_is_data_too(volume: Path, tmp_path: Path) -> None:
    (volume / "link").symlink_to("/nowhere")
    assert run(volume, told=tmp_path / "told") == REFUSAL_STATUS


def test_another_runs_mark_is_not_this_runs(volume: Path, tmp_path: Path) -> None:
    assert run(volume, told=tmp_path / "told") == 0
    assert run(volume, told=tmp_path / "told", mark="20261121-071502-0000000000000000") == REFUSAL_STATUS


def test_one_of_several_is_enough(volume: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (volume / "data").touch()
    assert run(volume, other, told=tmp_path / "told") == REFUSAL_STATUS
    assert names(other) == set()


def test_many_names_are_cut_short(volume: Path, tmp_path: Path) -> None:
    for number in range(500):
        (volume / f"file-{number}").touch()
    assert run(volume, told=tmp_path / "told") == REFUSAL_STATUS
    assert len((tmp_path / "told").read_text()) < 300


def test_without_volumes_to_guard_the_command_is_as_it_was() -> None:
    assert guarded_command(["fio", "job"], volumes=[], mark=MARK) == ["fio", "job"]


def test_a_pod_that_ended_otherwise_refused_nothing() -> None:
    assert refusal({}) is None
    assert refusal({"state": {"terminated": {"exitCode": REFUSAL_STATUS, "message": "fio: something else"}}}) is None
    assert refusal({"state": {"terminated": {"exitCode": 1, "message": "found: data"}}}) is None


@pytest.fixture
def device(tmp_path: Path) -> Iterator[Path]:
    """A block device of 4 MiB, full of zeros."""
    behind = tmp_path / "disk"
    behind.write_bytes(bytes(4 * 1024**2))
    made = subprocess.run(["losetup", "--find", "--show", behind], capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"no loop device to be had: {made.stderr}")
    yield Path(made.stdout.strip())
    subprocess.run(["losetup", "--detach", made.stdout.strip()], check=True)


@pytest.mark.parametrize(("offset", "refused"), [(0, True), (1000, True), (1024**2 - 1, True), (None, False)])
def test_a_device_is_taken_where_it_begins_with_nothing(
    offset: int | None, refused: bool, device: Path, tmp_path: Path
) -> None:
    if offset is not None:
        with device.open("r+b") as begun:
            begun.seek(offset)
            begun.write(b"\x01")
    assert (run(device, told=tmp_path / "told") == REFUSAL_STATUS) == refused

"""The block devices of Longhorn's engines, on this host's kernel: what is written is there, and no device is left."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from embedded_cluster import golang
from embedded_cluster.commands import run, succeeds
from embedded_cluster.go_modules import environment
from embedded_cluster.longhorn import programs
from embedded_cluster.waiting import NotYet, wait_for
from selftests.lab.played_engine import PlayedEngine

# No cluster of `make test` has Longhorn.
pytestmark = pytest.mark.full

SIZE = 64 * 1024 * 1024
"""bytes of the volume"""


@dataclass
class Attached:
    """A volume that is a block device, and where it may be mounted."""

    adaptor: Path
    process: subprocess.Popen[str]
    device: Path
    notes: Path
    mounted: Path

    def clean(self) -> bool:
        return succeeds([self.adaptor, "clean", self.notes], timeout=60)

    def wait_clean(self) -> None:
        """A cluster that is started meanwhile has a copy of each mount, and lets it go when it comes to it."""

        def look() -> None:
            if not self.clean():
                raise NotYet(self.backing())

        wait_for("nothing to be used any more", look, timeout=180, interval=0.5)

    def backing(self) -> str:
        """The file behind the loop device; "" where there is none."""
        path = Path("/sys/class/block") / self.device.name / "loop" / "backing_file"
        with contextlib.suppress(OSError):
            return path.read_text().strip()
        return ""

    def end(self, number: int) -> None:
        self.process.send_signal(number)
        self.process.wait(timeout=120)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[PlayedEngine]:
    played = PlayedEngine(tmp_path / "engine.sock", size=SIZE)
    yield played
    played.end()


@pytest.fixture
def attached(tmp_path: Path, engine: PlayedEngine) -> Iterator[Attached]:
    adaptor, notes, mounted = programs.adaptor(), tmp_path / "notes", tmp_path / "mounted"
    mounted.mkdir()
    command = [str(adaptor), "attach", str(notes), "v", str(engine.path), str(SIZE)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    device = Path(process.stdout.readline().strip())
    assert device.is_block_device()
    found = Attached(adaptor=adaptor, process=process, device=device, notes=notes, mounted=mounted)
    yield found
    if os.path.ismount(mounted):
        run(["umount", "--lazy", mounted], timeout=60)
    process.kill()
    process.wait(timeout=60)
    found.clean()
    process.stdout.close()


def gone(attached: Attached) -> None:
    def look() -> None:
        if attached.backing().endswith("/volume"):
            raise NotYet(attached.backing())

    wait_for(f"{attached.device} to be free", look, timeout=180, interval=0.1)
    attached.wait_clean()
    assert not list((attached.notes / "devices").iterdir())


def mount(attached: Attached) -> None:
    run(["mkfs.ext4", "-q", attached.device], timeout=120)
    run(["mount", attached.device, attached.mounted], timeout=60)


def test_the_adaptors_own_tests_pass() -> None:
    source = programs._ADAPTOR
    go = golang.find_go(minimum=golang.required_version(source))
    run([go, "test", "-count=1", "./..."], cwd=source, environment=environment(), timeout=900)


def test_what_is_written_is_what_the_engine_has(attached: Attached, engine: PlayedEngine) -> None:
    mount(attached)
    content = os.urandom(1024 * 1024)
    file = attached.mounted / "file"
    with file.open("wb") as written:
        written.write(content)
        os.fsync(written.fileno())
    assert content[:4096] in engine.content  # and not in this host's memory alone
    run(["umount", attached.mounted], timeout=60)
    run(["mount", attached.device, attached.mounted], timeout=60)
    assert file.read_bytes() == content
    run(["umount", attached.mounted], timeout=60)
    attached.end(signal.SIGTERM)
    assert attached.process.returncode == 0
    gone(attached)


def test_discards_change_nothing_and_whoever_has_the_device_next_may_use_them(
    attached: Attached, engine: PlayedEngine, tmp_path: Path
) -> None:
    """Turned off by a word to the kernel, they would be so for that one too, until the device is removed.

    Newer kernels turn them off by themselves, at the first that does nothing, until the device is given a file again.
    Zeroed ranges, for which the engine has no word either, are written.
    """
    engine.content[:4096] = b"x" * 4096
    succeeds(["blkdiscard", attached.device], timeout=60)
    assert engine.content[:4096] == b"x" * 4096
    run(["blkdiscard", "--zeroout", "--length=4096", attached.device], timeout=60)
    assert engine.content[:4096] == bytes(4096)
    attached.end(signal.SIGTERM)
    gone(attached)
    with taken(attached.device, tmp_path / "next"):
        assert int((Path("/sys/block") / attached.device.name / "queue" / "discard_max_bytes").read_text()) > 0


@contextlib.contextmanager
def taken(device: Path, file: Path) -> Iterator[None]:
    """The loop device has a file: this one, or that of whoever was faster."""
    file.write_bytes(bytes(1024 * 1024))
    ours = succeeds(["losetup", device, file], timeout=60)
    try:
        yield
    finally:
        if ours:
            run(["losetup", "--detach", device], timeout=60)


def test_no_device_without_an_engine(attached: Attached, engine: PlayedEngine) -> None:
    mount(attached)
    engine.end()
    with pytest.raises(OSError, match=r"Input/output error|Read-only"), (attached.mounted / "lost").open("wb") as lost:
        lost.write(b"lost")
        lost.flush()
        os.fsync(lost.fileno())
    run(["umount", attached.mounted], timeout=120)
    attached.process.wait(timeout=120)
    attached.wait_clean()
    gone(attached)


def test_a_killed_one_leaves_nothing_that_is_not_used(attached: Attached) -> None:
    attached.end(signal.SIGKILL)

    def look() -> None:
        if attached.backing():
            raise NotYet(attached.backing())

    wait_for("the kernel to detach the device", look, timeout=180, interval=0.1)
    attached.wait_clean()
    gone(attached)


def test_what_a_killed_one_left_mounted_is_told_until_it_is_gone(attached: Attached) -> None:
    mount(attached)
    attached.end(signal.SIGKILL)
    assert not attached.clean()
    assert attached.backing().endswith("/volume")
    run(["umount", attached.mounted], timeout=120)
    attached.wait_clean()
    gone(attached)


def test_a_living_ones_device_is_left_alone(attached: Attached) -> None:
    assert attached.clean()
    assert attached.backing().endswith("/volume")
    mount(attached)


def test_a_device_that_is_anothers_by_now_is_left_alone(attached: Attached, tmp_path: Path) -> None:
    (note,) = (attached.notes / "devices").iterdir()
    kept = json.loads(note.read_text())
    attached.end(signal.SIGTERM)
    other = tmp_path / "volume"
    other.write_bytes(bytes(SIZE))
    attached.device = Path(run(["losetup", "--find", "--show", other]).strip())
    try:
        note.write_text(json.dumps({**kept, "device": attached.device.name}))
        assert attached.clean()
        assert attached.backing() == str(other)
        assert not note.exists()
    finally:
        run(["losetup", "--detach", attached.device])

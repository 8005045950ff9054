"""A machine that is too slow for the main job is named before it, and after one that ended badly."""

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import borrowing, layout, machine, mounts
from embedded_cluster.layout import Layout


@pytest.fixture
def replicated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layout:
    monkeypatch.setattr(layout, "STATE_ROOT", tmp_path)
    own = Layout("lab")
    own.replicated_mount.mkdir(parents=True)
    return own


@pytest.fixture(autouse=True)
def short_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_TRY_S", 0.05)


def test_the_rate_is_of_writes_that_were_made(tmp_path: Path) -> None:
    rate = machine.durable_rate(tmp_path / "file", seconds=0.05)
    written = (tmp_path / "file").stat().st_size // 4096
    assert rate > 0
    assert written >= 1


def test_each_write_waits_until_it_is_durable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed = []
    monkeypatch.setattr(os, "fdatasync", lambda _: flushed.append(1))
    written = []
    monkeypatch.setattr(os, "pwrite", lambda *_: written.append(1))
    machine.durable_rate(tmp_path / "file", seconds=0.01)
    assert len(flushed) == len(written) > 0


def test_enough_is_enough_and_too_little_is_an_environment_error_with_the_figures(replicated: Layout) -> None:
    machine.require_speed(replicated, durable_writes=0.001)
    with pytest.raises(EnvironmentFailure, match=r"1,000,000,000 are needed.*wakes another.*durable within"):
        machine.require_speed(replicated, durable_writes=1e9)
    assert list(replicated.replicated_mount.iterdir()) == []
    assert [path.name for path in replicated.state.iterdir()] == ["replicated"]


def test_a_file_system_without_its_daemon_is_an_environment_error(
    replicated: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As FUSE answers from then on, first in the middle of the writes, then to all that is asked of the mount."""

    def away(*_: object) -> int:
        raise OSError(errno.ENOTCONN, os.strerror(errno.ENOTCONN))

    with monkeypatch.context() as patched, pytest.raises(EnvironmentFailure) as raised:
        patched.setattr(os, "pwrite", away)
        machine.require_speed(replicated, durable_writes=0.001)
    assert raised.value.exit_status == 10 and str(replicated.replicated_mount) in str(raised.value)
    replicated.replicated_mount.rmdir()
    with pytest.raises(EnvironmentFailure, match=str(replicated.replicated_mount)):
        machine.require_speed(replicated, durable_writes=0.001)


def test_a_file_system_that_hangs_is_an_environment_error(
    replicated: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that never ends replaces `stat`, which the kernel blocks if the daemon of the mount does not answer."""
    program = tmp_path / "bin" / "stat"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    monkeypatch.setattr(mounts, "ANSWERS_S", 0.2)
    monkeypatch.setattr(machine, "durable_rate", lambda *_, **__: pytest.fail("the mount was used all the same"))
    with pytest.raises(EnvironmentFailure, match=rf"{replicated.replicated_mount}` did not end within .* run the comm"):
        machine.require_speed(replicated, durable_writes=0.001)


def test_no_rate_asks_nothing_of_the_machine(tmp_path: Path) -> None:
    machine.require_speed(Layout("that-does-not-exist"), durable_writes=0)


def test_a_wake_up_takes_time_and_leaves_no_process_and_all_cpus() -> None:
    before, children = os.sched_getaffinity(0), psutil.Process().children()
    assert 0 < machine.wake_up_seconds() < 60
    assert os.sched_getaffinity(0) == before
    assert psutil.Process().children() == children


@pytest.mark.parametrize(("status", "checks"), [(0, 1), (1, 2), (2, 1), (4, 1), (6, 2), (7, 1), (10, 1)])
def test_the_machine_is_checked_again_after_bad_news(status: int, checks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(borrowing, "find", lambda _: None)
    calls: list[str] = []
    run_it(status, calls=calls, require=lambda: calls.append("require"))
    assert calls == ["up", *["require"] * checks, "down"]


def test_a_machine_that_became_too_slow_ends_as_an_environment_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(borrowing, "find", lambda _: None)
    calls: list[str] = []

    def require() -> None:
        calls.append("require")
        if calls.count("require") == 2:
            raise EnvironmentFailure("too slow")

    with pytest.raises(EnvironmentFailure, match="too slow"):
        run_it(1, calls=calls, require=require)
    assert calls[-1] == "down"


def run_it(status: int, *, calls: list[str], require: Callable[[], None]) -> None:
    command = [sys.executable, "-c", f"raise SystemExit({status})"]

    def up() -> int:
        calls.append("up")
        return 0

    def down() -> int:
        calls.append("down")
        return 0

    assert borrowing.run_on_cluster(Layout("lab"), command, up=up, down=down, require=require) == status

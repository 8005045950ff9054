"""A program of the host that fails, hangs, or cannot even be killed, keeps nobody waiting and is named."""

from __future__ import annotations

import subprocess
import time

import psutil
import pytest

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import commands
from embedded_cluster.commands import run, succeeds
from selftests.bounds import HANGS_S


def test_what_it_prints_is_handed_over_and_what_it_reads_is_given_to_it() -> None:
    assert run(["tr", "a-z", "A-Z"], stdin="one\ntwo\n") == "ONE\nTWO\n"
    assert run(["cat"]) == "", "one that asks would wait for an answer"


def test_one_that_fails_or_is_missing_is_told_with_its_own_words() -> None:
    with pytest.raises(EnvironmentFailure, match=r"`sh -c echo why >&2; exit 3` ended with 3:\nwhy"):
        run(["sh", "-c", "echo why >&2; exit 3"])
    with pytest.raises(EnvironmentFailure, match="the program no-such-program is missing"):
        run(["no-such-program"])
    assert not succeeds(["false"])


def test_one_that_hangs_is_killed_and_said_to_hang() -> None:
    with pytest.raises(EnvironmentFailure, match=r"`sleep 60.5` did not end within 0 s; it was killed"):
        run(["sleep", "60.5"], timeout=0.2, stdin="x" * 2**20)  # more than a pipe holds
    assert ["sleep", "60.5"] not in [child.cmdline() for child in psutil.Process().children()]


def test_one_that_cannot_be_killed_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `umount` of a mount that does not answer: the kernel lets it go when that does."""
    monkeypatch.setattr(subprocess.Popen, "kill", lambda _process: None)
    monkeypatch.setattr(commands, "KILLED_S", 0.1)
    began = time.monotonic()
    with pytest.raises(EnvironmentFailure, match=r"did not end within 0 s; it cannot be killed: a disk or a mount"):
        run(["sleep", "60.25"], timeout=0.2)
    assert time.monotonic() - began < 30
    for child in psutil.Process().children():
        if child.cmdline() == ["sleep", "60.25"]:
            child.kill()
            child.wait(HANGS_S)

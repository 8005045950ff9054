"""What builds a release shows its steps, and leaves no process behind: not where it fails, is interrupted or killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster.waiting import NotYet, wait_for
from release.running import run_group
from selftests.bounds import HANGS_S

ROOT = Path(__file__).parents[2]
# As mmdebstrap: it starts others, of which each asks to be left alone by nobody, and waits for them.
STARTS_ANOTHER = 'echo $$ > {0}/parent; (echo $BASHPID > {0}/child; exec sleep 600) & echo "I: one" >&2; wait'
STUBBORN = "trap '' TERM; echo $$ > {0}/parent; (echo $BASHPID > {0}/child; exec sleep 600) & wait; sleep 600"


def pids(folder: Path) -> list[int]:
    return [int((folder / name).read_text()) for name in ("parent", "child")]


def begun(folder: Path) -> None:
    if not all((folder / name).exists() and (folder / name).read_text() for name in ("parent", "child")):
        raise NotYet("it has not begun")


def gone(folder: Path) -> Callable[[], None]:
    def check() -> None:
        living = [pid for pid in pids(folder) if Path(f"/proc/{pid}").exists()]
        # Whoever has no parent left is reaped by the first process, which in a container may never do so.
        if any(" Z " not in Path(f"/proc/{pid}/stat").read_text() for pid in living):
            raise NotYet(f"{living} live")

    return check


def ends(folder: Path) -> None:
    wait_for("both to end", gone(folder), timeout=HANGS_S)


def test_steps_are_shown_as_they_come_and_nothing_else() -> None:
    said: list[str] = []
    command = ["sh", "-c", 'echo "I: one" >&2; echo "W: two" >&2; echo three; echo "I: four" >&2']
    run_group(command, environment=os.environ, timeout=HANGS_S, say=said.append, shown_prefix="I: ")
    assert said == ["one", "four"]


def test_one_that_fails_is_an_error_with_its_last_words_and_ends_what_it_started(tmp_path: Path) -> None:
    command = [
        "bash",
        "-c",
        STARTS_ANOTHER.format(tmp_path).replace(
            "wait", f"until [ -s {tmp_path}/child ]; do sleep 0.1; done; echo no disk >&2; exit 3"
        ),
    ]
    with pytest.raises(EnvironmentFailure, match=r"(?s)ended with 3:.*no disk"):
        run_group(command, environment=os.environ, timeout=HANGS_S, say=lambda _: None)
    wait_for("the child to be noted", lambda: begun(tmp_path), timeout=HANGS_S)
    ends(tmp_path)


def test_one_that_takes_too_long_is_ended_with_what_it_started(tmp_path: Path) -> None:
    command = ["bash", "-c", STARTS_ANOTHER.format(tmp_path)]
    with pytest.raises(EnvironmentFailure, match="did not end within 2 s"):
        run_group(command, environment=os.environ, timeout=2, say=lambda _: None)
    ends(tmp_path)


def test_a_program_that_is_missing_is_named() -> None:
    with pytest.raises(EnvironmentFailure, match="the program no-such-program is missing"):
        run_group(["no-such-program"], environment=os.environ, timeout=1, say=lambda _: None)


BUILD = """
import os, sys
from release.running import interrupted_in_order, run_group
try:
    with interrupted_in_order():
        run_group(["bash", "-c", sys.argv[1]], environment=os.environ, timeout=600, say=print)
except KeyboardInterrupt:
    sys.exit(2)
"""


@pytest.mark.parametrize(
    ("number", "script", "status"),
    [
        (signal.SIGTERM, STARTS_ANOTHER, 2),
        (signal.SIGHUP, STARTS_ANOTHER, 2),
        (signal.SIGTERM, STUBBORN, 2),
        (signal.SIGKILL, STARTS_ANOTHER, -9),
    ],
)
def test_a_build_that_is_asked_to_end_or_killed_leaves_no_process(
    number: signal.Signals, script: str, status: int, tmp_path: Path
) -> None:
    """Also one of which a runner such as tox takes the time to end in order."""
    command = [sys.executable, "-c", BUILD, script.format(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, start_new_session=True) as build:
        wait_for("the build to begin", lambda: begun(tmp_path), timeout=HANGS_S)
        build.send_signal(number)
        assert build.wait(timeout=HANGS_S) == status
    ends(tmp_path)

"""A program that logs in has the user's terminal, whatever command asks, and pytest's capturing notwithstanding."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import stat
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from embedded_cluster.certificates import Authority
from selftests.bounds import HANGS_S
from selftests.pytest_command import WITHOUT
from selftests.unit.loopback_server import Loopback, kubeconfig, loopback
from selftests.warm_start import run_module

ROOT = Path(__file__).parents[2]
V1 = "client.authentication.k8s.io/v1"
TOKEN, PROMPT, REPLY = "the-token-of-the-program", "your code please: ", "4711"
# It lets in whoever types the code; without a terminal, whoever has none to type into.
PROGRAM = f"""#!{sys.executable}
import json, os, sys
told = json.loads(os.environ["KUBERNETES_EXEC_INFO"])["spec"]["interactive"]
if told != sys.stdin.isatty():
    sys.exit(f"told that interactive is {{told}}, found {{sys.stdin.isatty()}}")
if told:
    sys.stderr.write({PROMPT!r}); sys.stderr.flush()
if sys.stdin.readline().strip() != ({REPLY!r} if told else ""):
    sys.exit("a wrong code, says the program")
print(json.dumps({{"apiVersion": {V1!r}, "kind": "ExecCredential", "status": {{"token": {TOKEN!r}}}}}))
"""
RUN = ["--storage-class=fast", "--storage-image=x", *WITHOUT]
COMMANDS = {
    "plan": ["-m", "storage_acceptance", "plan", *RUN],
    "quick": ["-m", "storage_acceptance", "quick", *RUN],
    "run": ["-m", "storage_acceptance", "run", "-m", "smoke", *RUN],
    "pytest": ["-m", "pytest", "-m", "smoke", *RUN],
    "pytest -s": ["-m", "pytest", "-s", "-m", "smoke", *RUN],
    "discover": ["-m", "storage_acceptance", "discover"],
}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Loopback]:
    authority = Authority(folder=tmp_path, common_name="ca")
    found = Loopback(lets_in=lambda headers: headers.get("Authorization") == f"Bearer {TOKEN}")
    with loopback(found, tls=authority.issue("server", common_name="server", addresses=["127.0.0.1"])):
        yield found


def config(folder: Path, server: Loopback, *, program: str = PROGRAM, mode: str = "IfAvailable") -> Path:
    """A kubeconfig whose user logs in by that program."""
    script = folder / "login"
    script.write_text(program)
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    user = {"exec": {"apiVersion": V1, "command": "./login", "interactiveMode": mode}}
    cluster = {"server": server.url, "certificate-authority": "ca.crt"}
    return kubeconfig(folder / "mine.yaml", cluster=cluster, user=user)


def surroundings(folder: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("STORAGE_", "PYTEST_", "KUBE"))}
    return {**kept, "HOME": str(folder), "NO_COLOR": "1"}


def words_of(command: str, path: Path) -> list[str]:
    report = [] if command == "discover" else [f"--storage-report={path.parent / 'reports'}"]
    return [sys.executable, *COMMANDS[command], f"--storage-kubeconfig={path}", *report]


def in_a_terminal(words: list[str], folder: Path) -> tuple[int, str]:
    """Run it with a terminal of its own, and type the code as soon as it is asked for; status and what it showed."""
    ours, theirs = pty.openpty()

    def take_it() -> None:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    process = subprocess.Popen(
        words, cwd=ROOT, env=surroundings(folder), stdin=theirs, stdout=theirs, stderr=theirs, preexec_fn=take_it
    )
    os.close(theirs)
    shown, typed = b"", False
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # the last one who had it open is gone
            break
        if not piece:
            break
        shown += piece
        if not typed and PROMPT.encode() in shown:
            os.write(ours, f"{REPLY}\n".encode())
            typed = True
    os.close(ours)
    return process.wait(timeout=HANGS_S), shown.decode(errors="replace")


def without_terminal(words: list[str], folder: Path) -> tuple[int, str]:
    _, _, module, *rest = words
    done = run_module(module, *rest, folder=ROOT, environment=surroundings(folder))
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("command", "terminal"), [*((command, True) for command in COMMANDS), ("quick", False), ("discover", False)]
)
def test_the_login_programs_token_is_used(command: str, terminal: bool, server: Loopback, tmp_path: Path) -> None:
    words = words_of(command, config(tmp_path, server))
    _, shown = (in_a_terminal if terminal else without_terminal)(words, tmp_path)
    assert (PROMPT in shown) == terminal, shown
    assert any("storageclasses" in path for path, _ in server.asked), shown
    assert server.authorizations() == {f"Bearer {TOKEN}"}, shown


def test_a_program_that_may_not_ask_gets_no_input_in_a_terminal_either(server: Loopback, tmp_path: Path) -> None:
    _, shown = in_a_terminal(words_of("plan", config(tmp_path, server, mode="Never")), tmp_path)
    assert PROMPT not in shown
    assert server.authorizations() == {f"Bearer {TOKEN}"}, shown


FAILING = "#!/bin/sh\necho 'the session of this program is over' >&2\nexit 7\n"


@pytest.mark.parametrize("command", ["plan", "quick", "discover"])
def test_a_program_that_fails_is_told_in_its_own_words(command: str, server: Loopback, tmp_path: Path) -> None:
    path = config(tmp_path, server, program=FAILING)
    status, shown = without_terminal(words_of(command, path), tmp_path)
    assert status == (0 if command == "plan" else 10), shown
    told = " ".join(shown.split())
    assert [word for word in ("the session of this program is over", "status 7", str(path)) if word not in told] == []
    assert server.asked == []


def test_a_program_that_needs_a_terminal_is_not_run_without(server: Loopback, tmp_path: Path) -> None:
    path = config(tmp_path, server, mode="Always")
    status, shown = without_terminal(words_of("discover", path), tmp_path)
    assert (status, "interactiveMode: Always" in shown) == (4, True), shown


ANSWERS: dict[str, Any] = {
    "nothing": "",
    "no JSON": "Logged in!",
    "a list": [],
    "no status": {"apiVersion": V1, "kind": "ExecCredential"},
    "an empty status": {"apiVersion": V1, "kind": "ExecCredential", "status": {}},
    "a certificate alone": {"apiVersion": V1, "kind": "ExecCredential", "status": {"clientCertificateData": "x"}},
    "no certificate": {
        "apiVersion": V1,
        "kind": "ExecCredential",
        "status": {"clientCertificateData": "x", "clientKeyData": "y"},
    },
    "another version": {"apiVersion": "v1", "kind": "ExecCredential", "status": {"token": "t"}},
    "a number for a token": {"apiVersion": V1, "kind": "ExecCredential", "status": {"token": 5}},
    "two lines for a token": {"apiVersion": V1, "kind": "ExecCredential", "status": {"token": "a\nb"}},
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_that_is_none_is_told(answer: str, server: Loopback, tmp_path: Path) -> None:
    text = ANSWERS[answer] if isinstance(ANSWERS[answer], str) else json.dumps(ANSWERS[answer])
    (tmp_path / "answer").write_text(text)
    path = config(tmp_path, server, program=f"#!/bin/sh\ncat {tmp_path}/answer\n")
    status, shown = without_terminal(words_of("discover", path), tmp_path)
    assert status in (4, 10) and str(path) in shown and "Traceback" not in shown, shown
    assert server.asked == []

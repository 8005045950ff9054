"""A program that logs in (`exec` of a kubeconfig): its input, its environment and its answer.

Source: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO, Any

from acceptance.cluster.credentials import Credential, NoLogin, require_header
from acceptance.cluster.kubeconfig_document import ExecPart
from acceptance.process.terminal import Terminal
from acceptance.text.errors import WrongUsage
from acceptance.text.sanitizing import on_one_line

VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
MODES = ("Never", "IfAvailable", "Always")
LOGIN_S = 300.0
"""Seconds for a program that cannot ask the user; one that can is waited for as long as the user takes."""
EXCERPT_LENGTH = 1000
"""Characters of the program's own messages, the last ones."""


@dataclass(frozen=True, kw_only=True)
class LoginProgram:
    """The program of a user. `cluster`: the cluster information that it receives, if any; `user_is`: in words."""

    program: ExecPart
    user_is: str
    terminal: Terminal
    cluster: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        """Raise WrongUsage for values that kubectl does not accept."""
        place, program = f"{self.user_is}: exec", self.program
        if not program.command:
            raise WrongUsage(f"{place}: expected a command, found none; name the program that logs in")
        if program.api_version not in VERSIONS:
            version = program.api_version or "none"
            raise WrongUsage(f"{place}: expected apiVersion {' or '.join(VERSIONS)}, found {version}; correct it")
        if program.interactive not in ("", *MODES):
            raise WrongUsage(
                f"{place}: expected interactiveMode {', '.join(MODES)}, found {program.interactive}; correct it"
            )
        if any(not variable.name or "=" in variable.name for variable in program.env):
            raise WrongUsage(f"{place}: env: expected a name without '=' for each variable; correct it")
        if any("\0" in word for word in (program.command, *program.args, *map(str, program.env))):
            raise WrongUsage(f"{place}: expected text, found the character NUL; correct it")

    def login(self) -> Credential:
        """Run the program. Raises NoLogin with its messages, WrongUsage if it wants a terminal and there is none."""
        status, stdout, messages = self._run()
        if status:
            raise NoLogin(f"{self._is}: it ended with status {status}{_words(messages)}; run it by hand to see why")
        try:
            answer = json.loads(stdout)
        except (ValueError, RecursionError):
            answer = None
        return self._credential(answer, messages)

    @property
    def _is(self) -> str:
        """Return the program in words, without its arguments, which may hold secrets."""
        return f"{self.user_is}: the login program {self.program.command}"

    @property
    def _asks(self) -> bool:
        """Return whether the program may ask the user."""
        mode, stdin = self.program.interactive or "IfAvailable", self.terminal.stdin
        if mode == "Always" and stdin is None:
            raise WrongUsage(
                f"{self._is} requires a terminal (interactiveMode: Always), and the input of this process is not one; "
                "run in a terminal, or name a user that needs no terminal"
            )
        return mode != "Never" and stdin is not None

    def _run(self) -> tuple[int, str, str]:
        """Run the program; return its status, its output and its messages."""
        asks = self._asks
        exec_info = {"apiVersion": self.program.api_version, "kind": "ExecCredential", "spec": {"interactive": asks}}
        if self.cluster is not None:
            exec_info["spec"] = {"interactive": asks, "cluster": dict(self.cluster)}
        variables = {variable.name: variable.value for variable in self.program.env}
        words = [self.program.command, *self.program.args]
        try:
            process = subprocess.Popen(
                words,
                stdin=self.terminal.stdin if asks else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, **variables, "KUBERNETES_EXEC_INFO": json.dumps(exec_info)},
            )
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            hint = f" ({on_one_line(self.program.install_hint)})" if self.program.install_hint else ""
            raise NoLogin(f"{self._is} cannot be run: {why}; install it, or put it into PATH{hint}") from error
        return self._wait(process, interactive=asks)

    def _wait(self, process: subprocess.Popen[bytes], *, interactive: bool) -> tuple[int, str, str]:
        messages = bytearray()
        assert process.stderr is not None
        listener = threading.Thread(
            target=_listen, args=(process.stderr, messages, self.terminal.stderr if interactive else None), daemon=True
        )
        output_pieces: list[bytes] = []
        reader = threading.Thread(target=_read, args=(process.stdout, output_pieces), daemon=True)
        for thread in (listener, reader):
            thread.start()
        try:
            status = process.wait(timeout=None if interactive else LOGIN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise NoLogin(
                f"{self._is}: it did not end within {LOGIN_S:.0f} s{_words(_text(messages))}; run it by hand to see why"
            ) from None
        except BaseException:
            process.kill()
            raise
        for thread in (reader, listener):
            thread.join(timeout=5)  # processes that it left running may keep them open
        return status, b"".join(output_pieces).decode(errors="replace"), _text(messages)

    def _credential(self, answer: Any, messages: str) -> Credential:
        status = answer.get("status") if isinstance(answer, dict) else None
        if not isinstance(status, dict):
            raise NoLogin(
                f"{self._is}: expected an ExecCredential with a status, found none in its output{_words(messages)}"
            )
        if (
            answer.get("kind", "ExecCredential") != "ExecCredential"
            or answer.get("apiVersion") != self.program.api_version
        ):
            raise NoLogin(
                f"{self._is}: expected an ExecCredential of {self.program.api_version}, found {answer.get('kind')} of "
                f"{answer.get('apiVersion')}; correct apiVersion in the kubeconfig, or update the program"
            )
        values = [status.get(key) or "" for key in ("token", "clientCertificateData", "clientKeyData")]
        token, certificate, key = values = [value if isinstance(value, str) else "" for value in values]
        if bool(certificate) != bool(key) or not (token or certificate):
            raise NoLogin(
                f"{self._is}: expected a token, or a certificate with its key, found neither in its "
                f"answer{_words(messages)}"
            )
        require_header(token, f"{self._is}: its token")
        return Credential(
            token=token,
            certificate=certificate.encode(),
            key=key.encode(),
            expires_at=_seconds(status.get("expirationTimestamp")),
        )


def _listen(stream: IO[bytes], messages: bytearray, shown_at: int | None) -> None:
    """Keep the program's messages, and print them meanwhile for the user whom it asks."""
    with stream:
        while piece := os.read(stream.fileno(), 4096):
            messages += piece
            del messages[: -4 * EXCERPT_LENGTH]
            if shown_at is not None:
                os.write(shown_at, piece)


def _read(stream: IO[bytes], output_pieces: list[bytes]) -> None:
    with stream:
        output_pieces.append(stream.read())


def _text(messages: bytearray) -> str:
    return on_one_line(bytes(messages).decode(errors="replace"))[-EXCERPT_LENGTH:]


def _words(messages: str) -> str:
    return f" and printed: {messages}" if messages else " and printed nothing"


def _seconds(timestamp: object) -> float | None:
    """Return a time of RFC 3339 as `time.time` counts; None if there is none."""
    try:
        time = datetime.fromisoformat(timestamp) if isinstance(timestamp, str) else None
        return None if time is None else (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None

"""`completion`: what bash completes, and that no command or option is missing from any script."""

from __future__ import annotations

import subprocess
from shutil import which

import pytest

from acceptance.settings.offered import GROUPS, OPTIONS
from storage_acceptance.command_line import COMMANDS, main

BASH = which("bash")


def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_and_option_is_there(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    told = script(shell, capsys)
    for command in COMMANDS:
        assert command.name in told
    for word in (*(option.words[0] for option in OPTIONS if not option.group), *(group.words[0] for group in GROUPS)):
        assert word.removeprefix("--") in told
    assert ("-l margin" if shell == "fish" else "--margin") in told


@pytest.mark.parametrize("words", [[], ["tcsh"], ["bash", "zsh"]])
def test_an_unknown_shell_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", *words]) == 4
    assert "expected one of the shells bash, zsh, fish" in capsys.readouterr().err


@pytest.mark.skipif(BASH is None, reason="no bash here")
@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["co"], {"compare", "completion"}),
        (
            ["run", "--storage-cl"],
            {"--storage-class=", "--storage-claim-at-most=", "--storage-cluster=", "--storage-cluster-set="},
        ),
        (["run", "--storage-volume-mode", "=", "b"], {"block"}),
        (["run", "--storage-tier", "="], {"baseline", "production"}),
        (["run", "--storage-scale", "=", "rate"], {"rate-pods=", "rate="}),
        (["limits", "--di"], {"--diff"}),
        (["limits", "suggest", "--mar"], {"--margin"}),
        (["cluster", "u"], {"up"}),
        (["completion", ""], {"bash", "zsh", "fish"}),
        (["report", "no-such-"], set()),
    ],
)
def test_bash_completes(words: list[str], found: set[str], capsys: pytest.CaptureFixture[str]) -> None:
    listed = " ".join(f"'{word}'" for word in ("storage-acceptance", *words))
    asked = f"COMP_WORDS=({listed}); COMP_CWORD={len(words)}; _storage_acceptance; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    assert BASH is not None
    run = subprocess.run(
        [BASH, "--norc", "-c", f"{script('bash', capsys)}\n{asked}"], capture_output=True, text=True, check=True
    )
    assert set(run.stdout.split()) == found

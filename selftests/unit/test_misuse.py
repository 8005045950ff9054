"""Whatever command is called wrongly: exit status 4 and no traceback. 2 would say that somebody interrupted it."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

import acceptance.__main__ as engine
from acceptance.results.checksums import check
from embedded_cluster.__main__ import main as embedded
from selftests.pytest_command import WITHOUT
from selftests.warm_start import run_module
from storage_acceptance.command_line import COMMANDS, PROGRAM, main
from storage_acceptance.completion import TESTING

OWN_TEST = """\
from acceptance.public import WrongUsage

def test_held(storage_class):
    "It holds."

def test_own(storage_class):
    raise WrongUsage("a profile is wrong; correct it")
"""
ROOT = Path(__file__).parents[2]
WRONG_USAGE = 4
NO_OPTION = ("--no-such-option",)
OTHERS = [command.name for command in COMMANDS if command.name not in TESTING]
ENGINE = sorted(engine.command_parser(PROGRAM)._subparsers._group_actions[0].choices)  # type: ignore[union-attr]
EMBEDDED = ("up", "down", "status", "names", "kubeconfig", "node-fail", "node-restore", "kubelet-stop", "node-mounts")


def called(folder: Path, *words: str) -> tuple[int, str]:
    """Status and output, in a process of its own, with no cluster to be had."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("STORAGE_", "PYTEST_", "KUBE"))}
    done = run_module(*words, folder=folder, environment={**kept, "HOME": str(folder), "PYTHONPATH": str(ROOT)})
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("name", TESTING)
def test_commands_that_run_tests_refuse_what_they_do_not_know(name: str, tmp_path: Path) -> None:
    status, output = called(tmp_path, "storage_acceptance", name, *NO_OPTION)
    assert (status, "Traceback" in output) == (WRONG_USAGE, False), output


@pytest.mark.parametrize("words", [("-k", "("), ("no/such/test.py",)])
def test_what_pytest_refuses_is_wrong_usage(words: tuple[str, ...], tmp_path: Path) -> None:
    status, output = called(tmp_path, "storage_acceptance", "run", "--storage-cluster=in-cluster", *words)
    assert (status, "Traceback" in output) == (WRONG_USAGE, False), output


@pytest.mark.parametrize(
    "words",
    [("--storage-scale-profiles=no-such",), ("no/such/test.py",), ("--storage-embedded-name=no-such", "test_own.py")],
    ids=["as plugins are configured", "as tests are collected", "as the cluster is looked for"],
)
def test_what_was_called_wrongly_leaves_no_report(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text(OWN_TEST)
    status, output = called(tmp_path, "storage_acceptance", "run", *WITHOUT, "--storage-class=fast", *words)
    assert (status, "Traceback" in output) == (WRONG_USAGE, False), output
    assert [path.name for path in tmp_path.iterdir() if path.name != "__pycache__"] == ["test_own.py"]


def test_what_turns_out_to_be_wrong_in_a_test_leaves_a_whole_report(tmp_path: Path) -> None:
    """As a profile that fio rejects: what was found before it stands, and each file says how it ended."""
    (tmp_path / "disk").mkdir()
    (tmp_path / "test_own.py").write_text(OWN_TEST)
    on_host = ("--storage-cluster=host", "--storage-class=disk", "test_own.py")
    status, output = called(tmp_path, "storage_acceptance", "run", *WITHOUT, *on_host)
    assert status == WRONG_USAGE, output
    folder = tmp_path / "reports" / "latest"
    results = json.loads((folder / "results.json").read_text())
    assert (results["run"]["exit_status"], [verdict["status"] for verdict in results["verdicts"]]) == (
        WRONG_USAGE,
        ["pass"],
    )
    assert re.search(r"^storage_acceptance_exit_status\{.*\} 4(\.0)?$", (folder / "metrics.prom").read_text(), re.M)
    found = check(folder)
    assert (found.problems, list(found.unlisted_files)) == ([], ["SHA256SUMS"])


@pytest.mark.parametrize("words", [NO_OPTION, ("one", "two", "three", "four")], ids=["option", "too many words"])
@pytest.mark.parametrize("name", OTHERS)
def test_all_other_commands_refuse_what_they_do_not_know(
    name: str, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name, *words]) == WRONG_USAGE
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.parametrize("words", [[], ["no-such-command"], *([name, *NO_OPTION] for name in ENGINE)], ids=str)
def test_the_engines_own_commands_do_so_too(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert engine.main(words) == WRONG_USAGE
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.parametrize("words", [[], ["no-such-command"], *([name, *NO_OPTION] for name in EMBEDDED)], ids=str)
def test_the_embedded_cluster_does_so_too(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert embedded(words) == WRONG_USAGE
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.parametrize("module", ["acceptance", "storage_acceptance", "embedded_cluster"])
def test_a_process_ends_with_that_status(module: str, tmp_path: Path) -> None:
    assert called(tmp_path, module, "no-such-command")[0] == WRONG_USAGE


@pytest.mark.parametrize("words", [("discover",), ("cleanup", "--list"), ("run",), ("plan",), ("quick", "fast")])
def test_a_context_that_is_a_typo_lists_those_that_there_are(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube" / "config").write_text(
        "current-context: production\ncontexts: [{name: production}, {name: staging, context: {cluster: c}}]\n"
    )
    status, output = called(tmp_path, "storage_acceptance", *words, "--storage-context=stagin")
    told = " ".join(output.split())
    assert (status, "available: production, staging" in told) == (WRONG_USAGE, True), output
    assert str(tmp_path / ".kube/config") in told

"""The commands of `storage-acceptance`. Each command describes itself, and passes on the words it does not know."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import acceptance
from acceptance.process.standard_streams import outlast_readers
from acceptance.text.errors import WrongUsage
from acceptance.text.program import PROGRAM

Words = Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Command:
    """One of the commands. `takes`: the words after its name; `run`: runs it with those, returns its exit status."""

    name: str
    takes: str
    about: str
    run: Callable[[Words], int]


def main(words: Words | None = None) -> int:
    """Run the command that the command line names; return the exit status."""
    if words is None:
        outlast_readers()
    first, *rest = [*(sys.argv[1:] if words is None else words)] or ["--help"]
    if first in ("-h", "--help", "help"):
        print(overview())
        return 0
    if first == "--version":
        print(f"{PROGRAM} {acceptance.__version__}")
        return 0
    command = next((command for command in COMMANDS if command.name == first), None)
    if command is None:
        names = ", ".join(command.name for command in COMMANDS)
        print(f"error: expected one of the commands {names}, found {first!r}", file=sys.stderr)
        return WrongUsage.exit_status
    return command.run(rest)


def overview() -> str:
    """Return the list of all commands, a line each."""
    calls = {f"{command.name} {command.takes}".strip(): command.about for command in COMMANDS}
    width = max(map(len, calls))
    return "\n".join(
        [
            f"{PROGRAM} {acceptance.__version__}: is a Kubernetes StorageClass fit for use?",
            "",
            *(f"  {call:{width}}  {about}" for call, about in calls.items()),
            "",
            f"OPTIONS are --storage-... (see `{PROGRAM} run --help`) and all options of pytest (-k, -m, -x, ...).",
        ]
    )


def _tests(name: str, *first: str) -> Callable[[Words], int]:
    def run(words: Words) -> int:
        from storage_acceptance.pytest_session import run_tests  # pytest loads slowly, and other commands need none

        (takes,) = (command.takes for command in COMMANDS if command.name == name)
        return run_tests([*first, *words], usage=f"usage: {PROGRAM} {name} {takes}")

    return run


def _host(words: Words) -> int:
    return _tests("host", "--storage-cluster=host")(_folders_first(words))


def _folders_first(words: Words) -> Words:
    """Return the words with the classes first and the options next: classes of a host are directories."""
    count = next((place for place, word in enumerate(words) if word.startswith("-")), len(words))
    return [*(f"--storage-class={storage_class}" for storage_class in words[:count]), *words[count:]]


def _quick(words: Words) -> int:
    from storage_acceptance.quick import quick

    return quick([*_without_cluster(words), *_folders_first(words)])


def _without_cluster(words: Words) -> Words:
    """Return the option to load a directory on this host. A slash or `.` marks it: no StorageClass is called so."""
    has_cluster_option = any(word.startswith("--storage-cluster") for word in words)
    if has_cluster_option or not words or not ("/" in words[0] or words[0] in (".", "..")):
        return []
    return ["--storage-cluster=host"] if Path(words[0]).is_dir() else []


def _preset(name: str) -> Callable[[Words], int]:
    def run(words: Words) -> int:
        return _tests(name, f"--storage-preset={name}")(_folders_first(list(_of_cluster(words))))

    return run


def _of_cluster(words: Words) -> Iterator[str]:
    """Yield the words with the names that `discover` has for a cluster as the options of a run."""
    for word in words:
        option, equals, value = word.partition("=")
        yield f"{_OF_CLUSTER[option]}{equals}{value}" if option in _OF_CLUSTER else word


_OF_CLUSTER = {f"--{name}": f"--storage-{name}" for name in ("context", "kubeconfig")}


def _list(words: Words) -> int:
    from storage_acceptance.listing import list_tests

    return list_tests(words)


def _engine(name: str) -> Callable[[Words], int]:
    def run(words: Words) -> int:
        from acceptance.__main__ import main as engine

        return engine([name, *words], program=PROGRAM)

    return run


def _completion(words: Words) -> int:
    from storage_acceptance.completion import completion

    return completion(words, {command.name: command.about for command in COMMANDS})


def _cluster(words: Words) -> int:
    from embedded_cluster.__main__ import main as cluster

    return cluster(list(words) or ["--help"])


COMMANDS = (
    Command(name="run", takes="[OPTIONS] [TESTS]", about="the acceptance tests, or your own TESTS", run=_tests("run")),
    Command(
        name="gate",
        takes="[CLASS] [OPTIONS]",
        about="30 min before production: volumes, durability, speed, capabilities; nothing destructive",
        run=_preset("gate"),
    ),
    Command(
        name="nightly",
        takes="[CLASS] [OPTIONS]",
        about="at most 2 h every night: always the same load, compared with earlier nights",
        run=_preset("nightly"),
    ),
    Command(
        name="qualification",
        takes="[CLASS] [OPTIONS]",
        about="all tests, also destructive and long ones, for a vendor's qualification",
        run=_preset("qualification"),
    ),
    Command(
        name="presets",
        takes="[NAME|FILE]",
        about="the jobs such as gate, with their time budgets; or what one of them contains",
        run=_engine("presets"),
    ),
    Command(
        name="quick",
        takes="[CLASS|DIR] [OPTIONS]",
        about="figures within 90 s in one table: synchronous writes, random reads and writes",
        run=_quick,
    ),
    Command(
        name="smoke",
        takes="[OPTIONS]",
        about="a first answer: volumes are created and deleted, synchronous writes are fast enough",
        run=_tests("smoke", "-m", "smoke"),
    ),
    Command(
        name="host",
        takes="DIR... [OPTIONS]",
        about="no cluster: how fast directories of this machine are",
        run=_host,
    ),
    Command(
        name="discover",
        takes="[--context NAME]",
        about="a cluster's StorageClasses, their problems, and what to run next; only reads",
        run=_engine("discover"),
    ),
    Command(name="list", takes="[OPTIONS]", about="what `run` would test, in words", run=_list),
    Command(
        name="plan",
        takes="[OPTIONS]",
        about="what `run` would create, and the space and time that it takes; creates nothing",
        run=_tests("plan", "--storage-plan"),
    ),
    Command(
        name="limits",
        takes="[--tier NAME]",
        about="what a tier requires, as a table; --diff A B; suggest RUN...",
        run=_engine("limits"),
    ),
    Command(name="profiles", takes="[DIR]", about="the loads, and what each represents", run=_engine("profiles")),
    Command(name="report", takes="RUN...", about="the report again, runs side by side; verify", run=_engine("report")),
    Command(
        name="driver-info",
        takes="RUN",
        about="the results of a run as a manifest for the Kubernetes e2e",
        run=_engine("driver-info"),
    ),
    Command(name="compare", takes="BEFORE AFTER", about="what changed between two runs", run=_engine("compare")),
    Command(
        name="accept-level",
        takes="HISTORY",
        about="accept a new level, with which later runs are compared",
        run=_engine("accept-level"),
    ),
    Command(name="cleanup", takes="[--list]", about="remove what killed runs left behind", run=_engine("cleanup")),
    Command(
        name="completion",
        takes="bash|zsh|fish",
        about="a script with which the shell completes commands and options",
        run=_completion,
    ),
    Command(name="cluster", takes="up|down|status", about="a Kubernetes to try it on (Debian, root)", run=_cluster),
)

"""Files of sysbench options as profiles: first comments, then one option of `sysbench fileio` on each line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from acceptance.loads.profiles import Profile, name_problems, opening_comment, read_text
from acceptance.loads.reported import ReportedMetrics
from acceptance.results.metrics import Direction
from acceptance.text.errors import WrongUsage

VARIABLES = ("SIZE", "RUNTIME")
# No character that is special to a shell: the options become part of a script.
_OPTION = re.compile(r"--(?P<name>[a-z][a-z0-9-]*)(=(?P<value>([A-Za-z0-9_.,:+-]|\$\{[^{}]*\})+))?")
_REQUIRED_VALUES = {
    "file-total-size": ("${SIZE}", "the suite sets how much is loaded"),
    "time": ("${RUNTIME}", "the suite sets the time of load"),
}
_REJECTED_OPTIONS = {
    "report-interval": "the suite sets it: it reads one report a second",
    "report-checkpoints": "sysbench would restart its counters during the load",
    "max-time": "it is an old name of --time, which the suite sets",
    "config-file": "it would add options that the suite does not see",
    "verbosity": "the suite parses the default output of sysbench",
    "debug": "the suite parses the default output of sysbench",
    "help": "nothing would be loaded",
    "version": "nothing would be loaded",
}
_ENDLESS = {"events", "max-requests"}


def read_options_file(path: Path) -> Profile:
    """Read one file of options. Raises WrongUsage with all its problems."""
    text = read_text(path)
    problems = name_problems(path)
    try:
        options: Sequence[str] = read_options(text)
    except WrongUsage as error:
        options = ()
        problems += str(error).splitlines()
    if problems:
        raise WrongUsage("\n".join(f"profile {path}: {problem}" for problem in problems))
    return Profile(
        name=path.stem,
        path=path,
        text=text,
        about=opening_comment(text),
        program="sysbench",
        durable=not {"--file-fsync-all", "--file-fsync-all=on"}.isdisjoint(options),
        own_files=True,
        needs_file_system=True,
        is_buffered=True,
        reported_metrics=_metrics_of(options),
    )


def _metrics_of(options: Sequence[str]) -> ReportedMetrics:
    """Return what sysbench reports: no latency of any direction, because its one latency covers all of them."""
    mode = next((option.partition("=")[2] for option in options if option.startswith("--file-test-mode=")), "")
    operations: set[Direction] = {"read"} if mode in ("seqrd", "rndrd") else {"write", "sync"}
    mixed_reads: set[Direction] = {"read"} if mode == "rndrw" else set()
    return ReportedMetrics(
        operations=frozenset(operations | mixed_reads),
        means=frozenset(),
        percentiles=frozenset(),
        cpu=False,
        without=" with sysbench",
    )


def read_options(text: str) -> tuple[str, ...]:
    """Return the options in the order of the file, with their variables as written.

    Raises WrongUsage with all problems, one a line: lines that are no option, unset variables, options that only the
    suite may set, and missing options that the suite needs.
    """
    options: dict[str, str] = {}
    problems: list[str] = []
    for number, line in enumerate(map(str.strip, text.splitlines()), start=1):
        if not line or line.startswith("#"):
            continue
        option = _OPTION.fullmatch(line)
        if option is None:
            problems.append(f"line {number} is not an option such as --file-num=64: {line}")
        elif option["name"] in options:
            problems.append(f"line {number} repeats --{option['name']}")
        else:
            options[option["name"]] = line
            problems += _option_problems(option["name"], option["value"] or "")
    problems += _lacking(options)
    if problems:
        raise WrongUsage("\n".join(problems))
    return tuple(options.values())


def _option_problems(name: str, value: str) -> Iterator[str]:
    unknown = sorted(set(re.findall(r"\$\{([^{}]*)\}", value)) - set(VARIABLES))
    if unknown:
        available = " and ".join(f"${{{variable}}}" for variable in VARIABLES)
        yield f"unset variables: {', '.join(unknown)}; the suite sets {available}"
    if name in _REJECTED_OPTIONS:
        yield f"leave out --{name}: {_REJECTED_OPTIONS[name]}"
    if name in _ENDLESS and value != "0":
        yield f"--{name} must be 0: any other value ends the load early"


def _lacking(options: dict[str, str]) -> Iterator[str]:
    for name, (value, why) in _REQUIRED_VALUES.items():
        if options.get(name) != f"--{name}={value}":
            yield f"it must hold --{name}={value}: {why}"
    if "file-test-mode" not in options:
        yield "it lacks --file-test-mode: sysbench requires it; set, for instance, --file-test-mode=rndrw"

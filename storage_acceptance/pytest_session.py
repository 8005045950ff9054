"""pytest, set up as the suite needs it, in the folder that the user is in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

INSTALLED = find_spec("storage_acceptance.fixtures") is not None
"""whether this is the wheel, where tests and plugins are beneath this package; beside it in the repository"""
TESTS, PLUGINS = (
    ("storage_acceptance.tests", "storage_acceptance.fixtures.plugins") if INSTALLED else ("tests", "fixtures.plugins")
)
# As in tox.ini; the user's own ini file is read too, and what the user says comes later, which counts.
SETTINGS = {
    "empty_parameter_set_mark": "fail_at_collect",
    "xfail_strict": "true",
    "testpaths": TESTS,
}
# pytest would rewrite the assertions of every module of an installed plugin, this one too, which has none.
QUIET = "ignore:Module already imported so cannot be rewritten:pytest.PytestAssertRewriteWarning"


def run_tests(words: Sequence[str], *, plugins: Iterable[object] = (), usage: str = "") -> int:
    """Run the tests that are named among the words, or those that come with the suite; pytest's exit status.

    `usage`: the first line of the help.
    """
    if {"-h", "--help"} & set(words):
        print(f"{usage}\n\n{options_help()}".lstrip())
        return 0
    # Last, so that it holds also where the user turns warnings into errors.
    return int(pytest.main([*_own_words(), *map(_as_module, words), "-W", QUIET], plugins=list(plugins)))


def _own_words() -> Iterator[str]:
    yield from ("-p", PLUGINS, "--strict-markers", "-rfE", "--pyargs", f"--rootdir={Path.cwd()}")
    for name, value in SETTINGS.items():
        yield from ("-o", f"{name}={value}")


def _as_module(word: str) -> str:
    """A shipped test by the name that reports have for it, which is no path here: as pytest finds it."""
    found = re.fullmatch(r"tests/(test_\w+)\.py(::.*)?", word, re.DOTALL)
    if found is None or Path(word.partition("::")[0]).exists():
        return word
    return f"{TESTS}.{found[1]}{found[2] or ''}"


def options_help() -> str:
    """The suite's options; pytest's own are told by pytest."""
    from rich.console import Console
    from rich.table import Table

    from acceptance.settings.offered import HEADINGS
    from acceptance.settings.option import Group

    table = Table.grid(padding=(0, 2))
    for heading, offered in HEADINGS.items():
        table.add_row(f"\n{heading}")
        for each in offered:
            if isinstance(each, Group):
                table.add_row(f"{each.words[0]} {each.metavar}", f"{each.help}; repeatable")
                for told in each.described_parts:
                    table.add_row("", told)
            else:
                table.add_row(each.words[0] + (f"={each.metavar}" if each.metavar else ""), each.described)
    console = Console(highlight=False, markup=False)
    with console.capture() as captured:
        console.print(table)
    return (
        f"{captured.get()}\n"
        "Each option is also an environment variable (STORAGE_CLASS) and an ini key (storage_class). All options of\n"
        "pytest hold too, such as -k EXPRESSION, -m MARK, -x, --collect-only: `pytest --help` lists them."
    )

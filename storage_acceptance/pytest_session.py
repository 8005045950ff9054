"""pytest, set up as the suite needs it, in the user's current folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

IN_WHEEL = find_spec("storage_acceptance.fixtures") is not None
"""True in the wheel, which has tests and plugins below this package; the repository has them next to it."""
TESTS, PLUGINS = (
    ("storage_acceptance.tests", "storage_acceptance.fixtures.plugins") if IN_WHEEL else ("tests", "fixtures.plugins")
)
# As in tox.ini; the user's own ini file is read too, and the user's options come later, which decides.
SETTINGS = {
    "empty_parameter_set_mark": "fail_at_collect",
    "xfail_strict": "true",
    "testpaths": TESTS,
}
# pytest would rewrite the assertions of every module of an installed plugin, also of this one, which has none.
QUIET = "ignore:Module already imported so cannot be rewritten:pytest.PytestAssertRewriteWarning"


def run_tests(words: Sequence[str], *, plugins: Iterable[object] = (), usage: str = "") -> int:
    """Run the tests that are named among the words, or those that come with the suite; return pytest's exit status.

    `usage`: the first line of the help.
    """
    if {"-h", "--help"} & set(words):
        print(f"{usage}\n\n{options_help()}".lstrip())
        return 0
    # An object, and not `-p`: pytest then registers it before it reads an ini file, which may request another copy.
    objects = [import_module(PLUGINS), *plugins]
    # Last, so that it holds also if the user turns warnings into errors.
    return int(pytest.main([*_own_words(), *map(_as_module, words), "-W", QUIET], plugins=objects))


def _own_words() -> Iterator[str]:
    yield from ("--strict-markers", "-rfE", "--pyargs", f"--rootdir={Path.cwd()}")
    for name, value in SETTINGS.items():
        yield from ("-o", f"{name}={value}")


def _as_module(word: str) -> str:
    """Return the module of a shipped test, because the name that reports have for it is no path here."""
    match = re.fullmatch(r"tests/(test_\w+)\.py(::.*)?", word, re.DOTALL)
    if match is None or Path(word.partition("::")[0]).exists():
        return word
    return f"{TESTS}.{match[1]}{match[2] or ''}"


def options_help() -> str:
    """Return the help of the suite's options; pytest describes its own."""
    from rich.console import Console
    from rich.table import Table

    from acceptance.settings.offered import HEADINGS
    from acceptance.settings.option import Group

    table = Table.grid(padding=(0, 2))
    for heading, options in HEADINGS.items():
        table.add_row(f"\n{heading}")
        for option in options:
            if isinstance(option, Group):
                table.add_row(f"{option.words[0]} {option.metavar}", f"{option.help}; repeatable")
                for description in option.part_descriptions:
                    table.add_row("", description)
            else:
                table.add_row(option.words[0] + (f"={option.metavar}" if option.metavar else ""), option.description)
    console = Console(highlight=False, markup=False)
    with console.capture() as capture:
        console.print(table)
    return (
        f"{capture.get()}\n"
        "Each option is also an environment variable (STORAGE_CLASS) and an ini key (storage_class). All options of\n"
        "pytest work too, such as -k EXPRESSION, -m MARK, -x, --collect-only: `pytest --help` lists them."
    )

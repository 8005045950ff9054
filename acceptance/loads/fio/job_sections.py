"""Sections and options of a fio job file, split as fio itself splits them.

fio ends each line at the first `;` or `#`, at any place, and has neither quotes nor escapes. A section whose name
begins with `global` holds defaults for the sections after it. If an option is given twice, the last value counts.
Source: `__parse_jobs_ini` (init.c) and `strip_blank_end` (parse.c) of fio, tried with fio 3.33.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from acceptance.loads.profiles import VARIABLES

_COMMENT = re.compile("[;#]")
# The characters of isspace() and iscntrl(), which fio strips.
_BLANK = "".join(map(chr, range(33))) + "\x7f"
_OPTION = re.compile(r"(?P<name>[^\s=\[]+)\s*(=\s*(?P<value>.*))?", re.DOTALL)
_INCLUDE = "include"
# Releases of fio before 3.20 take the rest of a longer line for another line, also in a comment.
LONGEST_LINE = 4000


@dataclass(frozen=True, kw_only=True)
class Problem:
    """A problem of a job file. `line` counts from 1; None if something is missing."""

    text: str
    line: int | None = None


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option of a section. `value` is None if there is no `=`."""

    name: str
    value: str | None
    line: int

    @property
    def is_set(self) -> bool:
        """True if a flag such as `time_based` is on: its name alone is enough."""
        return self.value != "0"

    @property
    def unset_variables(self) -> list[str]:
        """The variables in the value that nothing would set."""
        return [name for name in re.findall(r"\$\{([^}]*)\}", self.value or "") if name not in VARIABLES]


@dataclass(frozen=True, kw_only=True)
class Section:
    """A section, with the options that it holds itself."""

    name: str
    options: tuple[Option, ...]

    @property
    def is_global(self) -> bool:
        """True if the section only holds defaults."""
        return self.name.startswith("global")


@dataclass(frozen=True, kw_only=True)
class Job:
    """A section that loads. `options` are all that apply to it, in the order in which fio takes them."""

    name: str
    options: tuple[Option, ...]

    def last(self, *names: str) -> Option | None:
        """Return the last option of these names, which is the one that counts; None if there is none."""
        return next((option for option in reversed(self.options) if option.name in names), None)

    def value(self, *names: str, default: str = "") -> str:
        """Return the value of the option that `last` returns."""
        option = self.last(*names)
        return default if option is None or option.value is None else option.value

    def has_flag(self, name: str) -> bool:
        """Return whether a flag such as `time_based` is on."""
        option = self.last(name)
        return option is not None and option.is_set


def read_sections(text: str) -> tuple[list[Section], list[Problem]]:
    """Return all sections in their order, and the problems of lines that no job file may hold."""
    sections: list[Section] = []
    problems: list[Problem] = []
    for number, line in _lines(text):
        if problem := _unreadable(line, in_a_section=bool(sections)):
            problems.append(Problem(text=problem, line=number))
        elif line.startswith("["):
            sections.append(Section(name=line[1:-1], options=()))
        elif match := _OPTION.fullmatch(line):
            option = Option(name=match["name"], value=match["value"], line=number)
            last = sections.pop()
            sections.append(Section(name=last.name, options=(*last.options, option)))
    return sections, problems


def jobs_of(sections: Collection[Section]) -> list[Job]:
    """Return the sections that load, each with the defaults before it."""
    defaults: tuple[Option, ...] = ()
    jobs: list[Job] = []
    for section in sections:
        if section.is_global:
            defaults += section.options
        else:
            jobs.append(Job(name=section.name, options=defaults + section.options))
    return jobs


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield each line that is neither empty nor a comment to fio, by number; a line that is too long unchanged."""
    for number, line in enumerate(text.split("\n"), start=1):
        content = line if len(line.encode()) > LONGEST_LINE else _COMMENT.split(line, maxsplit=1)[0].strip(_BLANK)
        if content:
            yield number, content


def _unreadable(line: str, *, in_a_section: bool) -> str | None:
    if len(line.encode()) > LONGEST_LINE:
        return f"expected lines of at most {LONGEST_LINE} bytes, found {len(line.encode())}; shorten the line"
    if line.startswith(_INCLUDE):
        return (
            "expected all options in the file itself, found include, which is not supported: the suite does not see "
            "what it adds; put the lines of that file in its place"
        )
    is_section = line.startswith("[")
    section = is_section and line.endswith("]") and len(line) > 2
    option = not is_section and in_a_section and _OPTION.fullmatch(line) is not None
    if "\0" in line or not (section or option):
        return f"not a fio job file: expected a section, and options in it, found {line!r}"
    return None

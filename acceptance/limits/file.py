"""Reads the file of limits, strictly: all that is wrong with it is said at once, with file, line and path."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from acceptance.limits.inheritance import impossible, inherited
from acceptance.limits.references import Found, reference_problems
from acceptance.limits.schema import FileEntry
from acceptance.limits.tiers import LimitsFile
from acceptance.limits.values import METRIC
from acceptance.text.errors import WrongUsage
from acceptance.text.strict_yaml import Document, Problem, load

# Of thresholds.yaml as it comes with this version: who changes it on purpose changes this as well.
SHIPPED_SHA256 = "18ccb0dc5df2f6e0b753eb1ffe093b213e955715e4d3fdaf503d3c055d2766f9"

_TYPES = {
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "string_type": "text",
    "too_short": "at least one tier",
}


def load_limits(path: Path, *, profiles: Collection[str]) -> LimitsFile:
    """The limits in the file at `path`; `profiles` are the names of those that exist.

    Raises WrongUsage with one line for each thing that is wrong: `file:line: path: wanted ..., found ...; do ...`.
    """
    try:
        document = load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUsage(f"{path}: wanted a readable file of limits, found: {error}; name another file") from error
    problems = list(document.problems)
    entry = _entry(document, problems, profiles=profiles)
    if entry is not None:
        found = {name: inherited(name, entry.tiers) for name in entry.tiers}
        tiers = {name: tier for name, (tier, _) in found.items()}
        problems += _at_lines(document, [each for tier, of in found.values() for each in impossible(tier, of)])
        if not problems:
            return LimitsFile(source=str(path), tiers=tiers)
    raise WrongUsage(_report(path, problems))


def digest_of(text: str) -> str:
    """The SHA-256 of a limits file, in hexadecimal: what tells it from others of the same name."""
    return hashlib.sha256(text.encode()).hexdigest()


def _entry(document: Document, problems: list[Problem], *, profiles: Collection[str]) -> FileEntry | None:
    """The checked file, or None after adding to `problems` what keeps its tiers from being put together."""
    if document.data is None and problems:  # not even YAML
        return None
    found = list(reference_problems(document.data, profiles=profiles))
    try:
        entry = FileEntry.model_validate(document.data)
    except ValidationError as error:
        found += [_say(details) for details in error.errors()]
    problems += _at_lines(document, found)
    return None if found else entry


def _at_lines(document: Document, found: Iterable[Found]) -> list[Problem]:
    return [Problem(line=document.line_of(path), path=path, text=text) for path, text in found]


def _report(path: Path, problems: Iterable[Problem]) -> str:
    """All problems, in the order of the file, each once."""
    told = sorted({(problem.line, ".".join(map(str, problem.path)), problem.text) for problem in problems})
    return "\n".join(f"{path}:{line}: {where}{': ' if where else ''}{text}" for line, where, text in told)


def _say(details: ErrorDetails) -> Found:
    """One of pydantic's errors in our words."""
    where = tuple(part for part in details["loc"] if part not in (METRIC, "[key]"))
    kind, value = details["type"], details["input"]
    if kind == "missing":
        return where, "wanted this key, found nothing; add it"
    if kind == "extra_forbidden":
        return where, "wanted only keys that are known here, found this one; correct or remove it"
    if kind == "value_error":
        return where, f"{details['ctx']['error']}; correct it"
    wanted = _TYPES.get(kind, details["msg"])
    if kind == "literal_error":
        wanted = "1, the only version there is" if where == ("version",) else details["ctx"]["expected"]
    shown = "nothing" if value is None or value == {} else repr(value)
    return where, f"wanted {wanted}, found {shown}; correct it"

"""Reads the file of limits, strictly: all that is wrong with it is said at once, with file, line and path."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from acceptance.limits.inheritance import impossible, inherited
from acceptance.limits.references import Found, reference_problems
from acceptance.limits.schema import FileEntry
from acceptance.limits.tiers import LimitsFile
from acceptance.limits.values import METRIC
from acceptance.text.errors import WrongUsage
from acceptance.text.strict_yaml import Document, Problem, load

BUILTIN = "builtin/"
"""What the names of shipped tiers begin with in files that extend them."""
_TYPES = {
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "string_type": "text",
    "too_short": "at least one tier",
}


def load_limits(path: Path, *, profiles: Collection[str], shipped: Path | None = None) -> LimitsFile:
    """The limits in the file at `path`; `profiles` are the names of those that exist.

    Its tiers may extend those of the file `shipped` (`extends: builtin/production`).

    Raises WrongUsage with one line for each thing that is wrong: `file:line: path: wanted ..., found ...; do ...`.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUsage(f"{path}: wanted a readable file of limits, found: {error}; name another file") from error
    document = load(text)
    problems = list(document.problems)
    builtin = _builtin(shipped) if shipped is not None and BUILTIN in text else {}
    entry = _entry(document, problems, profiles=profiles, builtin=builtin)
    if entry is not None:
        own = [name for name in entry.tiers if not name.startswith(BUILTIN)]
        found = {name: inherited(name, entry.tiers) for name in own}
        tiers = {name: tier for name, (tier, _) in found.items()}
        problems += _at_lines(document, [each for tier, of in found.values() for each in impossible(tier, of)])
        if not problems:
            return LimitsFile(source=str(path), tiers=tiers)
    raise WrongUsage(_report(path, problems))


def _builtin(shipped: Path) -> dict[str, Any]:
    """The tiers of the file that comes with the suite, under the names by which others extend them."""
    data: Any = load(shipped.read_text(encoding="utf-8")).data
    tiers: dict[str, Any] = data["tiers"]
    parents = {
        name: {"extends": BUILTIN + tier["extends"]} if "extends" in tier else {} for name, tier in tiers.items()
    }
    return {BUILTIN + name: tier | parents[name] for name, tier in tiers.items()}


def _entry(
    document: Document, problems: list[Problem], *, profiles: Collection[str], builtin: dict[str, Any]
) -> FileEntry | None:
    """The checked file, or None after adding to `problems` what keeps its tiers from being put together."""
    if document.data is None and problems:  # not even YAML
        return None
    data: Any = document.data
    found: list[Found] = []
    if isinstance(data, dict) and isinstance(data.get("tiers"), dict):
        kept = f"wanted a name that does not begin with {BUILTIN}, which is kept for the shipped tiers; rename it"
        found += [(("tiers", name), kept) for name in data["tiers"] if name.startswith(BUILTIN)]
        data = data | {"tiers": builtin | data["tiers"]}
    found += reference_problems(data, profiles=profiles)
    try:
        entry = FileEntry.model_validate(data)
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

"""Reads files of limits, strictly: all that is wrong with them is said at once, with file, line and path."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from acceptance.limits.inheritance import impossible, inherited
from acceptance.limits.merging import LimitsText, Merged, Place, merge
from acceptance.limits.reasons import with_reasons
from acceptance.limits.references import Found, reference_problems
from acceptance.limits.reported import Missing, never_reported, nothing_missing
from acceptance.limits.schema import FileEntry, FileHead
from acceptance.limits.shipped import shipped_profiles
from acceptance.limits.tiers import LimitsFile, Source
from acceptance.limits.values import METRIC
from acceptance.text.errors import WrongUsage
from acceptance.text.strict_yaml import Document, load

BUILTIN = "builtin/"
"""What the names of shipped tiers begin with in files that extend them."""
_TYPES = {
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "string_type": "text",
    "too_short": "at least one tier",
}
_Wrong = tuple[Place, str]


def load_limits(
    paths: Path | Sequence[Path],
    *,
    profiles: Collection[str],
    shipped: Path | None = None,
    missing: Missing = nothing_missing,
) -> LimitsFile:
    """The limits in the files at `paths`, taken together; `profiles` are the names of those that exist.

    `missing` knows the metrics that each of them never reports: limits on these are refused.

    Their tiers may extend those of the file `shipped` (`extends: builtin/production`). Families of profiles in that
    file are of the shipped profiles alone, so that a profile of one's own changes nothing of what it asks for.

    Raises WrongUsage with one line for each thing that is wrong: `file:line: path: wanted ..., found ...; do ...`.
    """
    named = [paths] if isinstance(paths, Path) else list(paths)
    texts = [_read(path, profiles=_of(path, profiles, shipped=shipped)) for path in named]
    problems = [
        (Place(file=text.name, line=problem.line, path=problem.path), problem.text)
        for text in texts
        for problem in text.document.problems
    ]
    problems += [each for text in texts for each in _wrong_as_a_file(text, alone=len(texts) == 1)]
    readable = [text for text in texts if text.document.data is not None or not text.document.problems]
    if readable:
        builtin = [] if shipped is None or not any(map(_extends_builtin, texts)) else [_builtin(shipped)]
        merged = merge([*builtin, *readable])
        problems += merged.problems
        entry = _entry(merged, readable, problems, profiles=profiles)
        if entry is not None:
            own = [name for name in entry.tiers if not name.startswith(BUILTIN)]
            found = {name: inherited(name, entry.tiers) for name in own}
            tiers = {name: tier for name, (tier, _) in found.items()}
            for tier, of in found.values():
                problems += _at_places(merged, [*impossible(tier, of), *never_reported(tier, of, missing)])
            if not problems:
                sources = {key: Source(about=each.about, address=each.address) for key, each in entry.sources.items()}
                origins = {name: of for name, (_, of) in found.items()}
                return LimitsFile(source=", ".join(map(str, named)), tiers=tiers, sources=sources, origins=origins)
    raise WrongUsage(_report(problems, order=[text.name for text in texts]))


def _read(path: Path, *, profiles: Collection[str]) -> LimitsText:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUsage(f"{path}: wanted a readable file of limits, found: {error}; name another file") from error
    return LimitsText(name=str(path), document=load(text), profiles=profiles)


def _of(path: Path, profiles: Collection[str], *, shipped: Path | None) -> Collection[str]:
    """The profiles that families in this file can be of."""
    if shipped is not None and path.exists() and path.samefile(shipped):
        return [profile for profile in profiles if profile in shipped_profiles()]
    return profiles


def _extends_builtin(text: LimitsText) -> bool:
    data: Any = text.document.data
    tiers = data.get("tiers") if isinstance(data, dict) else None
    found = (
        [tier.get("extends") for tier in tiers.values() if isinstance(tier, dict)] if isinstance(tiers, dict) else []
    )
    return any(isinstance(each, str) and each.startswith(BUILTIN) for each in found)


def _builtin(shipped: Path) -> LimitsText:
    """The file that comes with the suite, with its tiers under the names by which others extend them."""
    document = load(shipped.read_text(encoding="utf-8"))
    data: Any = document.data
    tiers: dict[str, Any] = data["tiers"]
    parents = {
        name: {"extends": BUILTIN + tier["extends"]} if "extends" in tier else {} for name, tier in tiers.items()
    }
    renamed = {BUILTIN + name: tier | parents[name] for name, tier in tiers.items()}
    lines = {
        ("tiers", f"{BUILTIN}{path[1]}", *path[2:]) if path[:1] == ("tiers",) and len(path) > 1 else path: line
        for path, line in document.lines.items()
    }
    return LimitsText(
        name=str(shipped),
        document=Document(data=data | {"tiers": renamed}, problems=document.problems, lines=lines),
        profiles=shipped_profiles(),
    )


def _wrong_as_a_file(text: LimitsText, *, alone: bool) -> Iterator[_Wrong]:
    """What must hold for each of several files, and for names in any."""
    data: Any = text.document.data
    if not isinstance(data, dict):
        return
    if not alone and "version" not in data:
        yield Place(file=text.name, line=1, path=("version",)), "wanted this key, found nothing; add it"
    kept = f"wanted a name that does not begin with {BUILTIN}, which is kept for the shipped tiers; rename it"
    for name in data["tiers"] if isinstance(data.get("tiers"), dict) else ():
        if name.startswith(BUILTIN):
            path = ("tiers", name)
            yield Place(file=text.name, line=text.document.line_of(path), path=path), kept


def _entry(
    merged: Merged, texts: Sequence[LimitsText], problems: list[_Wrong], *, profiles: Collection[str]
) -> FileHead | None:
    """The checked whole, or None after adding to `problems` what keeps its tiers from being put together."""
    for text in texts:
        if not isinstance(text.document.data, dict):
            place = Place(file=text.name, line=1, path=())
            problems += [(place, said) for _, said in _validated(text.document.data)[1]]
            return None
    data, found = with_reasons(merged.data)
    found += reference_problems(data, profiles=profiles)
    entry, wrong = _validated(data)
    problems += _at_places(merged, [*found, *wrong])
    return entry if not found and not wrong else None


def _validated(data: Any) -> tuple[FileHead | None, list[Found]]:
    try:
        return FileEntry.model_validate(data), []
    except ValidationError as error:
        return None, [_say(details) for details in error.errors()]


def _at_places(merged: Merged, found: Iterable[Found]) -> list[_Wrong]:
    return [(merged.place_of(path), text) for path, text in found]


def _report(problems: Iterable[_Wrong], *, order: Sequence[str]) -> str:
    """All problems, in the order of the files, each once."""
    ranks = {name: rank for rank, name in enumerate(order)}
    told = sorted(
        {(ranks.get(at.file, -1), at.file, at.line, ".".join(map(str, at.path)), text) for at, text in problems}
    )
    return "\n".join(f"{file}:{line}: {where}{': ' if where else ''}{text}" for _, file, line, where, text in told)


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

"""The strict reader of files of limits: it reports all errors together, with file, line and path."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from acceptance.limits.inheritance import impossible, resolve_tier
from acceptance.limits.merging import LimitsText, MergedLimits, Place, merge
from acceptance.limits.reasons import with_reasons
from acceptance.limits.references import PathProblem, reference_problems
from acceptance.limits.reported import Missing, nothing_missing, unreported_limits
from acceptance.limits.schema import FileEntry, FileHead
from acceptance.limits.shipped import shipped_profiles
from acceptance.limits.tiers import LimitsFile, Source
from acceptance.limits.values import METRIC
from acceptance.text.errors import WrongUsage
from acceptance.text.strict_yaml import Document, load

BUILTIN = "builtin/"
"""The prefix of the names of shipped tiers in files that extend them."""
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
    shipped_path: Path | None = None,
    missing: Missing = nothing_missing,
) -> LimitsFile:
    """Return the limits in the files at `paths`, taken together; `profiles`: the names of those that exist.

    `missing` knows the metrics that a profile never reports: limits on these are refused.

    Their tiers may extend those of the file at `shipped_path` (`extends: builtin/production`). Families of profiles in
    that file contain the shipped profiles alone, so that your own profile does not change its limits.

    Raise WrongUsage with one line for each error: `file:line: path: expected ..., found ...; do ...`.
    """
    path_list = [paths] if isinstance(paths, Path) else list(paths)
    texts = [_read(path, profiles=_of(path, profiles, shipped_path=shipped_path)) for path in path_list]
    problems = [
        (Place(file=text.name, line=problem.line, path=problem.path), problem.text)
        for text in texts
        for problem in text.document.problems
    ]
    problems += [problem for text in texts for problem in _wrong_as_a_file(text, alone=len(texts) == 1)]
    readable = [text for text in texts if text.document.data is not None or not text.document.problems]
    if readable:
        builtin = [] if shipped_path is None or not any(map(_extends_builtin, texts)) else [_builtin(shipped_path)]
        merged_limits = merge([*builtin, *readable])
        problems += merged_limits.problems
        entry = _entry(merged_limits, readable, problems, profiles=profiles)
        if entry is not None:
            own = [name for name in entry.tiers if not name.startswith(BUILTIN)]
            tiers_and_origins = {name: resolve_tier(name, entry.tiers) for name in own}
            tiers = {name: tier for name, (tier, _) in tiers_and_origins.items()}
            for tier, of in tiers_and_origins.values():
                problems += _at_places(merged_limits, [*impossible(tier, of), *unreported_limits(tier, of, missing)])
            if not problems:
                sources = {
                    key: Source(about=source.about, address=source.address) for key, source in entry.sources.items()
                }
                origins = {name: of for name, (_, of) in tiers_and_origins.items()}
                return LimitsFile(source=", ".join(map(str, path_list)), tiers=tiers, sources=sources, origins=origins)
    raise WrongUsage(_report(problems, order=[text.name for text in texts]))


def _read(path: Path, *, profiles: Collection[str]) -> LimitsText:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUsage(f"{path}: expected a readable file of limits, found: {error}; name another file") from error
    return LimitsText(name=str(path), document=load(text), profiles=profiles)


def _of(path: Path, profiles: Collection[str], *, shipped_path: Path | None) -> Collection[str]:
    """Return the profiles that families in this file can contain."""
    if shipped_path is not None and path.exists() and path.samefile(shipped_path):
        return [profile for profile in profiles if profile in shipped_profiles()]
    return profiles


def _extends_builtin(text: LimitsText) -> bool:
    data: Any = text.document.data
    tiers = data.get("tiers") if isinstance(data, dict) else None
    parents = (
        [tier.get("extends") for tier in tiers.values() if isinstance(tier, dict)] if isinstance(tiers, dict) else []
    )
    return any(isinstance(parent, str) and parent.startswith(BUILTIN) for parent in parents)


def _builtin(shipped_path: Path) -> LimitsText:
    """Return the file that comes with the suite, with its tiers under the names that other files extend."""
    document = load(shipped_path.read_text(encoding="utf-8"))
    data: Any = document.data
    tiers: dict[str, Any] = data["tiers"]
    parents = {
        name: {"extends": BUILTIN + tier["extends"]} if "extends" in tier else {} for name, tier in tiers.items()
    }
    builtin_tiers = {BUILTIN + name: tier | parents[name] for name, tier in tiers.items()}
    lines = {
        ("tiers", f"{BUILTIN}{path[1]}", *path[2:]) if path[:1] == ("tiers",) and len(path) > 1 else path: line
        for path, line in document.lines.items()
    }
    return LimitsText(
        name=str(shipped_path),
        document=Document(data=data | {"tiers": builtin_tiers}, problems=document.problems, lines=lines),
        profiles=shipped_profiles(),
    )


def _wrong_as_a_file(text: LimitsText, *, alone: bool) -> Iterator[_Wrong]:
    """Yield the errors of a file by itself: its version if there are several files, and the names of its tiers."""
    data: Any = text.document.data
    if not isinstance(data, dict):
        return
    if not alone and "version" not in data:
        yield Place(file=text.name, line=1, path=("version",)), "expected this key, found nothing; add it"
    problem = f"expected a name that does not begin with {BUILTIN}, which is reserved for shipped tiers; rename it"
    for name in data["tiers"] if isinstance(data.get("tiers"), dict) else ():
        if name.startswith(BUILTIN):
            path = ("tiers", name)
            yield Place(file=text.name, line=text.document.line_of(path), path=path), problem


def _entry(
    merged_limits: MergedLimits, texts: Sequence[LimitsText], problems: list[_Wrong], *, profiles: Collection[str]
) -> FileHead | None:
    """Return the validated document, or None after adding its errors to `problems`."""
    for text in texts:
        if not isinstance(text.document.data, dict):
            place = Place(file=text.name, line=1, path=())
            problems += [(place, message) for _, message in _validate(text.document.data)[1]]
            return None
    data, path_problems = with_reasons(merged_limits.data)
    path_problems += reference_problems(data, profiles=profiles)
    entry, wrong = _validate(data)
    problems += _at_places(merged_limits, [*path_problems, *wrong])
    return entry if not path_problems and not wrong else None


def _validate(data: Any) -> tuple[FileHead | None, list[PathProblem]]:
    try:
        return FileEntry.model_validate(data), []
    except ValidationError as error:
        return None, [_say(details) for details in error.errors()]


def _at_places(merged_limits: MergedLimits, path_problems: Iterable[PathProblem]) -> list[_Wrong]:
    return [(merged_limits.place_of(path), text) for path, text in path_problems]


def _report(problems: Iterable[_Wrong], *, order: Sequence[str]) -> str:
    """Return all problems, in the order of the files, each once."""
    ranks = {name: rank for rank, name in enumerate(order)}
    rows = sorted(
        {(ranks.get(at.file, -1), at.file, at.line, ".".join(map(str, at.path)), text) for at, text in problems}
    )
    return "\n".join(f"{file}:{line}: {where}{': ' if where else ''}{text}" for _, file, line, where, text in rows)


def _say(details: ErrorDetails) -> PathProblem:
    """Return one of pydantic's errors in the words of the suite."""
    where = tuple(part for part in details["loc"] if part not in (METRIC, "[key]"))
    kind, value = details["type"], details["input"]
    if kind == "missing":
        return where, "expected this key, found nothing; add it"
    if kind == "extra_forbidden":
        return where, "expected only keys that are known here, found this one; correct or remove it"
    if kind == "value_error":
        return where, f"{details['ctx']['error']}; correct it"
    expected = _TYPES.get(kind, details["msg"])
    if kind == "literal_error":
        expected = "1, the only version" if where == ("version",) else details["ctx"]["expected"]
    value_text = "nothing" if value is None or value == {} else repr(value)
    return where, f"expected {expected}, found {value_text}; correct it"

"""Files of a user's own, read as strictly as the limits: all that is wrong is told at once, each with its line."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from acceptance.text.errors import WrongUsage
from acceptance.text.strict_yaml import load

Model = TypeVar("Model", bound=BaseModel)


def say(error: Any) -> str:
    """One of pydantic's errors: what was wanted, what was found, what to do."""
    if error["type"] == "missing":
        return "wanted this key, found nothing; add it"
    if error["type"] == "extra_forbidden":
        return "wanted only keys that are known here, found this one; correct or remove it"
    found = "" if error["type"] == "value_error" else f", found {error['input']!r}"
    return str(error["msg"]).removeprefix("Value error, ") + found


def read_strict(
    path: Path,
    model: type[Model],
    *,
    wanted: str,
    told: Callable[[Any], str] = say,
    not_keys: Collection[str] = (),
    title: str | None = None,
) -> Model:
    """What the YAML file says, as the model.

    `wanted` begins the message where it cannot be read, and `title`, if any, is the line above what is wrong with it;
    `not_keys` are parts of pydantic's paths that stand for no key of the file, as the choice of a union. Raises
    WrongUsage with all that is wrong.
    """
    try:
        document = load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUsage(f"{wanted}, found: {error}") from error
    problems = [(problem.line, problem.path, problem.text) for problem in document.problems]
    found = None
    if document.data is not None or not problems:
        try:
            found = model.model_validate(document.data)
        except ValidationError as error:
            for each in error.errors():
                where = tuple(part for part in each["loc"] if part not in not_keys)
                problems.append((document.line_of(where), where, told(each)))
    if problems or found is None:
        lines = sorted((line, ".".join(map(str, where)), text) for line, where, text in problems)
        told_of = [f"{path}:{line}: {where}{': ' if where else ''}{text}" for line, where, text in lines]
        raise WrongUsage("\n".join(told_of if title is None else [title, *told_of]))
    return found

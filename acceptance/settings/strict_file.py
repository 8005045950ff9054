"""Users' own files, read as strictly as the limits: all problems are reported together, each with its line."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from acceptance.text.errors import WrongUsage
from acceptance.text.strict_yaml import load

Model = TypeVar("Model", bound=BaseModel)


def say(error: Any) -> str:
    """Return one of pydantic's errors in words: what was expected, what was found, what to do."""
    if error["type"] == "missing":
        return "expected this key, found nothing; add it"
    if error["type"] == "extra_forbidden":
        return "expected only keys that are known here, found this one; correct or remove it"
    found_text = "" if error["type"] == "value_error" else f", found {error['input']!r}"
    return str(error["msg"]).removeprefix("Value error, ") + found_text


def read_strict(
    path: Path,
    model: type[Model],
    *,
    expectation: str,
    describe: Callable[[Any], str] = say,
    not_keys: Collection[str] = (),
    title: str | None = None,
) -> Model:
    """Return the content of the YAML file, as the model.

    `expectation` begins the message if the file cannot be read; `title`, if any, is the line above its problems.
    `describe` returns a problem in words. `not_keys` are parts of pydantic's paths that are not keys of the file, such
    as the choice of a union. Raises WrongUsage with all problems.
    """
    try:
        document = load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUsage(f"{expectation}, found: {error}") from error
    problems = [(problem.line, problem.path, problem.text) for problem in document.problems]
    content = None
    if document.data is not None or not problems:
        try:
            content = model.model_validate(document.data)
        except ValidationError as error:
            for detail in error.errors():
                where = tuple(part for part in detail["loc"] if part not in not_keys)
                problems.append((document.line_of(where), where, describe(detail)))
    if problems or content is None:
        lines = sorted((line, ".".join(map(str, where)), text) for line, where, text in problems)
        messages = [f"{path}:{line}: {where}{': ' if where else ''}{text}" for line, where, text in lines]
        raise WrongUsage("\n".join(messages if title is None else [title, *messages]))
    return content

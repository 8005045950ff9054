"""Reads `results.json` of this suite or an older one, complete or from a killed run, including untrusted files."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from pydantic import ValidationError

from acceptance import __version__
from acceptance.results import version_1, version_2
from acceptance.results.document import Results
from acceptance.text.errors import WrongUsage
from acceptance.text.sanitizing import sanitize_values

NAME = "results.json"
LARGEST_B = 512 * 1024**2
"""The maximum size in bytes; a day of load on many volumes writes a tenth of it."""
_READS = Results.model_fields["schema_version"].default
_MOST_TOLD = 3
# An exabyte in bytes has 19 digits; a longer number is no figure of a run, and does not fit into a float either.
_MOST_DIGITS = 20


def read_results(path: Path) -> Results:
    """Return the results in the file at `path`, or in the run folder at `path`, with texts that are safe to display.

    Raises WrongUsage if it is no such file; the message says what was expected, what was found and what to do.
    """
    path = path / NAME if path.is_dir() else path
    try:
        if path.stat().st_size > LARGEST_B:
            raise WrongUsage(
                f"{path}: expected the {NAME} of a run, found {path.stat().st_size} bytes, more than any run writes "
                f"({LARGEST_B}); get the file that the run wrote"
            )
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise WrongUsage(
            f"{path}: expected the {NAME} of a run, found no such file; name one, or a run's folder"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUsage(f"{path}: expected a readable {NAME}, found: {error}; name another file") from error
    try:
        data = _data(text, path)
        _check_version(data, path)
        results = Results.model_validate(sanitize_values(version_2.upgrade(version_1.upgrade(data))))
    except RecursionError:
        raise WrongUsage(
            f"{path}: expected the {NAME} of a run, found brackets nested deeper than any run writes; get the file "
            "that the run wrote"
        ) from None
    except ValidationError as error:
        raise WrongUsage(_problems(error, data, path)) from None
    if problem := next(_impossible(results), None):
        raise WrongUsage(f"{path}: {problem}; it was changed after the run: get the file that the run wrote")
    return results.model_copy(update={"verdicts": [version_1.with_subject(verdict) for verdict in results.verdicts]})


def _data(text: str, path: Path) -> dict[str, Any]:
    """Return the document as plain data. Refuse numbers that are not finite, because they cannot be compared."""
    if not text.strip():
        raise WrongUsage(f"{path}: expected the {NAME} of a run, found an empty file; get it from the run again")
    try:
        data = json.loads(text, parse_constant=_no_number, parse_float=_finite, parse_int=_small)
    except json.JSONDecodeError as error:
        cut = not text.rstrip().endswith("}")
        shape = "a truncated one" if cut and text.lstrip().startswith("{") else "no JSON"
        raise WrongUsage(
            f"{path}:{error.lineno}: expected the {NAME} of a run, found {shape} ({error.msg}); "
            "get the complete file again"
        ) from None
    except (ValueError, RecursionError) as error:
        raise WrongUsage(f"{path}: expected the {NAME} of a run, found one with {error}; get it again") from None
    if not isinstance(data, dict) or not {"schema_version", "run", "verdicts"} <= data.keys():
        raise WrongUsage(f"{path}: expected the {NAME} of a run of this suite, found other JSON; name another file")
    return data


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"the number {text}")


def _finite(text: str) -> float:
    return value if math.isfinite(value := float(text)) else _no_number(text)


def _small(text: str) -> int:
    return int(text) if len(text) <= _MOST_DIGITS else _no_number(f"{text[:_MOST_DIGITS]}...")


def _check_version(data: dict[str, Any], path: Path) -> None:
    version = data["schema_version"]
    if isinstance(version, int) and version > _READS:
        raise WrongUsage(
            f"{path}: expected results of schema version {_READS} or older, found version {version}, written by "
            f"{_suite(data)}; this is suite {__version__}: read it with that suite or a newer one"
        )


def _suite(data: dict[str, Any]) -> str:
    run = data["run"]
    version = run.get("suite_version") if isinstance(run, dict) else None
    return f"suite {version}" if isinstance(version, str) else "a suite of unknown version"


def _problems(error: ValidationError, data: dict[str, Any], path: Path) -> str:
    """Return the message about the parts of the document that do not fit, with the names of the first ones."""
    unknown = [_place(item["loc"]) for item in error.errors() if item["type"] == "extra_forbidden"]
    if unknown and len(unknown) == error.error_count():
        return (
            f"{path}: expected only fields that suite {__version__} knows, found {_first(unknown)}, written by "
            f"{_suite(sanitize_values(data))}; read it with that suite or a newer one"
        )
    wrong = [f"{_place(item['loc'])}: {item['msg']}" for item in error.errors() if item["type"] != "extra_forbidden"]
    return (
        f"{path}: expected the {NAME} of a run, found one that does not fit ({_first(wrong)}); it is damaged, was "
        "changed, or is of an older suite than can be read: get the file that the run wrote"
    )


def _place(location: tuple[int | str, ...]) -> str:
    return ".".join(map(str, location))


def _first(problems: list[str]) -> str:
    more = len(problems) - _MOST_TOLD
    return ", ".join(problems[:_MOST_TOLD]) + (f" and {more} more" if more > 0 else "")


def _impossible(results: Results) -> Iterator[str]:
    """Yield the problems of values that fit the schema but that no run can produce; the report cannot show them."""
    if not all(map(math.isfinite, _numbers(results.model_dump()))):
        yield "it holds a number that is not finite"
    measurement_ids = {measurement.id for measurement in results.measurements}
    for measurement in results.measurements:
        if measurement.compared_with is not None and measurement.compared_with not in measurement_ids:
            yield f"{measurement.id} was compared with {measurement.compared_with}, which is not in it"
        for path, estimate in measurement.metrics.items():
            if min(estimate.mean, estimate.low or 0.0, estimate.high or 0.0) < 0.0:
                yield f"{path} of {measurement.id} is below zero"
            if not 0.0 < estimate.confidence < 1.0:
                yield f"the confidence of {path} of {measurement.id} is {estimate.confidence}"
    for verdict in results.verdicts:
        if min(verdict.measured or 0.0, verdict.low or 0.0, verdict.high or 0.0) < 0.0:
            yield f"a figure of {verdict.id} is below zero"


def _numbers(value: Any) -> Iterator[float]:
    """Yield all floats in a document, at any depth."""
    if isinstance(value, float):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _numbers(item)

"""Errors of files from strangers: content that fits the schema may still be unusable, which is the files' fault."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from jinja2 import TemplateError

from acceptance.text.errors import WrongUsage


@contextmanager
def refused_where_unusable(*runs: Path) -> Iterator[None]:
    """Raise WrongUsage, naming the runs, if the code in the context fails on their content.

    Examples are figures too large to be divided, unknown metrics, and missing settings.
    """
    try:
        yield
    except (ValueError, ArithmeticError, TypeError, LookupError, RecursionError, TemplateError) as error:
        raise WrongUsage(
            f"{', '.join(map(str, runs))}: expected figures, names and settings as a run writes them, found unusable "
            f"values: {type(error).__name__}: {error}; get the files that the runs wrote"
        ) from error

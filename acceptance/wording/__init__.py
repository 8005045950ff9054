"""The sentences of verdicts: what was found, as data, is said here and nowhere else.

A code such as `limit.outside` names a sentence of a module of this package; the facts are its arguments.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pkgutil import iter_modules

from acceptance.results.document import Verdict
from acceptance.results.requirement import Outcome
from acceptance.wording.phrasing import Said, Sentence

Sentences = Mapping[str, Said]
"""what a module of this package has as SENTENCES: by the last part of a code"""
MODULES = frozenset(each.name for each in iter_modules(__path__))
"""all of this package: a code of a stranger runs nothing else"""
NOT_SAID = (LookupError, TypeError, ValueError, AssertionError, AttributeError, ArithmeticError)
"""what `sentence` raises for an outcome of another suite, or for facts that are not those of its code"""


def sentence(verdict: Verdict) -> str:
    """What the verdict's outcome says. Raises KeyError for a code of another suite, and others of NOT_SAID."""
    return verdict.reason if verdict.outcome is None else _said(verdict, verdict.outcome).text


def what_follows(verdict: Verdict) -> str:
    """The part of the sentence that is said behind its figures; nothing where it has no such part, or is not known."""
    try:
        return "" if verdict.outcome is None else _said(verdict, verdict.outcome).follows
    except NOT_SAID:
        return ""


def _said(verdict: Verdict, outcome: Outcome) -> Sentence:
    module, _, name = outcome.code.partition(".")
    said = _sentences(module)[name](verdict, **outcome.facts)
    return said if isinstance(said, Sentence) else Sentence(text=said)


def _sentences(module: str) -> Sentences:
    if module not in MODULES:
        raise KeyError(f"wanted one of {', '.join(sorted(MODULES))}, found {module!r}")
    found: Sentences = getattr(importlib.import_module(f"{__name__}.{module}"), "SENTENCES", {})
    return found

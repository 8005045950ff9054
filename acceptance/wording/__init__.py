"""The sentences of verdicts: only this package renders outcomes, which are data, as text.

A code such as `limit.outside` names a sentence of a module of this package; the facts are its arguments.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pkgutil import iter_modules

from acceptance.results.document import Verdict
from acceptance.results.requirement import Outcome
from acceptance.wording.phrasing import Renderer, Sentence

Sentences = Mapping[str, Renderer]
"""The SENTENCES of a module of this package: renderers by the last part of a code."""
MODULES = frozenset(module.name for module in iter_modules(__path__))
"""All modules of this package: an untrusted code cannot run anything else."""
NOT_SAID = (LookupError, TypeError, ValueError, AssertionError, AttributeError, ArithmeticError)
"""The errors that `sentence` raises for an outcome of another suite, or for facts that do not fit its code."""


def sentence(verdict: Verdict) -> str:
    """Return the sentence of the verdict's outcome. Raises KeyError for an unknown code, and others of NOT_SAID."""
    return verdict.reason if verdict.outcome is None else _render(verdict, verdict.outcome).text


def what_follows(verdict: Verdict) -> str:
    """Return the part of the sentence after its figures; empty if there is no such part, or no such sentence."""
    try:
        return "" if verdict.outcome is None else _render(verdict, verdict.outcome).follows
    except NOT_SAID:
        return ""


def _render(verdict: Verdict, outcome: Outcome) -> Sentence:
    module, _, name = outcome.code.partition(".")
    rendering = _sentences(module)[name](verdict, **outcome.facts)
    return rendering if isinstance(rendering, Sentence) else Sentence(text=rendering)


def _sentences(module: str) -> Sentences:
    if module not in MODULES:
        raise KeyError(f"expected one of {', '.join(sorted(MODULES))}, found {module!r}")
    sentences: Sentences = getattr(importlib.import_module(f"{__name__}.{module}"), "SENTENCES", {})
    return sentences

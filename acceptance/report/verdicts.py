"""Verdicts for the report: what a verdict is about."""

from __future__ import annotations

from typing import get_args

from acceptance.limits.scaling import Kind
from acceptance.results.document import Verdict

# As the last part of a verdict's id; a limit of one step has the number of volumes behind it.
_KINDS = tuple(kind.replace("_", "-") for kind in (*get_args(Kind), "scaling"))


def is_about_many_volumes(verdict: Verdict) -> bool:
    """Whether the verdict is on a scale run. By its id: the verdict of a step that failed shows it nowhere else."""
    return verdict.id.rpartition("/")[2].startswith(_KINDS)

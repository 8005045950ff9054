"""Sentences about a limit that passed at first and failed at the end of the run."""

from __future__ import annotations

from acceptance.results.document import Verdict
from acceptance.text.quantities import format_quantity
from acceptance.wording.phrasing import about, in_words, wanted_of


def change(verdict: Verdict, *, again: float, after_s: float) -> str:
    """Return the sentence for a change. `again`: the value `after_s` s later, in the unit of the verdict's figure."""
    assert verdict.unit is not None
    first, last = (
        format_quantity(value, unit=verdict.unit, beside=verdict.requirement.bound)
        for value in (verdict.measured or 0.0, again)
    )
    limit = in_words(wanted_of(verdict))
    return (
        f"{about(verdict)} is not steady: it was first {first}, which meets the limit {limit}. The load was repeated "
        f"{after_s / 60:.0f} min later, at the end of the run: then it was {last}, which misses the limit. Find what "
        "slowed the storage down (credits, a cache, the tests in between), and repeat the run."
    )


SENTENCES = {"changed": change}

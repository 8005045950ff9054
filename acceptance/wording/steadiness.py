"""What is said of a limit that passed at first and is missed at the end of the run."""

from __future__ import annotations

from acceptance.results.document import Verdict
from acceptance.text.quantities import format_quantity
from acceptance.wording.phrasing import about, in_words, wanted_of


def changed(verdict: Verdict, *, again: float, after_s: float) -> str:
    """`again`: what was found `after_s` seconds later, in the unit of the verdict's figure, which is the first."""
    assert verdict.unit is not None
    first, last = (
        format_quantity(value, unit=verdict.unit, beside=verdict.requirement.bound)
        for value in (verdict.measured or 0.0, again)
    )
    limit = in_words(wanted_of(verdict))
    return (
        f"{about(verdict)} is not steady: it was {first}, within the limit {limit}, and {last}, outside it, when the "
        f"load was repeated {after_s / 60:.0f} min later at the end of the run; find what slowed the storage down "
        "(credits, a cache, the tests in between), and repeat the run."
    )


SENTENCES = {"changed": changed}

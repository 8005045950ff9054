"""Sentences about the time until PVCs were bound."""

from __future__ import annotations

from acceptance.results.document import Verdict
from acceptance.text.quantities import format_quantity
from acceptance.wording.phrasing import Sentence, held_against, wanted_of


def slowest(verdict: Verdict, *, claims: int) -> Sentence:
    """Return the sentence for the slowest of `claims` PVCs."""
    return held_against(
        verdict,
        _bound(verdict, claims),
        span="",
    )


def looks_too_far_apart(verdict: Verdict, *, claims: int, looks_apart_s: float) -> str:
    """Return the sentence for a PVC that was bound between two polls, with the limit between them as well."""
    resolution = format_quantity(looks_apart_s, unit="s")
    return (
        f"{_bound(verdict, claims)}; the limit of {wanted_of(verdict)} lies within the {resolution} polling "
        "resolution, so neither pass nor fail is certain."
    )


SENTENCES = {
    "within": slowest,
    "outside": slowest,
    "looks_too_far_apart": looks_too_far_apart,
}


def _bound(verdict: Verdict, claims: int) -> str:
    subject = "the PVC" if claims == 1 else f"the slowest of {claims} PVCs"
    assert verdict.measured is not None  # there is no such verdict without a claim
    took = format_quantity(verdict.measured, unit="s", beside=verdict.requirement.bound)
    return f"{subject} of StorageClass {verdict.storage_class} was bound {took} after its creation"

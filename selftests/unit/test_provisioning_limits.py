"""How soon volumes must come: what the section says, and how the slowest claim is judged."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from acceptance.judging.provisioning import LOOKS_APART_S, judge_bind_time
from acceptance.limits.declared import PROVISIONING
from acceptance.limits.limit import Limit
from acceptance.results.document import Verdict
from acceptance.results.requirement import Outcome
from selftests.unit.made_limits import words_of
from selftests.unit.tier_family import family


def limit(at_most: float = 60.0) -> Limit:
    return PROVISIONING.limit("provisioning.bind_time", at_most, because="Installers give up.")


def judged(*seconds: float, at_most: float = 60.0) -> Verdict:
    return judge_bind_time(seconds, limit(at_most), storage_class="fast")


def test_the_section_is_read_and_inherited() -> None:
    early, late = ({"bind_time": {"at_most": at_most, "because": "b"}} for at_most in ("1min", "30s"))
    tiers = {name: tier.of("provisioning") for name, tier in family(provisioning=(early, None, late)).items()}
    (found,) = tiers["child"]
    assert (found.bound, found.because) == (60.0, "b")
    assert words_of(found) == "PVC bound at most 60 s after its creation"
    (younger,) = tiers["grandchild"]
    assert younger.bound == 30.0
    assert family(provisioning=(None, None, late))["parent"].of("provisioning") == ()


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({}, "expected bind_time, found nothing"),
        ({"bind_time": {"at_most": "60", "because": "b"}}, "has no unit"),
        ({"bind_time": {"at_most": "0s", "because": "b"}}, "every class would meet it, or none"),
        ({"bind_time": {"at_most": "60s", "because": " "}}, "expected a sentence"),
        ({"bind_time": {"at_least": "60s", "because": "b"}}, "at_least"),
    ],
)
def test_a_wrong_section_is_refused(section: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        PROVISIONING.form.model_validate(section)


def test_the_slowest_claim_is_judged() -> None:
    verdict = judged(2.0, 75.0, 3.0)
    assert (verdict.status, verdict.measured) == ("fail", 75.0)
    assert (verdict.id, verdict.metric) == (
        "fast/volume/provisioning.bind-time/bind-time",
        "provisioning.bind_time",
    )
    assert verdict.reason == (
        "the slowest of 3 PVCs of StorageClass fast was bound 75 s after its creation; this misses the limit of "
        "at most 60 s (reason for the limit: Installers give up)."
    )
    assert judged(2.0).reason == (
        "the PVC of StorageClass fast was bound 2 s after its creation; this meets the limit of at most 60 s."
    )


@given(st.lists(st.floats(0.0, 1e5), min_size=1), st.floats(0.1, 1e4))
def test_a_claim_was_bound_between_the_last_look_without_and_the_first_with_it(seconds: list[float], at: float) -> None:
    verdict = judged(*seconds, at_most=at)
    assert (verdict.status == "pass") == (max(seconds) <= at)
    assert (verdict.status == "fail") == (max(0.0, max(seconds) - LOOKS_APART_S) > at)


@pytest.mark.parametrize(
    ("slowest", "code", "facts"),
    [
        (59.0, "within", {"claims": 2}),
        (75.0, "outside", {"claims": 2}),
        (60.5, "looks_too_far_apart", {"claims": 2, "looks_apart_s": 1.0}),
    ],
)
def test_what_was_found_is_data(slowest: float, code: str, facts: dict[str, float]) -> None:
    verdict = judged(2.0, slowest)
    assert verdict.outcome == Outcome(code=f"provisioning.{code}", facts=dict(facts))
    assert (verdict.requirement.bound, verdict.requirement.because) == (60.0, "Installers give up.")


def test_no_claim_at_all_is_an_error_of_the_caller() -> None:
    with pytest.raises(ValueError, match="at least one PVC"):
        judged()

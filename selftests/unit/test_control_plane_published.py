"""Golden: the shipped ramp asks for pods as Longhorn's published ramps did, and ends by what ended all of those."""

from __future__ import annotations

from typing import Any

from acceptance.limits.file import load_limits
from acceptance.loads.profile_folder import find_profiles
from selftests.unit.published_figures import ROOT, published


def the_shipped_ramp_is_the_published_one(figures: dict[str, Any]) -> None:
    limits = load_limits(ROOT / "thresholds.yaml", profiles=set(find_profiles(ROOT / "profiles")))
    ramps = [tier.ramp for tier in limits.tiers.values()]
    assert ramps
    for ramp in ramps:
        assert ramp is not None and ramp.stop_when.slow_starts is not None
        assert ramp.rate_per_s * 60 == figures["rate_per_min"]
        assert ramp.stop_when.slow_starts.longer_than_s == figures["ended_by"]["slower_than_s"]
        assert ramp.stop_when.slow_starts.more_than == figures["ended_by"]["slow_pods_more_than"]


COMPARISONS = (the_shipped_ramp_is_the_published_one,)


def test_the_shipped_ramp_is_the_published_one() -> None:
    the_shipped_ramp_is_the_published_one(published("control_plane"))

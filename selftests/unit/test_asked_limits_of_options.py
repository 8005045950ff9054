"""`--storage-limit`: one limit instead of the tier's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from acceptance.limits.asked import asked_limit, with_limits
from acceptance.limits.file import load_limits
from acceptance.limits.shipped import shipped_profiles
from acceptance.loads.profile_folder import find_profiles, missing_in
from acceptance.text.errors import WrongUsage
from selftests.unit.made_limits import words_of

SHIPPED = Path(__file__).parents[2] / "thresholds.yaml"
PROFILES = SHIPPED.with_name("profiles")
TIER = load_limits(SHIPPED, profiles=shipped_profiles()).tier("baseline")


def asked(*texts: str) -> list[str]:
    limits = [asked_limit(text) for text in texts]
    tier = with_limits(TIER, limits, profiles=shipped_profiles(), missing=missing_in(find_profiles(PROFILES)))
    before, after = ([f"{each.profile}: {words_of(each)}" for each in of.of("limits")] for of in (TIER, tier))
    return [each for each in after if each not in before]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("sync-write-iops.write.iops>=1200", ["sync-write-iops: write.iops at least 1,200 IOPS"]),
        ("random-write-iops.write.latency.p99.9 <= 5ms", ["random-write-iops: write.latency.p99.9 at most 5 ms"]),
        ("etcd-fsync.sync.latency.p99<=2ms", ["etcd-fsync: sync.latency.p99 at most 2 ms"]),
        (
            "*-read-bandwidth.read.bandwidth>=80MiB/s",
            [f"{each}-read-bandwidth: read.bandwidth at least 80 MiB/s" for each in ("random", "sequential")],
        ),
    ],
)
def test_it_takes_the_place_of_the_tiers_own(text: str, told: list[str]) -> None:
    assert sorted(asked(text)) == told


def test_the_reason_stays_and_says_what_was_in_its_place() -> None:
    tier = with_limits(TIER, [asked_limit("sync-write-iops.write.iops>=10")], profiles=shipped_profiles())
    (found,) = (each for each in tier.of("limits", profile="sync-write-iops") if each.metric.path == "write.iops")
    assert found.bound == 10 and len(tier.limits) == len(TIER.limits)
    assert found.because.startswith("every commit of a database")
    assert found.because.endswith("(requested with --storage-limit instead of 750 IOPS)")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "write.iops>=5",
        "p.write.iops=5",
        "p.write.iops>=",
        "p.write.iops>=5ms",
        "p.write.iops>=0",
        "p.foo>=5",
        "p.read.latency.mean>=5ms",
    ],
)
def test_what_is_no_limit_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        asked_limit(text)


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["gone.write.iops>=5"], "expected a profile that exists"),
        (["gone-*.write.iops>=5"], "found gone-\\*; correct it"),
        (["sync-write-iops.write.iops<=10"], "can be met together, found at least 750 IOPS and at most 10 IOPS"),
        (["sync-write-iops.write.latency.p99<=9ms"], "found write.latency.p99: .* gtod_reduce=1; limit another"),
        (["*.sync.latency.p99<=9ms"], "profile random-read-iops reports, found sync.latency.p99: it reports no syncs"),
    ],
)
def test_what_cannot_be_asked_of_the_tier_is_refused(texts: list[str], told: str) -> None:
    with pytest.raises(WrongUsage, match=told):
        asked(*texts)

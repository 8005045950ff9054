"""The section `sustained` of a tier, and the options that go with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from acceptance.limits.file import load_limits
from acceptance.limits.tiers import ALL_OPTIONS, Tier
from acceptance.settings.run import read_settings
from acceptance.text.errors import WrongUsage
from acceptance.wording.requirements import bound_in_words
from selftests.unit.made_limits import words_of
from selftests.unit.published_figures import ROOT

PROFILES = {path.stem for path in (ROOT / "profiles").iterdir()}
FILES = {"thresholds": "a", "profiles": "b"}


def tier(tmp_path: Path, section: str, *, child: str = "") -> Tier:
    file = tmp_path / "limits.yaml"
    text = f"version: 1\ntiers:\n  parent:\n    sustained: {section}\n"
    file.write_text(text + (f"  child:\n    extends: parent\n    sustained: {child}\n" if child else ""))
    return load_limits(file, profiles=PROFILES, shipped_path=ROOT / "thresholds.yaml").tier(
        "child" if child else "parent"
    )


def test_it_is_read_as_limits_are(tmp_path: Path) -> None:
    found = tier(tmp_path, "{sync-write-iops: {write.iops: {at_least: 750, because: commits wait}}}")
    assert [words_of(each) for each in found.of("sustained")] == [
        "write.iops at least 750 IOPS at the end of a sustained load"
    ]
    assert found.of("limits") == () and found.profiles == {"sync-write-iops"}


def test_it_is_asked_of_a_class_only_with_consent_to_its_time(tmp_path: Path) -> None:
    found = tier(tmp_path, "{sync-write-iops: {write.iops: {at_least: 750, because: commits wait}}}")
    assert found.asked_with(ALL_OPTIONS - {"sustained"}) == ()
    assert found.asked_with(["sustained"]) == found.of("sustained")


def test_a_child_replaces_the_limit_of_its_parent_and_no_other(tmp_path: Path) -> None:
    both = "{sync-write-iops: {write.iops: {at_least: 750, because: b}, write.latency.p99: {at_most: 9ms, because: b}}}"
    found = tier(tmp_path, both, child="{sync-write-iops: {write.iops: {at_least: 900, because: b}}}")
    assert [bound_in_words(each.requirement) for each in found.of("sustained")] == ["at least 900 IOPS", "at most 9 ms"]


def test_the_shipped_tiers_ask_for_the_same_as_on_a_short_load() -> None:
    limits = load_limits(ROOT / "thresholds.yaml", profiles=PROFILES)
    for name, rate in (("baseline", 750), ("production", 1000)):
        shipped = limits.tier(name)
        assert [(each.profile, each.path, each.bound) for each in shipped.of("sustained")] == [
            ("sync-write-iops", "write.iops", rate)
        ]
        assert rate in [each.bound for each in shipped.of("limits", profile="sync-write-iops")]


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("{no-such: {write.iops: {at_least: 1, because: b}}}", "sustained.no-such: expected a profile that exists"),
        ("{sync-write-iops: {stall.longest: {at_most: 1s, because: b}}}", "a single event; limit it"),
        ("{sync-write-iops: {write.iops: {at_least: 0, because: b}}}", "expected a limit above zero"),
        ("{sync-write-iops: {write.iops: {because: b}}}", "expected at_least or at_most"),
    ],
)
def test_mistakes_are_told_with_their_line(section: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match=said) as raised:
        tier(tmp_path, section)
    assert "limits.yaml:4: " in str(raised.value)


@pytest.mark.parametrize("given", ["90s", "60s", "0s", "25h", "10", "150s"])
def test_a_time_is_in_whole_minutes(given: str) -> None:
    with pytest.raises(WrongUsage, match="--storage-with sustained: expected "):
        read_settings(FILES | {"sustained_time": given})


def test_a_time_alone_asks_for_nothing() -> None:
    found = read_settings(FILES | {"sustained_time": "2min"})
    assert (found.sustained, found.sustained_time) == (False, 120.0)
    assert read_settings(FILES).sustained_time == 2400.0

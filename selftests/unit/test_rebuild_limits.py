"""The section `rebuild` of a tier: strict, inherited, and in the words of its reader."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from acceptance.limits.file import load_limits
from acceptance.limits.limit import Limit
from acceptance.limits.rebuilds import RebuildEntry
from acceptance.text.errors import WrongUsage
from selftests.unit.made_limits import words_of
from selftests.unit.tier_family import family

WHOLE: dict[str, Any] = {
    "time_limit": "12h",
    "largest_volume": {"full-data": {"at_least": "1TiB", "because": "a"}},
    "foreground": {
        "write.iops": {"at_least": "25%", "because": "b"},
        "write.latency.p99": {"at_most": "10 times", "because": "c"},
    },
}


def read(entry: dict[str, Any]) -> tuple[Limit, ...]:
    return family(rebuild=(entry, None, None))["parent"].of("rebuild")


def test_every_kind_of_limit_is_read_and_the_foreground_counts_for_each_pattern() -> None:
    found = read(WHOLE)
    assert [(each.profile, each.rule, each.bound, each.because) for each in found] == [
        ("full-data", "largest_volume", 1024.0**4, "a"),
        ("full-data", "foreground_iops", 0.25, "b"),
        ("full-data", "foreground_p99", 10.0, "c"),
        ("alternating-4k", "foreground_iops", 0.25, "b"),
        ("alternating-4k", "foreground_p99", 10.0, "c"),
    ]
    assert found[0].at == {"time_limit_s": 12 * 3600.0}
    assert family(rebuild=(WHOLE, None, None))["grandchild"].rebuild_time_s == 12 * 3600.0
    assert words_of(found[0]) == "largest volume that is rebuilt in 12 h, full-data: at least 1 TiB"
    assert [each.operator for each in found[:3]] == ["at_least", "at_least", "at_most"]
    assert len({words_of(each) for each in found}) == 5


def test_the_time_limit_is_a_day_unless_it_is_said() -> None:
    (found,) = read({"largest_volume": WHOLE["largest_volume"]})
    assert found.at == {"time_limit_s": 86400}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"time_limit": "24"}, "expected a time with its unit"),
        ({"time_limit": "0h"}, "expected a value above zero"),
        ({"largest_volume": {"full": {"at_least": "1TiB", "because": "a"}}}, "'full-data' or 'alternating-4k'"),
        ({"largest_volume": {"full-data": {"at_least": "1", "because": "a"}}}, "expected a size with its unit"),
        ({"largest_volume": {"full-data": {"at_least": "0GiB", "because": "a"}}}, "expected a value above zero"),
        ({"largest_volume": {"full-data": {"at_least": "1GiB", "because": " "}}}, "expected a sentence"),
        ({"largest_volume": {"full-data": {"at_most": "1GiB", "because": "a"}}}, "Extra inputs"),
        ({"foreground": {"write.bandwidth": {"at_least": "10%", "because": "b"}}}, "Extra inputs"),
        ({"foreground": {"write.iops": {"at_least": "120%", "because": "b"}}}, "share of at most 100%"),
        ({"foreground": {"write.iops": {"at_most": "50%", "because": "b"}}}, "Extra inputs"),
        ({"foreground": {"write.latency.p99": {"at_most": "10", "because": "b"}}}, "has no unit"),
        ({"limit": "24h"}, "Extra inputs"),
    ],
)
def test_mistakes_are_told(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        RebuildEntry.model_validate(WHOLE | change)


def test_a_section_that_says_nothing_is_a_mistake() -> None:
    with pytest.raises(ValidationError, match="found none of them"):
        RebuildEntry.model_validate({})


def tiers(folder: Path, child: str) -> Path:
    path = folder / "limits.yaml"
    path.write_text(
        f"""\
version: 1
tiers:
  parent:
    rebuild:
      time_limit: 48h
      largest_volume:
        full-data: {{at_least: 1TiB, because: a}}
        alternating-4k: {{at_least: 100GiB, because: b}}
  child:
    extends: parent
    rebuild:
{child}
"""
    )
    return path


def test_a_tier_keeps_what_it_inherits_and_replaces_what_it_repeats(tmp_path: Path) -> None:
    path = tiers(tmp_path, "      largest_volume: {full-data: {at_least: 4TiB, because: c}}")
    found = {each.profile: each for each in load_limits(path, profiles=()).tier("child").of("rebuild")}
    assert found["full-data"].bound == 4 * 1024.0**4
    assert found["alternating-4k"].bound == 100 * 1024.0**3
    assert {each.at["time_limit_s"] for each in found.values()} == {48 * 3600.0}


def test_a_time_limit_alone_changes_that_of_what_is_inherited(tmp_path: Path) -> None:
    found = load_limits(tiers(tmp_path, "      time_limit: 6h"), profiles=()).tier("child").of("rebuild")
    assert {(each.profile, each.at["time_limit_s"]) for each in found} == {
        ("full-data", 21600),
        ("alternating-4k", 21600),
    }


def test_a_mistake_is_told_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(
        WrongUsage, match=r"limits.yaml:12: tiers\.child\.rebuild\.largest_volume\.half-data: expected 'full-data'"
    ):
        load_limits(tiers(tmp_path, "      largest_volume: {half-data: {at_least: 4TiB, because: c}}"), profiles=())

"""The section `operations` of a limits file: what it may say, what it inherits, and what the shipped one asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from acceptance.limits.file import load_limits
from acceptance.limits.limit import Limit
from acceptance.limits.tiers import ALL_OPTIONS, Tier
from acceptance.loads.profile_folder import find_profiles
from acceptance.results.operations import OPERATIONS, PARTS
from acceptance.text.errors import WrongUsage
from selftests.unit.made_limits import words_of

ROOT = Path(__file__).parents[2]
TEXT = """\
version: 1
tiers:
  baseline:
    operations:
      bind: {p50: {at_most: 5s, because: pods wait}, p95: {at_most: 30s, because: pods wait}}
      failed: {at_most: 0%, because: somebody has to look}
  strict:
    extends: baseline
    operations:
      bind: {p95: {at_most: 10s}}
"""


def tier(folder: Path, text: str, name: str = "baseline") -> Tier:
    (folder / "limits.yaml").write_text(text, encoding="utf-8")
    return load_limits(folder / "limits.yaml", profiles=[]).tier(name)


def test_limits_are_read_and_inherited(tmp_path: Path) -> None:
    found = tier(tmp_path, TEXT, "strict").of("operations")
    assert [(each.path, each.bound, each.because) for each in found] == [
        ("bind.p50", 5.0, "pods wait"),
        ("bind.p95", 10.0, "pods wait"),
        ("failed", 0.0, "somebody has to look"),
    ]
    assert words_of(found[1]) == "p95 until PVC bound, concurrent operations: at most 10 s"
    assert words_of(found[2]) == "failed concurrent control operations: none"


def test_they_count_where_they_are_asked_for(tmp_path: Path) -> None:
    found = tier(tmp_path, TEXT)
    assert found.asked_with(ALL_OPTIONS - {"operations"}) == ()
    assert found.asked_with(["operations"]) == found.of("operations")


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("bind: {p95: {at_most: 0s, because: x}}", "expected a value above zero"),
        ("bind: {p75: {at_most: 1s, because: x}}", "p75"),
        ("bind: {}", "expected p50, p90, p95 or p99, found"),
        ("rename: {p95: {at_most: 1s, because: x}}", "rename"),
        ("failed: {at_most: 100%, because: x}", "expected a share below 100%"),
        ("failed: {at_most: 0%}", "because"),
    ],
)
def test_what_makes_no_sense_is_told_with_its_line(said: str, wrong: str, tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match=wrong):
        tier(tmp_path, f"version: 1\ntiers:\n  baseline:\n    operations:\n      {said}\n")


def test_the_shipped_tiers_ask_for_each_operation_and_that_none_fails() -> None:
    shipped = load_limits(ROOT / "thresholds.yaml", profiles=find_profiles(ROOT / "profiles"))
    for name in ("baseline", "production"):
        limits: tuple[Limit, ...] = shipped.tier(name).of("operations")
        assert {limit.path.partition(".")[0] for limit in limits} == {*OPERATIONS, "failed"} - set(PARTS)

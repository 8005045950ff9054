"""The section `history` of a tier: what it means, how it is inherited, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from acceptance.limits.file import load_limits
from acceptance.limits.limit import Limit
from acceptance.settings.run import read_settings
from acceptance.text.errors import WrongUsage
from selftests.unit.made_limits import words_of

ROOT = Path(__file__).parents[2]
GOOD = """\
version: 1
tiers:
  baseline:
    history:
      runs: 9
      limits:
        sync-write-iops:
          write.iops: {not_worse_by: 10%, because: databases wait for it}
        etcd-fsync:
          sync.latency.p99: {not_worse_by: 150%, because: leaders are lost}
  production:
    extends: baseline
    history:
      limits:
        sync-write-iops:
          write.iops: {not_worse_by: 5%, because: more databases wait for it}
          cpu.per_operation: {not_worse_by: 20%, because: CPUs cost money}
"""


def read(text: str, tmp_path: Path, *, tier: str) -> tuple[Limit, ...]:
    path = tmp_path / "limits.yaml"
    path.write_text(text)
    return load_limits(path, profiles={"sync-write-iops", "etcd-fsync"}).tier(tier).of("history")


def errors(text: str, tmp_path: Path) -> list[str]:
    with pytest.raises(WrongUsage) as raised:
        read(text, tmp_path, tier="baseline")
    return str(raised.value).replace(f"{tmp_path}/", "").splitlines()


def test_limits_are_read_and_inherited_rule_by_rule(tmp_path: Path) -> None:
    baseline, production = (read(GOOD, tmp_path, tier=tier) for tier in ("baseline", "production"))
    assert [(each.path, each.at["margin"], each.at["runs"]) for each in baseline] == [
        ("write.iops", 0.10, 9),
        ("sync.latency.p99", 1.5, 9),
    ]
    assert [(each.path, each.at["margin"], each.at["runs"]) for each in production] == [
        ("write.iops", 0.05, 9),
        ("sync.latency.p99", 1.5, 9),
        ("cpu.per_operation", 0.20, 9),
    ]
    assert (baseline[0].bound, baseline[1].bound) == (0.9, 2.5)
    assert (
        words_of(baseline[0])
        == "write.iops not worse than the accepted level (of 9 runs) by more than 10 % beyond noise"
    )


def test_a_fortnight_of_nights_unless_a_tier_says_otherwise(tmp_path: Path) -> None:
    assert {each.at["runs"] for each in read(GOOD.replace("runs: 9", ""), tmp_path, tier="baseline")} == {14}
    longer = GOOD.replace("extends: baseline\n    history:", "extends: baseline\n    history:\n      runs: 21")
    assert {each.at["runs"] for each in read(longer, tmp_path, tier="production")} == {21}


@pytest.mark.parametrize(
    ("found", "instead", "line", "where", "said"),
    [
        ("runs: 9", "runs: 6", 5, "history.runs", "greater than or equal to 7"),
        ("runs: 9", "runs: 31", 5, "history.runs", "less than or equal to 30"),
        ("runs: 9", "run: 9", 5, "history.run", "expected only keys that are known here"),
        ("not_worse_by: 10%", "not_worse_by: 10", 8, "sync-write-iops.write.iops.not_worse_by", "has no unit"),
        ("not_worse_by: 10%", "not_worse_by: 100%", 8, "sync-write-iops.write.iops.not_worse_by", "below 100%"),
        ("not_worse_by: 10%", "at_least: 10", 8, "sync-write-iops.write.iops.not_worse_by", "expected this key"),
        (", because: databases wait for it", "", 8, "sync-write-iops.write.iops.because", "expected this key"),
        ("write.iops: {not_worse_by: 10%", "iops: {not_worse_by: 10%", 8, "sync-write-iops.iops", "expected a metric"),
        ("sync.latency.p99", "sync.latency.p95", 10, "etcd-fsync.sync.latency.p95", "a metric that every run keeps"),
        ("sync.latency.p99", "stall.longest", 10, "etcd-fsync.stall.longest", "a metric that every run keeps"),
        ("        etcd-fsync:", "        etcd:", 9, "history.limits.etcd", "expected a profile that exists"),
    ],
)
def test_what_is_wrong_is_told_with_line_and_path(
    tmp_path: Path, found: str, instead: str, line: int, where: str, said: str
) -> None:
    told = errors(GOOD.replace(found, instead, 1), tmp_path)
    assert any(each.startswith(f"limits.yaml:{line}: tiers.baseline.history") for each in told)
    assert any(where in each and said in each for each in told)


def test_a_section_that_says_nothing_is_refused(tmp_path: Path) -> None:
    told = errors("version: 1\ntiers:\n  baseline:\n    history: {}\n", tmp_path)
    assert told == ["limits.yaml:4: tiers.baseline.history: expected runs or limits, found neither; correct it"]


def test_every_tier_of_the_suite_has_limits_on_all_ways_of_waiting() -> None:
    file = load_limits(ROOT / "thresholds.yaml", profiles={path.stem for path in (ROOT / "profiles").iterdir()})
    assert {name: len(tier.of("history")) for name, tier in file.tiers.items()} == {"baseline": 4, "production": 4}


def test_the_option_takes_a_file_or_a_folder(tmp_path: Path) -> None:
    files = {"thresholds": Path("thresholds.yaml"), "profiles": Path("profiles")}
    assert read_settings(files | {"history": str(tmp_path)}).history == tmp_path / "history.jsonl"
    assert read_settings(files).history is None
    with pytest.raises(WrongUsage, match=r"^--storage-history: expected a history file in a folder that exists"):
        read_settings(files | {"history": str(tmp_path / "gone" / "file")})

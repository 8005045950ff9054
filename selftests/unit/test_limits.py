"""The file of limits: what it means, and that everything wrong with it is said at once."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
import yaml

from acceptance.limits.file import load_limits
from acceptance.limits.shipped import digest_of, is_shipped, shipped_digests
from acceptance.limits.speed import RuleKind
from acceptance.limits.tiers import LimitsFile, Tier
from acceptance.results.metrics import Metric
from acceptance.text.errors import WrongUsage
from selftests.unit.made_limits import made_rule, words_of

MIB = 1024**2
PROFILES = {"sync-write-iops", "etcd-fsync"}
ROOT = Path(__file__).parents[2]
SHIPPED_PROFILES = {path.stem for path in (ROOT / "profiles").iterdir()}

GOOD = """\
version: 1
tiers:
  baseline:
    limits:
      sync-write-iops:
        write.iops: {at_least: 750, because: commits wait for it}
        write.bandwidth: {at_most: 100MiB/s, at_least: 5MiB/s, because: commits wait for it}
    comparison:
      sync-write-iops:
        write.iops: {not_better_than_baseline_by: 20%, because: not durable}
  production:
    description: More
    extends: baseline
    limits:
      sync-write-iops:
        write.iops: {at_least: 1000, because: commits wait for it}
"""


def read(text: str, tmp_path: Path) -> LimitsFile:
    path = tmp_path / "thresholds.yaml"
    path.write_text(text, encoding="utf-8")
    return load_limits(path, profiles=PROFILES)


def errors(text: str, tmp_path: Path) -> list[str]:
    with pytest.raises(WrongUsage) as raised:
        read(text, tmp_path)
    return str(raised.value).replace(f"{tmp_path}/", "").splitlines()


def test_the_suites_own_limits_are_valid_for_the_suites_own_profiles() -> None:
    file = load_limits(ROOT / "thresholds.yaml", profiles=SHIPPED_PROFILES)
    values = {
        name: {str(limit.metric): limit.bound for limit in file.tier(name).of("limits", profile="sync-write-iops")}
        for name in ("baseline", "production")
    }
    assert values == {
        "baseline": {"write.iops": 750.0, "stall.longest": 10.0},
        "production": {"write.iops": 1000.0, "stall.longest": 10.0},
    }
    (fsync,) = file.tier("production").of("limits", profile="etcd-fsync")
    assert (fsync.path, fsync.bound) == ("sync.latency.p99", 0.01)
    assert {limit.profile for limit in file.tier("baseline").of("limits")} == SHIPPED_PROFILES


def test_a_metric_of_the_suites_own_limits_is_one_that_its_profile_can_show() -> None:
    file = load_limits(ROOT / "thresholds.yaml", profiles=SHIPPED_PROFILES)
    for tier in file.tiers.values():
        for asked in (*tier.of("limits"), *tier.of("comparison")):
            text = next((ROOT / "profiles").glob(f"{asked.profile}.*")).read_text(encoding="utf-8")
            if asked.metric.statistic in ("mean", "percentile"):
                assert "gtod_reduce" not in text, f"{asked.profile} measures no latency"
            for direction in ("read", "write"):
                if f"-{direction}-" in asked.profile:
                    assert asked.metric.direction in (direction, None)


def test_what_is_shipped_is_known_by_its_digests() -> None:
    paths = [ROOT / "thresholds.yaml", *(ROOT / "profiles").glob("*.fio"), *(ROOT / "profiles").glob("*.sysbench")]
    paths += (ROOT / "workloads").glob("*/*")
    found = {str(path.relative_to(ROOT)): digest_of(path.read_text(encoding="utf-8")) for path in paths}
    anew = (
        "sha256sum thresholds.yaml profiles/*.fio profiles/*.sysbench workloads/*/* > acceptance/limits/shipped.sha256"
    )
    assert shipped_digests() == found, f"where that was meant, write them anew: {anew}"


def test_limits_or_loads_that_were_changed_are_not_the_shipped_ones() -> None:
    limits = (ROOT / "thresholds.yaml").read_text(encoding="utf-8")
    loads = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "profiles").iterdir()}
    assert is_shipped(limits=limits, profiles=loads)
    assert is_shipped(limits=limits, profiles=loads | {"order-log.fio": "[order-log]"}), "more loads change none"
    assert not is_shipped(limits=limits.replace("750", "10", 1), profiles=loads)
    easier = loads["sync-write-iops.fio"].replace("fdatasync=1", "fdatasync=0")
    assert not is_shipped(limits=limits, profiles=loads | {"sync-write-iops.fio": easier})


def extending(text: str, tmp_path: Path) -> LimitsFile:
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return load_limits(path, profiles=SHIPPED_PROFILES, shipped_path=ROOT / "thresholds.yaml")


def test_a_tier_of_ones_own_extends_a_shipped_one(tmp_path: Path) -> None:
    own = "{sync-write-iops: {write.iops: {at_least: 1600, because: two a order}}}"
    text = f"version: 1\ntiers: {{shop: {{extends: builtin/production, limits: {own}}}}}"
    mine = extending(text, tmp_path)
    shipped = load_limits(ROOT / "thresholds.yaml", profiles=SHIPPED_PROFILES).tier("production")
    assert list(mine.tiers) == ["shop"], "a file offers its own tiers alone"
    theirs = {words_of(limit) for limit in shipped.of("limits", profile="sync-write-iops")}
    ours = {words_of(limit) for limit in mine.tier("shop").of("limits", profile="sync-write-iops")}
    assert ours - theirs == {"write.iops at least 1,600 IOPS"} and theirs - ours == {"write.iops at least 1,000 IOPS"}
    assert mine.tier("shop").requires == shipped.requires and mine.tier("shop").of("rebuild") == shipped.of("rebuild")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "shop: {extends: builtin/gold}",
            "expected one of the tiers builtin/baseline, builtin/production, shop, found",
        ),
        ("builtin/production: {extends: builtin/baseline}", "expected a name that does not begin with builtin/"),
    ],
)
def test_what_is_wrong_with_extending_a_shipped_tier_is_told(text: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match=problem):
        extending(f"version: 1\ntiers: {{{text}}}", tmp_path)


@pytest.mark.parametrize("file", ["thresholds.yaml", "embedded_cluster/longhorn/limits.yaml"])
def test_the_tiers_require_tests_that_there_are(file: str) -> None:
    for tier in load_limits(ROOT / file, profiles=SHIPPED_PROFILES).tiers.values():
        assert tier.requires
        for required in tier.requires:
            path, _, test = required.partition("::")
            assert f"def {test}(" in (ROOT / path).read_text(encoding="utf-8"), required


def test_a_tier_requires_what_its_parent_requires_and_more(tmp_path: Path) -> None:
    text = GOOD.replace("  baseline:\n", "  baseline:\n    requires: [tests/a.py, mine/b.py::test_b]\n")
    text = text.replace("    extends: baseline\n", "    extends: baseline\n    requires: [tests/c.py, tests/a.py]\n")
    assert read(text, tmp_path).tier("production").requires == ("tests/a.py", "mine/b.py::test_b", "tests/c.py")


@pytest.mark.parametrize("wrong", ["test_a", "tests/a.py::test_b[fast]", "tests/a.py test_b", ""])
def test_what_is_no_test_cannot_be_required(wrong: str, tmp_path: Path) -> None:
    text = GOOD.replace("  baseline:\n", f"  baseline:\n    requires: ['{wrong}']\n")
    with pytest.raises(
        WrongUsage, match=r"thresholds.yaml:4: tiers.baseline.requires.0: expected a test file, or a test"
    ):
        read(text, tmp_path)


def test_limits_are_in_the_metrics_unit_and_describe_themselves(tmp_path: Path) -> None:
    tier = read(GOOD, tmp_path).tier("baseline")
    described = [words_of(limit) for limit in tier.of("limits")]
    assert described == [
        "write.iops at least 750 IOPS",
        "write.bandwidth at least 5 MiB/s",
        "write.bandwidth at most 100 MiB/s",
    ]
    assert [words_of(rule) for rule in tier.of("comparison")] == ["write.iops at most 1.2x the baseline's"]


def test_a_metric_can_carry_both_kinds_of_rule_and_a_child_replaces_one_of_them(tmp_path: Path) -> None:
    both = "cpu.per_operation: {not_better_than_baseline_by: 30%, not_worse_than_baseline_by: 150%, because: it polls}"
    child = (
        "\n    comparison:\n      sync-write-iops:\n"
        "        cpu.per_operation: {not_worse_than_baseline_by: 50%, because: b}\n"
    )
    rule = "write.iops: {not_better_than_baseline_by: 20%, because: not durable}"
    file = read(GOOD.replace(rule, both).rstrip() + child, tmp_path)
    found = {
        name: [(each.rule, each.at["margin"]) for each in tier.of("comparison")] for name, tier in file.tiers.items()
    }
    assert found == {
        "baseline": [("not_better_than_baseline_by", 0.3), ("not_worse_than_baseline_by", 1.5)],
        "production": [("not_better_than_baseline_by", 0.3), ("not_worse_than_baseline_by", 0.5)],
    }


def test_a_tier_replaces_what_it_repeats_and_inherits_the_rest(tmp_path: Path) -> None:
    tier = read(GOOD, tmp_path).tier("production")
    assert [(limit.path, limit.bound) for limit in tier.of("limits")] == [
        ("write.iops", 1000.0),
        ("write.bandwidth", 5 * MIB),
        ("write.bandwidth", 100 * MIB),
    ]
    assert len(tier.of("comparison", profile="sync-write-iops")) == 1


def test_a_child_that_replaces_one_bound_keeps_the_other_with_its_reason(tmp_path: Path) -> None:
    text = GOOD.replace(
        "write.iops: {at_least: 1000, because: commits", "write.bandwidth: {at_most: 50MiB/s, because: we"
    )
    found = {limit.rule: limit for limit in read(text, tmp_path).tier("production").of("limits")[1:]}
    assert {kind: (each.bound, each.because) for kind, each in found.items()} == {
        "at_least": (5 * MIB, "commits wait for it"),
        "at_most": (50 * MIB, "we wait for it"),
    }


def test_a_profile_without_limits_is_no_error(tmp_path: Path) -> None:
    assert read(GOOD, tmp_path).tier("baseline").of("limits", profile="etcd-fsync") == ()


def test_an_unknown_tier_names_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match="baseline, production, found 'gold'"):
        read(GOOD, tmp_path).tier("gold")


@pytest.mark.parametrize(
    ("old", "new", "line", "path", "says"),
    [
        ("version: 1", "version: 2", 1, "version", "expected 1"),
        ("version: 1\n", "", 1, "version", "expected this key, found nothing"),
        ("at_least: 750", "at_leats: 750", 6, "…write.iops.at_leats", "keys that are known"),
        ("at_least: 750", "at_least: 10ms", 6, "…write.iops.at_least", "750 or 30/min, found '10ms'"),
        ("at_most: 100MiB/s", "at_most: 10", 7, "…write.bandwidth.at_most", "found 10, which has no unit"),
        ("at_least: 750", "at_least: -1", 6, "…write.iops.at_least", "negative"),
        ("at_least: 750", "at_least: 0", 6, "…write.iops.at_least", "above zero"),
        ("at_least: 750, ", "", 6, "…write.iops", "at_least or at_most, found neither"),
        ("at_least: 750, because: commits wait for it", "at_least: 750", 6, "…write.iops.because", "expected this key"),
        ("750, because: commits wait for it", "750, because: ' '", 6, "…write.iops.because", "expected a sentence"),
        ("at_most: 100MiB/s", "at_most: 1MiB/s", 7, "…write.bandwidth", "can be met together"),
        ("write.bandwidth", "write.latency.p100", 7, "…write.latency.p100", "below 100"),
        ("write.bandwidth", "write.latency.p0", 7, "…write.latency.p0", "above 0"),
        ("write.bandwidth", "sync.bandwidth", 7, "…sync.bandwidth", "sync has iops and latency only"),
        (
            "write.iops: {at_least: 750",
            "write.latency.mean: {at_least: 1ms",
            6,
            "…write.latency.mean.at_least",
            "at_most",
        ),
        (
            "write.iops: {at_least: 750",
            "stall.longest: {at_least: 1s",
            6,
            "…stall.longest.at_least",
            "expected at_most",
        ),
        ("write.iops: {at_least: 750", "cpu.use: {at_least: 10%", 6, "…cpu.use.at_least", "expected at_most"),
        (
            "by: 20%",
            "by: 0.2",
            10,
            "tiers.baseline.comparison.sync-write-iops.write.iops.not_better_than_baseline_by",
            "such as 20%",
        ),
        (
            "not_better_than_baseline_by: 20%, ",
            "",
            10,
            "tiers.baseline.comparison.sync-write-iops.write.iops",
            "not_better_than_baseline_by or not_worse_than_baseline_by, found neither",
        ),
        ("extends: baseline", "extends: base", 13, "tiers.production.extends", "baseline, production, found 'base'"),
        ("extends: baseline", "extends: production", 13, "tiers.production.extends", "production -> production"),
        (
            "    limits:\n      sync-write",
            "    limits:\n      sink",
            5,
            "tiers.baseline.limits.sink-iops",
            "etcd-fsync, sync",
        ),
        ("description: More", "description: {}", 12, "tiers.production.description", "expected text"),
        ("description: More", "descriptoin: More", 12, "tiers.production.descriptoin", "keys that are known"),
    ],
)
def test_each_error_has_its_line_and_path_and_says_what_was_wanted(
    old: str, new: str, line: int, path: str, says: str, tmp_path: Path
) -> None:
    assert GOOD.count(old) >= 1
    first = errors(GOOD.replace(old, new, 1), tmp_path)[0]
    where = path.replace("…", "tiers.baseline.limits.sync-write-iops.")
    assert first.startswith(f"thresholds.yaml:{line}: {where}: ")
    assert says in first


def test_all_errors_are_reported_together_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = GOOD.replace("at_least: 750", "at_least: 10ms, at_least: 3").replace("extends: baseline", "extends: gone")
    found = errors(text.replace("at_least: 1000, ", "") + "owner: me\n", tmp_path)
    assert [line.split(": ")[0] for line in found] == [f"thresholds.yaml:{line}" for line in (6, 6, 13, 16, 17)]
    assert "expected each key once" in found[0] + found[1]


def test_a_circle_of_parents_is_reported_at_each_of_its_tiers(tmp_path: Path) -> None:
    found = errors(GOOD.replace("  baseline:\n", "  baseline:\n    extends: production\n", 1), tmp_path)
    assert "baseline -> production -> baseline" in found[0]
    assert "production -> baseline -> production" in found[1]


def test_a_child_cannot_ask_for_what_its_parent_forbids(tmp_path: Path) -> None:
    text = GOOD.replace("write.iops: {at_least: 1000", "write.bandwidth: {at_least: 200MiB/s")
    (found,) = errors(text, tmp_path)
    assert "found at least 200 MiB/s (tier production) and at most 100 MiB/s (tier baseline)" in found


@pytest.mark.parametrize(
    "entry",
    ["write.latency.mean: {not_better_than_baseline_by: 100%", "write.iops: {not_worse_than_baseline_by: 100%"],
)
def test_nothing_can_be_all_of_itself_lower(entry: str, tmp_path: Path) -> None:
    (found,) = errors(GOOD.replace("write.iops: {not_better_than_baseline_by: 20%", entry), tmp_path)
    assert "below 100%" in found


@pytest.mark.parametrize("text", ["", "[]", "tiers: {}", "version: 1\ntiers: {}", "version: 1\ntiers: {a: {}}", "a: ["])
def test_a_file_without_limits_is_refused(text: str, tmp_path: Path) -> None:
    assert errors(text, tmp_path)


def test_a_file_that_cannot_be_read_is_wrong_usage(tmp_path: Path) -> None:
    for path in (tmp_path / "none.yaml", tmp_path):
        with pytest.raises(WrongUsage, match="expected a readable file"):
            load_limits(path, profiles=PROFILES)


@pytest.mark.parametrize(
    "path",
    [
        "read.iops",
        "write.bandwidth",
        "sync.latency.mean",
        "read.latency.p99.99",
        "cpu.use",
        "cpu.per_operation",
        "stall.longest",
    ],
)
def test_a_metric_knows_its_unit_and_which_side_is_better(path: str) -> None:
    metric = Metric.parse(path)
    assert str(metric) == path
    assert metric.unit == {"iops": "1/s", "bandwidth": "B/s", "cpu": "cpu"}.get(metric.statistic, "s")
    assert metric.higher_is_better == (metric.unit in ("1/s", "B/s"))


@pytest.mark.parametrize(
    "path", ["", "iops", "write.iops.mean", "trim.iops", "write.latency", "write.latency.p", "Write.iops", "write.cpu"]
)
def test_an_unknown_metric_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="expected a metric such as"):
        Metric.parse(path)


@pytest.mark.parametrize(
    ("kind", "bounds"),
    [
        ("not_better_than_baseline_by", [("at_most", 1.25), ("at_least", 0.75), ("at_least", 0.75)]),
        ("not_worse_than_baseline_by", [("at_least", 0.75), ("at_most", 1.25), ("at_most", 1.25)]),
    ],
)
def test_better_is_higher_for_rates_and_lower_for_latencies_and_cpu_use(
    kind: RuleKind, bounds: list[tuple[str, float]]
) -> None:
    rules = [
        made_rule(profile="p", metric=Metric.parse(path), kind=kind, margin=0.25, because="b")
        for path in ("write.iops", "write.latency.mean", "cpu.per_operation")
    ]
    assert [(rule.operator, rule.bound) for rule in rules] == bounds


@pytest.mark.parametrize("order", list(itertools.permutations(["baseline", "production", "gold"])))
def test_the_order_of_tiers_in_the_file_means_nothing(order: tuple[str, ...], tmp_path: Path) -> None:
    tiers = yaml.safe_load(GOOD)["tiers"] | {"gold": {"extends": "production"}}
    text = yaml.safe_dump({"version": 1, "tiers": {name: tiers[name] for name in order}}, sort_keys=False)
    assert [limit.bound for limit in read(text, tmp_path).tier("gold").of("limits")] == [1000.0, 5 * MIB, 100 * MIB]


def test_what_longhorn_is_held_to_demands_no_less_of_its_function_than_the_shipped_limits() -> None:
    """Speed is of the machine. No tier is extended, which would judge it after all."""
    shipped, lab = _shipped_and_lab()
    assert set(shipped.requires) <= set(lab.requires) and lab.extends is None
    told = {(rule.profile, words_of(rule)) for rule in shipped.of("comparison")}
    assert lab.of("comparison") and {(rule.profile, words_of(rule)) for rule in lab.of("comparison")} <= told


def test_what_longhorn_is_held_to_leaves_out_no_kind_of_limit() -> None:
    """Else its tests would be skipped for a reason of this project's. History is of other runs."""
    shipped, lab = _shipped_and_lab()
    assert _kinds(shipped) - _kinds(lab) == set()


def _shipped_and_lab() -> tuple[Tier, Tier]:
    """What storage is held to, and what Longhorn on one small machine is."""
    shipped = load_limits(ROOT / "thresholds.yaml", profiles=SHIPPED_PROFILES).tier("baseline")
    return shipped, load_limits(ROOT / "embedded_cluster/longhorn/limits.yaml", profiles=SHIPPED_PROFILES).tier("lab")


def _kinds(tier: Tier) -> set[tuple[str, str]]:
    """What kinds of limits a tier has, but for comparisons; of what runs no profile, each figure is a kind."""
    return {
        (limit.section, limit.rule if limit.profile in SHIPPED_PROFILES else limit.path.split(".")[0])
        for limit in tier.limits
        if limit.section not in ("comparison", "history")
    }


@pytest.mark.parametrize(("path", "instead"), [("cpu.use", "cpu.per_operation"), ("stall.longest", "limits:")])
def test_a_metric_whose_ratio_says_nothing_is_not_compared(tmp_path: Path, path: str, instead: str) -> None:
    rule = "write.iops: {not_better_than_baseline_by: 20%, because: not durable}"
    wrong = GOOD.replace(rule, f"{path}: {{not_worse_than_baseline_by: 50%, because: b}}")
    (found,) = (line for line in errors(wrong, tmp_path) if "can be compared" in line)
    assert path in found and instead in found

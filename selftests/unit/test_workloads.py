"""Workloads by name: what each folder holds, how its limits join those of a tier, and what a run says of them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from acceptance.limits.asked import asked_limit, with_limits
from acceptance.limits.file import load_limits
from acceptance.limits.shipped import is_shipped
from acceptance.limits.tiers import Tier
from acceptance.limits.workloads import WorkloadLimits, family_of, load_workload, with_workloads
from acceptance.loads.fio.job_file import read_job_file
from acceptance.loads.profile_folder import find_profiles
from acceptance.report.overview import verdict_sentence
from acceptance.report.summary import render_summary
from acceptance.report.workloads import workload_rows, workload_sentences
from acceptance.results.conditions import Conditions, TierLimit
from acceptance.results.document import Results, Status, Verdict
from acceptance.results.workloads import WORKLOADS, CarriedWorkload
from selftests.unit.flat_verdicts import flat_verdict
from selftests.unit.test_report import Page, results

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "workloads"
JOB_FILES = sorted(FOLDER.glob("*/*.fio"))
SHIPPED = load_limits(ROOT / "thresholds.yaml", profiles={path.stem for path in (ROOT / "profiles").iterdir()})
UNITS = {"iops": "1/s", "bandwidth": "B/s", "p99": "s"}


def workload(name: str, *tiers: str) -> WorkloadLimits:
    assert name in WORKLOADS
    return load_workload(name, profiles=list(find_profiles(FOLDER / name)), tiers=tiers)


def values(tier: Tier, profile: str) -> dict[str, float]:
    return {str(limit.metric): limit.bound for limit in tier.of("limits", profile=profile)}


def test_each_name_is_a_folder_and_each_folder_has_a_name() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(WORKLOADS)


@pytest.mark.parametrize("name", WORKLOADS)
def test_each_has_one_or_two_profiles_of_its_name_each_with_limits_in_both_tiers(name: str) -> None:
    profiles = find_profiles(FOLDER / name)
    assert len(profiles) in (1, 2)
    assert all(profile.startswith(f"{name}-") for profile in profiles)
    assert not any(profile in find_profiles(ROOT / "profiles") for profile in profiles)
    least, more = workload(name, "baseline"), workload(name, "production")
    assert {limit.profile for limit in least.limits} == {*profiles} == {limit.profile for limit in more.limits}
    known = {(limit.profile, str(limit.metric)): limit for limit in least.limits}
    for limit in more.limits:
        lower = known[limit.profile, str(limit.metric)]
        assert limit.bound >= lower.bound if limit.operator == "at_least" else limit.bound <= lower.bound


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_limit_that_nobody_has_published_says_who_derived_it(name: str) -> None:
    for limit in (*workload(name, "baseline").limits, *workload(name, "production").limits):
        sourced = re.search(r"\(source: ", limit.because)
        assert sourced or "derived by this project" in limit.because, limit.because


def test_longhorn_on_one_small_machine_has_a_limit_of_its_own_for_each_of_postgresqls() -> None:
    """Else that machine's speed would be judged; together, because the tier stands in the other file."""
    folder, asked = ROOT / "embedded_cluster" / "longhorn", workload("postgresql", "baseline")
    names = ("limits.yaml", "limits-postgresql.yaml")
    profiles = {*asked.profiles, *(path.stem for path in (ROOT / "profiles").iterdir())}
    tier = load_limits([folder / name for name in names], profiles=profiles).tier("lab")
    assert with_workloads(tier, [asked]) == tier


@pytest.mark.parametrize("path", JOB_FILES, ids=lambda path: path.stem)
def test_each_profile_says_what_it_is_and_how_to_run_it_by_hand(path: Path) -> None:
    about = read_job_file(path).about
    assert "Source: " in about
    assert f"fio workloads/{path.parent.name}/{path.name}" in about


@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
@pytest.mark.parametrize("path", JOB_FILES, ids=lambda path: path.stem)
def test_fio_takes_the_job_file(path: Path, tmp_path: Path) -> None:
    environment = os.environ | {"FILE": str(tmp_path / "data"), "SIZE": "1048576", "RUNTIME": "1s"}
    parsed = subprocess.run(["fio", "--parse-only", path], env=environment, capture_output=True, text=True, check=False)
    assert (parsed.returncode, parsed.stderr) == (0, "")


def test_a_metric_of_its_limits_is_one_that_the_profile_shows() -> None:
    for path in JOB_FILES:
        text = path.read_text(encoding="utf-8")
        moves = re.search(r"^readwrite=(\w+)$", text, re.MULTILINE)
        assert moves is not None
        for limit in workload(path.parent.name, "production").limits:
            if limit.profile != path.stem:
                continue
            shown = {"write": "write|rw", "read": "read|rw", "sync": "write"}[str(limit.metric.direction)]
            assert re.search(shown, moves[1]), (path, str(limit.metric))
            assert limit.metric.direction != "sync" or "fdatasync=1" in text


# What the arithmetic in the files says, done again.
@pytest.mark.parametrize(
    ("name", "profile", "metric", "derived"),
    [
        ("postgresql", "postgresql-checkpoint", "write.iops", (2**30 / 8192 / 270, 4 * 2**30 / 8192 / 270)),
        ("mysql", "mysql-commit", "write.iops", (2 * 250, 2 * 500)),
        ("kafka", "kafka-catch-up", "read.bandwidth", (2 * 10_000 * 1024, 2 * 40_000 * 1024)),
        ("prometheus", "prometheus-wal", "write.iops", (13 * 1e5 / 32768, 13 * 5e5 / 32768)),
        ("prometheus", "prometheus-replay", "read.bandwidth", (13e5 * 3 * 3600 / 600, 65e5 * 3 * 3600 / 600)),
        ("registry", "registry-pull", "read.bandwidth", (20 * 500 * 2**20 / 300, 50 * 500 * 2**20 / 300)),
        ("registry", "registry-push", "write.bandwidth", (4 * 500 * 2**20 / 120, 10 * 500 * 2**20 / 120)),
        ("vm", "vm-flush", "write.iops", (2000 / 10, 2000 / 4)),
        ("ai-checkpoint", "ai-checkpoint-save", "write.bandwidth", (105e9 / 8 / 90, 105e9 / 90)),
        ("ai-checkpoint", "ai-checkpoint-restore", "read.bandwidth", (105e9 / 8 / 60, 105e9 / 60)),
        ("backup", "backup-read", "read.bandwidth", (2**40 / 8 / 3600, 2**42 / 8 / 3600)),
        ("backup", "backup-restore", "write.bandwidth", (2**40 / 8 / 3600, 2**40 / 2 / 3600)),
    ],
)
def test_a_derived_limit_is_what_its_arithmetic_gives(
    name: str, profile: str, metric: str, derived: tuple[float, float]
) -> None:
    for tier, value in zip(("baseline", "production"), derived, strict=True):
        found = values(with_workloads(SHIPPED.tier(tier), [workload(name, tier)]), profile)[metric]
        assert 0.99 * value <= found <= 1.04 * value


def test_the_shipped_tiers_are_the_same_without_a_workload_and_have_its_limits_with_one() -> None:
    tier = SHIPPED.tier("production")
    assert with_workloads(tier, []) == tier
    with_one = with_workloads(tier, [workload("etcd", "production")])
    assert with_one.limits[: len(tier.limits)] == tier.limits
    assert values(with_one, "etcd-wal-8k") == {"write.iops": 500.0, "sync.latency.p99": 0.01}


def test_the_nearest_tier_that_the_workload_knows_counts(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    limit = "{sync-write-iops: {write.iops: {at_least: 1600, because: two an order}}}"
    own.write_text(
        f"version: 1\ntiers:\n  shop: {{extends: builtin/production, limits: {limit}}}\n"
        f"  till: {{extends: shop, limits: {limit}}}\n  lab: {{limits: {limit}}}\n"
    )
    found = load_limits(
        own,
        profiles={"sync-write-iops"} | {x.profile for x in SHIPPED.tier("production").of("limits")},
        shipped_path=ROOT / "thresholds.yaml",
    )
    assert family_of(found.tier("till"), found) == ["till", "shop", "production"]
    assert family_of(found.tier("lab"), found) == ["lab"]
    assert family_of(SHIPPED.tier("production"), SHIPPED) == ["production", "baseline"]
    assert workload("etcd", *family_of(found.tier("till"), found)).limits == workload("etcd", "production").limits
    assert workload("etcd", "lab").limits == workload("etcd", "baseline").limits
    assert [each.bound for each in workload("etcd", "till", "production").limits] == [500.0, 0.01]
    assert [each.bound for each in workload("etcd", "lab").limits] == [50.0, 0.01]


def test_a_limit_of_ones_own_takes_the_place_of_the_workloads(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(
        "version: 1\ntiers: {shop: {limits: {etcd-wal-8k: {write.iops: {at_least: 70, because: we have measured it}}}}}"
    )
    tier = load_limits(own, profiles={"etcd-wal-8k"}).tier("shop")
    merged = with_workloads(tier, [workload("etcd", "shop")])
    assert values(merged, "etcd-wal-8k") == {"write.iops": 70.0, "sync.latency.p99": 0.01}
    asked = with_limits(merged, [asked_limit("etcd-wal-8k.write.iops>=90")], profiles={"etcd-wal-8k"})
    assert values(asked, "etcd-wal-8k")["write.iops"] == 90.0


def test_a_workload_that_was_made_easier_is_not_the_shipped_one() -> None:
    limits = (ROOT / "thresholds.yaml").read_text(encoding="utf-8")
    texts = {str(path.relative_to(FOLDER)): path.read_text(encoding="utf-8") for path in FOLDER.glob("*/*")}
    assert is_shipped(limits=limits, profiles={}, workloads=texts)
    easier = texts["etcd/etcd-wal-8k.fio"].replace("fdatasync=1", "fdatasync=0")
    assert not is_shipped(limits=limits, profiles={}, workloads=texts | {"etcd/etcd-wal-8k.fio": easier})


LIMITS = {"write.iops": "write.iops at least 500 IOPS", "read.iops": "read.iops at least 490 IOPS"}


def verdict(metric: str, status: Status, *, measured: float | None = 600.0) -> Verdict:
    return flat_verdict(
        id=f"fast/postgresql-commit/{metric}/at-least",
        test=f"tests/test_workloads.py::test_class_is_fast_enough_for_the_workload[{metric}]",
        storage_class="fast",
        profile="postgresql-commit",
        metric=metric,
        rule="at_least",
        limit=LIMITS[metric],
        measured=measured,
        low=None,
        high=None,
        unit="1/s",
        status=status,
        reason="it was so",
        subject="workloads",
    )


def found(*verdicts: Verdict) -> Results:
    base = results(verdicts=list(verdicts))
    known = Conditions(
        profiles={},
        limits_file="",
        limits=[TierLimit(profile="postgresql-commit", limit=limit) for limit in LIMITS.values()],
        workloads=[CarriedWorkload(name="postgresql", about="PostgreSQL <3", profiles=["postgresql-commit"])],
    )
    return base.model_copy(update={"tested_with": known})


@pytest.mark.parametrize(
    ("statuses", "said"),
    [
        (("pass", "pass"), "passes (2 of 2 limits pass)"),
        (("pass", "fail"), "fails (1 of 2 limits pass)"),
        (("inconclusive", "pass"), "is inconclusive (1 of 2 limits pass)"),
        (("fail", "inconclusive"), "fails (0 of 2 limits pass)"),
        (("pass",), "is not judged (1 of 2 limits pass)"),
        (("fail",), "fails (0 of 2 limits pass)"),
        (("pass", "skipped"), "is not judged (1 of 2 limits pass)"),
    ],
)
def test_a_workload_passes_only_when_all_its_limits_do(statuses: tuple[Status, ...], said: str) -> None:
    run = found(*(verdict(metric, status) for metric, status in zip(LIMITS, statuses, strict=False)))
    assert list(workload_sentences(run)) == [f"for postgresql: fast {said}"]


def test_another_tests_verdict_on_the_same_profile_is_not_the_workloads() -> None:
    run = found(*(verdict(metric, "pass").model_copy(update={"subject": "speed"}) for metric in LIMITS))
    assert workload_rows(run)[0].status is None


def test_the_report_has_a_row_of_it_with_limits_in_words_and_names_it_beside_the_tier() -> None:
    run = found(verdict("write.iops", "fail", measured=120.0))
    text = Page(render_summary(run)).text
    assert "Fit for named workloads" in text and "PostgreSQL <3" in text
    assert "postgresql-commit: write.iops at least 500 IOPS (fail, 120 IOPS)" in text
    assert "postgresql-commit: read.iops at least 490 IOPS (not judged)" in text
    assert "for postgresql" in verdict_sentence(run)


def test_a_run_without_a_workload_has_no_row() -> None:
    assert workload_rows(results()) == []


def test_a_run_adds_the_loads_of_a_workload_and_nothing_where_none_is_named(
    planned: Callable[..., tuple[int, str]],
) -> None:
    options = ("-c", "tox.ini", "--storage-embedded=no-such-cluster", "--storage-class=fast", "tests/test_workloads.py")
    status, output = planned(*options, "--storage-for=etcd", "--storage-for=vm")
    assert status == 0, output
    assert [name for name in ("etcd-wal-8k", "vm-disk", "vm-flush") if f"{name} on fast" not in output] == []
    assert "postgresql-" not in output and "sync-write-iops" not in output
    assert "no workload is named; name the workloads of the class with" in planned(*options)[1]


def test_an_unknown_workload_and_a_name_that_is_taken_are_told_of(
    planned: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    options = ("-c", "tox.ini", "--storage-embedded=no-such-cluster", "--storage-class=fast", "tests/test_workloads.py")
    status, output = planned(*options, "--storage-for=oracle")
    assert status == 4
    assert "--storage-for: expected workloads of etcd, postgresql, " in output and "found 'oracle'" in output
    shutil.copy(FOLDER / "etcd" / "etcd-wal-8k.fio", tmp_path)
    status, output = planned(*options, "--storage-for=etcd", f"--storage-profiles={tmp_path}")
    assert status == 4
    assert "etcd-wal-8k: a workload has this name; rename the file" in output

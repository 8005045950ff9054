"""Many files: what limits may say, when a rate and a start pass or fail, and what too few files leave open."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import JsonValue

from acceptance.judging.many_files import judge_many_files
from acceptance.limits.declared import START_ASPECTS
from acceptance.limits.file import load_limits
from acceptance.limits.limit import Limit
from acceptance.limits.tiers import ALL_OPTIONS, Tier
from acceptance.loads.profile_folder import find_profiles
from acceptance.planning.assumed_throughput import EMBEDDED_CLUSTER
from acceptance.planning.single_volumes import with_many_files
from acceptance.results.many_files import FILE_OPERATIONS, ManyFilesRecord
from acceptance.settings.run import Settings
from acceptance.text.errors import WrongUsage
from selftests.unit.made_limits import words_of
from selftests.unit.many_files_records import FILES, limit, rate, record, started

ROOT = Path(__file__).parents[2]
TEXT = """\
version: 1
tiers:
  baseline:
    many_files:
      files: 2000
      create: {at_most: 20s, because: restores wait}
      start_growth: {at_most: 4s, because: pods wait}
  strict:
    extends: baseline
    many_files:
      create: {at_most: 5s}
"""


def tier(folder: Path, text: str, name: str = "baseline") -> Tier:
    (folder / "limits.yaml").write_text(text, encoding="utf-8")
    return load_limits(folder / "limits.yaml", profiles=[]).tier(name)


def judged(found: ManyFilesRecord, asked: Limit) -> tuple[str, str]:
    verdict = judge_many_files(found, asked)
    return verdict.status, verdict.reason


def test_limits_are_read_and_inherited(tmp_path: Path) -> None:
    found = {each.path: each for each in tier(tmp_path, TEXT).of("many_files")}
    assert {name: (each.at["files"], each.bound) for name, each in found.items()} == {
        "create": (2000, 20.0),
        "start_growth": (2000, 4.0),
    }
    assert words_of(found["create"]) == "2,000 files created: at most 20 s"
    assert "2,000 files, pod ready on them, later than" in words_of(found["start_growth"])
    strict = {each.path: each for each in tier(tmp_path, TEXT, "strict").of("many_files")}
    assert (strict["create"].at["files"], strict["create"].bound, strict["create"].because) == (
        FILES,
        5.0,
        "restores wait",
    )


def test_they_count_where_they_are_asked_for(tmp_path: Path) -> None:
    found = tier(tmp_path, TEXT)
    assert found.asked_with(ALL_OPTIONS - {"many_files"}) == ()
    assert found.asked_with(["many_files"]) == found.of("many_files")


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("create: {at_most: 0s, because: x}", "expected a value above zero"),
        ("files: 10", "expected create, list, stat, delete, start, start_growth or other_group, found"),
        ("{files: 0, create: {at_most: 1s, because: x}}", "files"),
        ("rename: {at_most: 1s, because: x}", "rename"),
    ],
)
def test_what_makes_no_sense_is_told(said: str, wrong: str, tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match=wrong):
        tier(tmp_path, f"version: 1\ntiers:\n  baseline:\n    many_files:\n      {said}\n")


def test_the_shipped_tiers_ask_for_everything() -> None:
    shipped = load_limits(ROOT / "thresholds.yaml", profiles=find_profiles(ROOT / "profiles"))
    for name in ("baseline", "production"):
        limits = shipped.tier(name).of("many_files")
        assert [each.path for each in limits] == [*FILE_OPERATIONS, *START_ASPECTS]
        assert {each.at["files"] for each in limits} == {FILES}


@pytest.mark.parametrize(
    ("at_most", "status"), [(110.0, "pass"), (100.0, "fail"), (105.2, "inconclusive"), (104.8, "inconclusive")]
)
def test_the_whole_interval_of_a_rate_decides(at_most: float, status: str) -> None:
    """A hundred folders of a thousand files take 105 s."""
    found = judge_many_files(record(rate()), limit("create", at_most))
    assert found.status == status, found.reason
    assert found.measured == pytest.approx(105.0) and found.low is not None and found.low < 105.0
    assert "100,000 files on fast were created at 952 a second; 100,000 take 105 s (98% CI " in found.reason


def test_a_rate_of_few_files_passes_nothing_and_fails_all_the_same() -> None:
    few = record(rate(files=1000, seconds=[0.01, 0.011] * 50), files=1000)
    status, reason = judged(few, limit("create", 600.0))
    assert status == "inconclusive"
    assert "the limit is for 100,000 files, and the volume had 1,000: set the same number with --storage-" in reason
    assert judged(few, limit("create", 60.0))[0] == "fail"


def test_what_was_given_up_after_two_folders_fails_by_the_time_it_took() -> None:
    late = record(rate(seconds=[700.0, 600.0], files=2000), files=2000)
    status, reason = judged(late, limit("create", 600.0))
    assert status == "fail" and "2,000 files on fast were created in 21.67 min" in reason
    assert judged(late, limit("create", 3600.0))[0] == "inconclusive"


def test_what_was_never_done_is_open() -> None:
    for asked in (limit("stat", 1.0), limit("start", 1.0), limit("start_growth", 1.0), limit("other_group", 1.0)):
        assert judged(record(rate()), asked)[0] == "inconclusive"


@pytest.mark.parametrize(
    ("full", "status"), [((2.0, 3.0, 9.9), "pass"), ((2.0, 3.0, 11.1), "fail"), ((2.0, 3.0, 10.5), "inconclusive")]
)
def test_the_slowest_start_counts(full: tuple[float, ...], status: str) -> None:
    """A pod is looked at once a second: what it has started later than is not known."""
    starts = [*started(full=full), *started("other-group", empty=[1.0], full=[99.0])]
    assert judged(record(starts=starts), limit("start", 10.0))[0] == status
    assert judged(record(starts=starts), limit("other_group", 10.0))[0] == "fail"


def test_a_pod_that_never_started_fails_with_its_reason_unless_nobody_waited_long_enough() -> None:
    never = record(starts=started(full=[1.0, None]))
    status, reason = judged(never, limit("start", 150.0))
    assert status == "fail" and "had not started after 5 min (it waits <b>)" in reason.replace("300 s", "5 min")
    assert judged(never, limit("start", 600.0))[0] == "inconclusive"
    assert judged(never, limit("start_growth", 10.0))[0] == "fail"


def test_a_start_on_fewer_files_passes_nothing_and_one_on_more_fails_nothing() -> None:
    quick, slow = started(files=50_000), started(full=[20.0], files=200_000)
    assert judged(record(starts=quick, files=50_000), limit("start", 10.0))[0] == "inconclusive"
    assert judged(record(starts=slow, files=200_000), limit("start", 10.0))[0] == "inconclusive"
    assert judged(record(starts=slow, files=200_000), limit("start", 30.0))[0] == "pass"
    assert judged(record(starts=slow, files=50_000), limit("start", 10.0))[0] == "fail"


@pytest.mark.parametrize(
    ("full", "status"),
    [((1.5, 1.6, 1.4), "pass"), ((11.0, 12.0, 11.5), "fail"), ((4.0, 5.0, 6.0), "inconclusive")],
)
def test_growth_is_what_every_start_on_files_takes_more_than_any_on_none(full: tuple[float, ...], status: str) -> None:
    found = record(starts=started(full=full))
    said, reason = judged(found, limit("start_growth", 4.0))
    assert said == status, reason
    assert "pods on 100,000 files on fast started " in reason and "later than those on an empty volume" in reason


def test_other_groups_are_no_growth() -> None:
    starts = [*started(), *started("other-group", empty=[1.0], full=[99.0])]
    assert judged(record(starts=starts), limit("start_growth", 4.0))[0] == "pass"


def test_the_plan_counts_both_volumes_the_baselines_and_all_pods() -> None:
    settings = Settings(thresholds=ROOT / "thresholds.yaml", profiles=ROOT / "profiles")
    step = with_many_files("fast", settings, files=FILES, baseline="local", speeds=EMBEDDED_CLUSTER)
    assert [(volume.storage_class, volume.number) for volume in step.volumes] == [("fast", 2), ("local", 1)]
    assert step.pods == 10 + 3 + 3
    alone = with_many_files("fast", settings, files=FILES, baseline=None, speeds=EMBEDDED_CLUSTER)
    assert 200 < alone.about_s < step.about_s < 700
    assert alone.description == "fast: 100,000 files created, looked up and deleted; 10 pods started"


def told(found: ManyFilesRecord, asked: Limit) -> tuple[str, dict[str, JsonValue]]:
    verdict = judge_many_files(found, asked)
    assert verdict.outcome is not None and verdict.requirement.at == asked.at
    return verdict.outcome.code, verdict.outcome.facts


@pytest.mark.parametrize(
    ("at_most", "code"), [(110.0, "rate_within"), (100.0, "rate_outside"), (105.0, "rate_on_both_sides")]
)
def test_how_soon_files_are_done_is_data(at_most: float, code: str) -> None:
    expected = {"files": FILES, "seconds_each": pytest.approx(105.0 / FILES)}
    assert told(record(rate()), limit("create", at_most)) == (f"many_files.{code}", expected)


def test_why_files_are_too_few_is_data() -> None:
    few = record(rate("stat", files=1000, seconds=[0.01, 0.011] * 50), files=2000)
    expected = {"files": 1000, "seconds_each": pytest.approx(0.00105)}
    assert told(few, limit("stat", 600.0)) == ("many_files.rate_of_too_few", expected)
    late = record(rate(seconds=[700.0, 600.0], files=2000), files=2000)
    assert told(late, limit("create", 600.0)) == ("many_files.time_outside", {"files": 2000})
    assert told(late, limit("create", 3600.0)) == ("many_files.too_few_folders", {"files": 2000})


def test_what_nobody_saw_is_told_by_its_code() -> None:
    no_empty = record(starts=[each.model_copy(update={"seconds": None}) for each in started() if not each.files])
    assert told(record(), limit("create", 1.0)) == ("many_files.never_done", {})
    assert told(record(), limit("start", 1.0)) == ("many_files.no_such_pod", {})
    assert told(no_empty, limit("start_growth", 1.0)) == ("many_files.no_start_on_none", {})


@pytest.mark.parametrize(
    ("slowest", "files", "code"),
    [
        (9.9, FILES, "start_within"),
        (11.1, FILES, "start_outside"),
        (10.5, FILES, "start_on_both_sides"),
        (9.9, 50_000, "start_on_another_number"),
        (11.1, 200_000, "start_on_another_number"),
    ],
)
def test_how_soon_pods_start_is_data(slowest: float, files: int, code: str) -> None:
    found = record(starts=started(full=[2.0, slowest], files=files), files=files)
    assert told(found, limit("start", 10.0)) == (f"many_files.{code}", {"pods": 2, "files": files})


@pytest.mark.parametrize(
    ("at_most", "files", "code"),
    [
        (150.0, FILES, "no_start_outside"),
        (600.0, FILES, "no_start_on_both_sides"),
        (150.0, 200_000, "no_start_on_another_number"),
    ],
)
def test_that_a_pod_did_not_start_is_data(at_most: float, files: int, code: str) -> None:
    found = record(starts=started(full=[1.0, None], files=files), files=files)
    expected = {"pods": 2, "files": files, "timeout_s": 300.0, "why": "it waits <b>"}
    assert told(found, limit("start", at_most)) == (f"many_files.{code}", expected)


@pytest.mark.parametrize(
    ("slowest", "files", "code", "more"),
    [
        (1.6, FILES, "growth_within", {}),
        (12.0, FILES, "growth_outside", {}),
        (6.0, FILES, "growth_on_both_sides", {}),
        (1.6, 50_000, "growth_on_another_number", {}),
        (None, FILES, "growth_outside", {"low_s": 300.0 - 1.6 - 1.0}),
    ],
)
def test_how_much_later_pods_start_is_data(
    slowest: float | None, files: int, code: str, more: dict[str, float]
) -> None:
    found = record(starts=started(full=[1.5, slowest], files=files), files=files)
    assert told(found, limit("start_growth", 4.0)) == (f"many_files.{code}", {"pods": 2, "files": files, **more})

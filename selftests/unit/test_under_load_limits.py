"""The section `latency_under_load` of a tier, and the profiles that it can be on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from acceptance.limits.file import load_limits
from acceptance.limits.tiers import ALL_OPTIONS, Tier
from acceptance.loads.fio.job_file import read_job_file
from acceptance.text.errors import WrongUsage
from acceptance.trials.speed.under_load import limited_form, shares_of
from selftests.unit.made_limits import words_of
from selftests.unit.published_figures import ROOT
from selftests.unit.simulated_shares import at_most

PROFILES = {path.stem for path in (ROOT / "profiles").iterdir()}
WRITES = "{random-write-iops: {write.latency.p99: {at_most: 3ms, of_capacity: 80%, because: b}}}"


def tier(tmp_path: Path, section: str, *, child: str = "") -> Tier:
    file = tmp_path / "limits.yaml"
    text = f"version: 1\ntiers:\n  parent:\n    latency_under_load: {section}\n"
    file.write_text(text + (f"  child:\n    extends: parent\n    latency_under_load: {child}\n" if child else ""))
    return load_limits(file, profiles=PROFILES, shipped_path=ROOT / "thresholds.yaml").tier(
        "child" if child else "parent"
    )


def test_it_is_read_and_asked_of_a_class_on_request_only(tmp_path: Path) -> None:
    found = tier(tmp_path, WRITES)
    assert [words_of(each) for each in found.of("latency_under_load")] == [
        "write.latency.p99 at most 3 ms at 80 % of the capacity"
    ]
    assert found.of("limits") == () and found.profiles == {"random-write-iops"}
    assert found.asked_with(ALL_OPTIONS - {"latency_under_load"}) == ()
    assert found.asked_with(["latency_under_load"]) == found.of("latency_under_load")


def test_a_child_replaces_the_limit_of_its_parent(tmp_path: Path) -> None:
    found = tier(tmp_path, WRITES, child=WRITES.replace("3ms", "2ms").replace("80%", "50%"))
    assert [(each.bound, each.at["of_capacity"]) for each in found.of("latency_under_load")] == [(0.002, 0.5)]


def test_a_family_of_profiles_has_it(tmp_path: Path) -> None:
    found = tier(tmp_path, WRITES.replace("random-write-iops", "'random-write-iops, sequential-write-iops'"))
    assert [each.profile for each in found.of("latency_under_load")] == ["random-write-iops", "sequential-write-iops"]


def test_production_asks_for_the_proposed_figures() -> None:
    limits = load_limits(ROOT / "thresholds.yaml", profiles=PROFILES)
    assert limits.tier("baseline").of("latency_under_load") == ()
    assert [
        (each.profile, each.metric.path, each.bound, each.at["of_capacity"])
        for each in limits.tier("production").of("latency_under_load")
    ] == [
        ("random-read-iops", "read.latency.p99", 0.003, 0.8),
        ("random-write-iops", "write.latency.p99", 0.003, 0.8),
    ]


@pytest.mark.parametrize(
    ("section", "said"),
    [
        (WRITES.replace("random-write-iops", "no-such"), "no-such: expected a profile that exists"),
        (WRITES.replace("write.latency.p99", "write.iops"), "expected a latency such as read.latency.p99"),
        (WRITES.replace("80%", "96%"), "expected a share above 0 and of at most 95%"),
        (WRITES.replace("80%", "0%"), "expected a share above 0 and of at most 95%"),
        (WRITES.replace("3ms", "0ms"), "expected a value above zero"),
        (WRITES.replace(" of_capacity: 80%,", ""), "of_capacity"),
    ],
)
def test_mistakes_are_told_with_their_line(section: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match=said) as raised:
        tier(tmp_path, section)
    assert "limits.yaml:4: " in str(raised.value)


def test_every_share_is_measured_once_the_lowest_first() -> None:
    assert shares_of([]) == [0.1, 0.5, 0.8, 0.9]
    assert shares_of([at_most(1.0), at_most(1.0, share=0.7)]) == [0.1, 0.5, 0.7, 0.8, 0.9]


@pytest.mark.parametrize("name", ["random-read-iops", "random-write-iops", "etcd-fsync"])
def test_a_profile_at_a_share_is_the_same_with_fios_limit(name: str) -> None:
    profile = read_job_file(ROOT / "profiles" / f"{name}.fio")
    path = f"{'read' if 'read' in name else 'write'}.latency.p99"
    found = limited_form(profile, [replace(at_most(1.0), path=path)])
    assert found.text.replace("rate_iops=${RATE}\n", "") == profile.text != found.text
    assert (found.name, found.path.name, found.jobs) == (name, f"{name}.limited.fio", profile.jobs)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("lesson-mixed-buffered", "expected one fio job that only reads or only writes, found one that mixes them"),
        ("random-read-iops", r"on its direction \(read\), found write.latency.p99"),
    ],
)
def test_profiles_that_cannot_be_run_at_a_share_are_refused(name: str, said: str) -> None:
    with pytest.raises(WrongUsage, match=said):
        limited_form(read_job_file(ROOT / "profiles" / f"{name}.fio"), [at_most(1.0)])

"""A volume beside neighbours at full load: what is loaded, in what order, what is judged, and what the report says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from acceptance.judging.neighbours import decide_beside, growth, judge_beside
from acceptance.limits.file import load_limits
from acceptance.limits.limit import Limit
from acceptance.limits.tiers import ALL_OPTIONS, Tier
from acceptance.limits.under_load import RuleAtShare, limit_at_share
from acceptance.loads.profiles import Profile
from acceptance.measuring.measure import Recording
from acceptance.report.records.neighbours import neighbour_parts
from acceptance.report.summary import render_summary
from acceptance.results.metrics import Metric
from acceptance.results.neighbours import NeighbourRecord, NeighboursRecord
from acceptance.text.errors import StorageFailure, WrongUsage
from acceptance.trials.neighbours.trial import NoisyNeighbours, neighbours_plan
from acceptance.trials.speed.under_load import limited_form
from selftests.unit.made_limits import words_of
from selftests.unit.published_figures import ROOT
from selftests.unit.read_gauges import gauges_of
from selftests.unit.read_parts import tables_of
from selftests.unit.simulated_latencies import P99
from selftests.unit.simulated_shares import PROFILE, Storage, loads
from selftests.unit.test_report_crashes import results
from selftests.unit.test_under_load_judging import KEPT, at

PROFILES = {path.stem for path in (ROOT / "profiles").iterdir()}
SECTION = (
    "{random-write-iops: {write.latency.p99: {at_most: 20ms, growth_at_most: 9 times, of_capacity: 10%, because: b}}}"
)
Interval = tuple[float | None, float | None]
OPEN, MISSED = (0.8, 0.95), (0.7, 0.85)
"""of a rate of which 90 % are to be kept"""


def limit(kind: RuleAtShare = "at_most_beside_neighbours", *, value: float = 0.02, share: float = 0.1) -> Limit:
    return limit_at_share("writes", P99, kind, value, of_capacity=share, because="others wait")


def pair(
    beside: Interval,
    *,
    alone: Interval = (0.001, 0.002),
    rate: Interval = KEPT,
    alone_rate: Interval = KEPT,
    **told: Any,
) -> NeighbourRecord:
    return NeighbourRecord(
        alone=at(alone_rate, alone, share=0.1),
        beside=at(rate, beside, share=0.1),
        neighbours=told.get("neighbours", [900.0, 1100.0]),
    )


def record(*pairs: NeighbourRecord, cache: int | None = None) -> NeighboursRecord:
    return NeighboursRecord(
        profile="writes",
        storage_class="fast",
        node="n",
        count=2,
        metric="write.iops",
        capacity={"mean": 5000.0, "low": 4900.0, "high": 5100.0},
        confidence=0.99,
        shares=list(pairs),
        test_size=2**30,
        cache=cache,
    )


def tier(tmp_path: Path, section: str) -> Tier:
    file = tmp_path / "limits.yaml"
    file.write_text(f"version: 1\ntiers:\n  own:\n    noisy_neighbors: {section}\n")
    return load_limits(file, profiles=PROFILES, shipped_path=ROOT / "thresholds.yaml").tier("own")


def test_limits_are_read_and_asked_for_on_request_only(tmp_path: Path) -> None:
    found = tier(tmp_path, SECTION)
    assert [words_of(each) for each in found.of("noisy_neighbors")] == [
        "write.latency.p99 at most 20 ms at 10 % of the capacity, next to neighbors at full load",
        "write.latency.p99 at most 9x its value alone, at 10 % of the capacity, next to neighbors at full load",
    ]
    assert found.asked_with(ALL_OPTIONS - {"noisy_neighbours"}) == ()
    assert found.asked_with(["noisy_neighbours"]) == found.of("noisy_neighbors")


def test_production_asks_for_the_proposed_figures() -> None:
    limits = load_limits(ROOT / "thresholds.yaml", profiles=PROFILES)
    assert limits.tier("baseline").of("noisy_neighbors") == ()
    found = limits.tier("production").of("noisy_neighbors")
    assert [(each.profile, each.bound, each.at["of_capacity"]) for each in found] == [
        ("random-read-iops", 0.05, 0.1),
        ("random-write-iops", 0.05, 0.1),
    ]


@pytest.mark.parametrize(
    ("section", "said"),
    [
        (SECTION.replace("write.latency.p99", "write.iops"), "expected a latency such as read.latency.p99"),
        (SECTION.replace("10%", "96%"), "expected a share above 0 and of at most 95%"),
        (SECTION.replace("9 times", "50%"), "load on neighbors reduces no latency"),
        (
            SECTION.replace("at_most: 20ms, growth_at_most: 9 times, ", ""),
            "expected at_most or growth_at_most, found neither",
        ),
    ],
)
def test_mistakes_are_told_with_their_line(section: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match=said) as raised:
        tier(tmp_path, section)
    assert "limits.yaml:4: " in str(raised.value)


def test_profiles_that_mix_reads_and_writes_are_refused_by_the_section_that_names_them() -> None:
    mixed = Profile(name="m", path=Path("m.fio"), text="[m]\nrw=randrw\n", about="", jobs=("m",))
    with pytest.raises(WrongUsage, match="remove its limits under noisy_neighbors:"):
        limited_form(mixed, [limit()])


class Beside:
    """Neighbours that did so much a second since they were asked, or broke off."""

    def __init__(self, rates: Sequence[float] | None) -> None:
        self._rates = rates

    @property
    def seconds(self) -> list[int]:
        return [3, 3]

    def rates(self, metric: Metric, *, since: Sequence[int]) -> list[float]:
        if self._rates is None:
            raise StorageFailure("a neighbour broke off")
        assert since == [3, 3]
        return list(self._rates)


def loaded(rates: Sequence[float] | None, *, at_most: float = 1.0) -> tuple[list[str], NeighboursRecord]:
    """What happened, in order, and the record."""
    told: list[str] = []
    run = loads(Storage(), seed=1)

    def load(profile: Profile, **how: Any) -> Recording:
        told.append(f"{how['name']} {profile.path.name} {how.get('rate')}")
        return run(profile, **how)

    @contextmanager
    def neighbours(node: str, longest_s: float) -> Iterator[Beside]:
        assert node == "n" and 90 < longest_s < 180
        told.append("neighbours come")
        yield Beside(rates)
        told.append("neighbours go")

    trial = NoisyNeighbours(
        load,
        PROFILE,
        limits=[limit(value=at_most)],
        is_decided=lambda seen, each, beyond: decide_beside(seen, each, beyond=beyond) != "inconclusive",
        neighbours=neighbours,
        count=2,
        plan=neighbours_plan(90),
    )
    return told, trial.record(cache=None)


def test_the_same_share_is_loaded_alone_and_then_beside_neighbours() -> None:
    told, found = loaded([800.0, 900.0])
    assert found.capacity is not None
    asked = int(0.1 * found.capacity.mean)
    assert told == [
        "neighbours-capacity writes.fio None",
        f"neighbours-alone-at-10-percent writes.limited.fio {asked}",
        "neighbours come",
        f"neighbours-beside-at-10-percent writes.limited.fio {asked}",
        "neighbours go",
    ]
    (share,) = found.shares
    assert share.neighbours == [800.0, 900.0] and share.alone.asked == share.beside.asked == asked


@pytest.mark.parametrize(("at_most", "seconds"), [(1.0, 20), (0.004, 60)])
def test_what_is_far_off_is_decided_soon(at_most: float, seconds: int) -> None:
    """Operations take some 2 ms: beside a limit of 4 ms they may do so until a burst is spent."""
    _, found = loaded([800.0, 900.0], at_most=at_most)
    (share,) = found.shares
    assert round(share.alone.duration_s) == 20  # nothing is held against it
    assert round(share.beside.duration_s) == seconds and share.beside.confidence >= 0.99


def test_a_load_beside_neighbours_goes_on_while_it_is_open() -> None:
    _, found = loaded([0.0, 900.0])  # nothing can be decided beside a neighbour that does nothing
    assert [round(share.beside.duration_s) for share in found.shares] == [90]


def test_neighbours_that_break_off_are_no_verdict() -> None:
    with pytest.raises(StorageFailure, match="a neighbour broke off"):
        loaded(None)


@pytest.mark.parametrize(
    ("found", "status"),
    [
        (pair((0.005, 0.01)), "pass"),
        (pair((0.01, 0.03)), "inconclusive"),
        (pair((0.03, 0.04)), "fail"),
        (pair((0.005, 0.01), rate=OPEN), "inconclusive"),
        (pair((0.005, 0.01), rate=MISSED), "fail"),
        (pair((0.03, 0.04), neighbours=[900.0, 0.0]), "inconclusive"),
        (pair((0.03, 0.04), alone_rate=MISSED), "inconclusive"),
        (pair((None, None)), "inconclusive"),
    ],
)
def test_a_pass_needs_latency_and_rate_and_neighbours_that_load(found: NeighbourRecord, status: str) -> None:
    verdict = judge_beside(record(found), limit())
    assert (verdict.status, decide_beside(found, limit())) == (status, status), verdict.reason
    assert verdict.rule == "at_most_beside_neighbours" and verdict.unit == "s"


@pytest.mark.parametrize(
    ("found", "code"),
    [
        (record(pair((0.005, 0.01))), "within"),
        (record(pair((0.005, 0.01)), cache=2**30), "cached"),
        (record(pair((0.03, 0.04))), "outside"),
        (record(pair((0.03, 0.04), neighbours=[900.0, 0.0])), "neighbor_idle"),
        (record(pair((0.03, 0.04), alone_rate=MISSED)), "missed_alone"),
        (record(), "too_little"),
    ],
)
def test_what_was_found_is_data(found: NeighboursRecord, code: str) -> None:
    outcome = judge_beside(found, limit()).outcome
    assert outcome is not None and outcome.code == f"neighbours.{code}"
    facts = {name: outcome.facts.get(name) for name in ("capacity", "alone_s", "beside_s")}
    assert facts["capacity"] == 5000.0 and (code == "too_little" or facts["alone_s"] == 0.0015)
    assert code != "within" or (facts["beside_s"], outcome.facts["neighbors"]) == (0.0075, [900.0, 1100.0])


@pytest.mark.parametrize(("times", "status"), [(11.0, "pass"), (5.0, "inconclusive"), (2.0, "fail")])
def test_growth_is_held_against_both_intervals(times: float, status: str) -> None:
    """Alone 1 to 2 ms, beside 5 to 10 ms: at least 2.5 times, at most 10."""
    found = pair((0.005, 0.01))
    assert growth(found, "write.latency.p99") is not None
    verdict = judge_beside(record(found), limit("growth_beside_neighbours", value=times))
    assert (verdict.status, verdict.unit, verdict.low, verdict.high) == (status, "ratio", 2.5, 10.0)
    assert verdict.confidence == pytest.approx(0.96)  # of two that have 98 % each in this record


def test_the_reason_has_both_latencies_the_rate_and_what_the_others_did() -> None:
    reason = judge_beside(record(pair((0.005, 0.01))), limit()).reason
    assert reason.startswith(
        "write.latency.p99 of writes on fast at 10 % of its capacity (4,000 IOPS of 5,000 IOPS), next to 2 volumes at "
        "full load, is 7.5 ms (98% CI 5 ms to 10 ms; alone: 1.5 ms); the whole CI meets the limit of at most 20 ms; "
        "the rate was kept"
    )
    assert reason.endswith("; the neighbors together did 2,000 IOPS.")
    missed = judge_beside(record(pair((0.005, 0.01), rate=MISSED)), limit()).reason
    assert "certainly less than 90 %; alone the volume did this and more" in missed


def test_a_pass_needs_a_file_that_no_cache_holds() -> None:
    verdict = judge_beside(record(pair((0.005, 0.01)), cache=2**30), limit())
    assert verdict.status == "inconclusive"
    assert verdict.outcome is not None and verdict.outcome.code == "neighbours.cached"


def test_a_volume_that_does_nothing_is_not_judged() -> None:
    verdict = judge_beside(record(), limit())
    assert verdict.status == "inconclusive" and "too low for a share of it" in verdict.reason


def test_the_report_and_the_metrics_have_both_loads() -> None:
    found = results(neighbours=[record(pair((0.005, 0.01)))])
    (section,) = neighbour_parts(found)
    (rows,) = tables_of(section)
    assert [(row["Share of the capacity"], row["p99"]) for row in rows] == [
        ("10 %, alone", "1.5 ms"),
        ("10 %, with neighbors", "7.5 ms"),
    ]
    page = render_summary(found)
    assert "Latency under load" in page and "alone and next to 2 volumes at full load" in page
    latencies = gauges_of(found)["latency_beside_neighbours_seconds"]
    assert set(latencies.values()) == {0.001, 0.0015, 0.002, 0.005, 0.0075, 0.01}

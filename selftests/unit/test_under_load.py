"""The loads at shares of a capacity: which there are, what they are asked for, and what is kept of them."""

from __future__ import annotations

from typing import Any

import pytest

from acceptance.judging.under_load import KNOWN_SHARE
from acceptance.loads.fio.samples import Sample
from acceptance.loads.profiles import Profile
from acceptance.measuring.load_script import load_environment
from acceptance.measuring.measure import Recording, measure_alone
from acceptance.measuring.space_check import check_environment
from acceptance.results.under_load import UnderLoadRecord
from acceptance.statistics.interim_analyses import AnalysisPlan, unjudged_plan
from acceptance.trials.speed.under_load import A_MINUTE, UnderLoad, judged_plan, limited_form, share_record
from selftests.unit.simulated_latencies import P99
from selftests.unit.simulated_load import second
from selftests.unit.simulated_shares import PROFILE, RATE, Storage, at_most, loads, record_of, recording
from selftests.unit.simulated_standstills import SimulatedBench, Standstills, volume


def loaded(*, decided: bool) -> tuple[list[dict[str, Any]], UnderLoadRecord]:
    """What the loads were told, and the record."""
    told: list[dict[str, Any]] = []
    run = loads(Storage(), seed=1)

    def load(profile: Profile, **how: Any) -> Recording:
        told.append({"profile": profile, **how})
        return run(profile, **how)

    under_load = UnderLoad(
        load,
        PROFILE,
        limits=[at_most(1.0)],
        is_decided=lambda at, limit: decided,
        judged_load_plan=judged_plan(90),
        unjudged_load_plan=unjudged_plan(12, in_turn=False),
    )
    return told, under_load.record(cache=None)


def test_shares_are_of_what_is_certain() -> None:
    told, record = loaded(decided=True)
    assert record.capacity is not None and record.capacity.low == record.sure < record.capacity.mean
    assert [each["name"] for each in told] == ["capacity", *(f"at-{n}-percent" for n in (10, 50, 80, 90))]
    asked = [int(share * record.sure) for share in (0.1, 0.5, 0.8, 0.9)]
    assert [each.get("rate") for each in told] == [None, *asked] == [None, *(each.asked for each in record.shares)]
    assert [each["profile"] for each in told] == [PROFILE, *[limited_form(PROFILE, [at_most(1.0)])] * 4]


def test_a_capacity_that_is_hardly_known_is_measured_for_longer() -> None:
    noisy, quiet = (record_of(Storage(cv=cv), limits=(at_most(1.0),), longest_s=300, seed=3) for cv in (0.2, 0.05))
    assert noisy.confidence == quiet.confidence  # the looks are fixed before
    assert noisy.sure < 0.95 * RATE and noisy.capacity is not None and noisy.capacity.low is not None
    assert noisy.capacity.low >= KNOWN_SHARE * noisy.capacity.mean


def test_only_a_share_that_a_limit_names_is_loaded_until_it_is_decided() -> None:
    _, record = loaded(decided=True)
    assert [round(share.duration_s) for share in record.shares] == [12, 12, 60, 12]
    _, record = loaded(decided=False)
    assert [round(share.duration_s) for share in record.shares] == [12, 12, 90, 12]
    assert record.shares[2].confidence > A_MINUTE.at(60).confidence  # two looks share the budget


def test_each_share_has_its_percentiles() -> None:
    _, record = loaded(decided=True)
    wanted = {f"write.latency.{each}" for each in ("p50", "p99", "p99.9")}
    assert all(set(share.latencies) == wanted for share in record.shares)
    assert set(record.at_capacity) == wanted
    assert record.at_capacity["write.latency.p50"].mean > 10 * record.shares[0].latencies["write.latency.p50"].mean


def test_storage_that_does_nothing_has_no_shares() -> None:
    def idle(profile: Profile, *, plan: AnalysisPlan, **_: Any) -> Recording:
        return recording([second("write", rate=0, block_size=4096)] * plan.cap)

    record = UnderLoad(
        idle,
        PROFILE,
        limits=[at_most(1.0)],
        is_decided=lambda at, limit: False,
        judged_load_plan=A_MINUTE,
        unjudged_load_plan=A_MINUTE,
    ).record(cache=None)
    assert (record.capacity, record.sure, record.shares) == (None, 0.0, [])
    assert record.warnings and "storage stalled for 60 s" in record.warnings[0]


def test_a_share_tells_of_its_stall() -> None:
    still = Sample(duration_s=5.0, counts=second("write", rate=0, block_size=4096).counts)
    samples = [*[second("write", rate=800, block_size=4096)] * 55, still]
    rate = at_most(1.0).metric.parse("write.iops")
    at = share_record([samples], share=0.8, target=800, rate=rate, metrics=[P99], plan=A_MINUTE)
    assert at.warnings and "storage stalled for 5 s" in at.warnings[0]
    assert at.reached.mean == pytest.approx(55 / 60)


def test_a_load_is_told_its_rate_by_its_environment_and_has_a_name_of_its_own() -> None:
    limited = limited_form(PROFILE, [at_most(1.0)])
    assert load_environment(limited, job_file="f", rate=7)["RATE"] == "7"
    assert "RATE" not in load_environment(PROFILE, job_file="f")
    assert check_environment([PROFILE, limited], folder="f") == {
        "CHECKED": "f/writes.fio\nf/writes.limited.fio",
        "RATE": "1",
    }
    assert "RATE" not in check_environment([PROFILE], folder="f")

    seen: list[Any] = []

    class Bench(SimulatedBench):
        def run(self, load: Any, *, watch: Any) -> Any:
            seen.append(load)
            return super().run(load, watch=watch)

    bench = Bench({"fast": Standstills(rate=100, still_s=0.01, each_s=1000, noise=0.1, seed=1)})
    for name in ("1", "at-80-percent"):
        plan = AnalysisPlan(seconds=(8,))
        measure_alone(
            bench,
            volume("fast"),
            PROFILE,
            plan=plan,
            is_decided=lambda _: False,
            report=lambda _: None,
            name=name,
            rate=7,
        )
    assert seen[0].name != seen[1].name and seen[1].rate == 7


def test_the_record_keeps_what_verdicts_and_readers_need() -> None:
    record = record_of(Storage(), limits=(at_most(1.0),), cache=2**30)
    assert (record.profile, record.storage_class, record.node, record.metric) == ("writes", "fast", "n", "write.iops")
    assert (record.test_size, record.cache) == (2**30, 2**30)
    assert UnderLoadRecord.model_validate_json(record.model_dump_json()) == record

"""From recordings to verdicts and to what the report shows."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from acceptance.limits.limit import Limit
from acceptance.limits.speed import RuleKind
from acceptance.loads.fio.samples import Counts, Sample
from acceptance.loads.profiles import Profile
from acceptance.measuring.load import PreparedVolume, Segment
from acceptance.measuring.measure import Recording
from acceptance.measuring.metric_ratio import metric_ratio
from acceptance.results.document import Role
from acceptance.results.metrics import Metric
from acceptance.statistics.interim_analyses import AnalysisPlan
from acceptance.trials.speed.decisions import are_compared, are_decided
from acceptance.trials.speed.findings import Finding
from acceptance.trials.speed.turns import Turns
from selftests.unit.made_limits import made_limit, made_rule

PLAN = AnalysisPlan(seconds=(12, 24), batch_s=4)
IOPS = Metric.parse("write.iops")
STARTED = datetime(2026, 11, 21, 7, 15, 2, tzinfo=UTC)
MIB = 1024**2


def second(writes: int) -> Sample:
    done = Counts(
        ios=writes, bytes=4096 * writes, latency_sum_s=writes / 1000, latencies=writes, histogram={10**6: writes}
    )
    return Sample(duration_s=1.0, counts={"read": Counts(), "write": done, "sync": Counts()})


def recording(*rates: int, role: Role = "candidate", storage_class: str = "fast", size: int = 1024 * MIB) -> Recording:
    """One segment of 12 s for each rate."""
    return Recording(
        profile=Profile(name="writes", path=Path("writes.fio"), text="", about="", jobs=("writes",)),
        volume=PreparedVolume(storage_class=storage_class, node="n1", test_size=size),
        role=role,
        segments=tuple(
            Segment(
                pod=f"{role}-{number}",
                node="n1",
                fio_version="fio-3.33",
                start_time=STARTED,
                samples=(second(rate),) * 12,
            )
            for number, rate in enumerate(rates)
        ),
    )


def finding(*rates: int, baseline: tuple[int, ...] = ()) -> Finding:
    compared = recording(*baseline, role="baseline", storage_class="local") if baseline else None
    return beside(recording(*rates), compared) if compared else Finding(candidate=recording(*rates), plan=PLAN)


def beside(candidate: Recording, baseline: Recording) -> Finding:
    """In turn the candidate did what it did without a pause."""
    return Finding(candidate=candidate, plan=PLAN, turns=Turns(candidate=candidate, baseline=baseline, plan=PLAN))


def at_least(value: float) -> Limit:
    return made_limit(profile="writes", metric=IOPS, at_least=value, because="b")


def not_better(path: str, *, kind: RuleKind = "not_better_than_baseline_by") -> Limit:
    return made_rule(profile="writes", metric=Metric.parse(path), kind=kind, margin=0.2, because="not done")


RULE = not_better("write.iops")


@pytest.mark.parametrize(("limit", "status"), [(750, "pass"), (1250, "fail")])
def test_a_limit_is_judged_on_the_candidate(limit: float, status: str) -> None:
    verdict = finding(1000, 1000, baseline=(1, 1)).against(at_least(limit))
    assert (verdict.status, verdict.measured, verdict.storage_class) == (status, 1000.0, "fast")
    assert verdict.confidence == PLAN.at(24).confidence


def test_a_limit_is_judged_on_the_load_without_a_pause_and_a_rule_on_the_one_in_turn() -> None:
    """And so is what the report shows beside each other: the value of the one, the ratio of the other."""
    turns = Turns(
        candidate=recording(2000, 2000),
        baseline=recording(1000, 1000, role="baseline", storage_class="local"),
        plan=PLAN,
    )
    found = Finding(candidate=recording(500), plan=PLAN, turns=turns)
    assert (found.against(at_least(750)).status, found.against(at_least(750)).measured) == ("fail", 500.0)
    assert found.compare(RULE).measured == pytest.approx(2.0)
    candidate, baseline = found.measurements
    assert (candidate.metrics["write.iops"].mean, baseline.metrics["write.iops"].mean) == (500.0, 1000.0)
    assert candidate.against_baseline["write.iops"].ratio == pytest.approx(2.0)


def test_a_stall_in_a_turn_is_a_stall_of_the_class() -> None:
    """It happened, whatever the load was for; the figures of both places agree."""
    stalled = Counts(ios=1, bytes=4096, latency_sum_s=12.0, latencies=1, histogram={12 * 10**9: 1})
    late = Sample(duration_s=12.0, counts={"read": Counts(), "write": stalled, "sync": Counts()})
    turned = recording(1000, 1000)
    turned = replace(turned, segments=(turned.segments[0], replace(turned.segments[1], samples=(late,))))
    found = beside(recording(1000, 1000), recording(1000, 1000, role="baseline", storage_class="local"))
    limit = made_limit(profile="writes", metric=Metric.parse("stall.longest"), at_most=10.0, because="b")
    assert found.turns is not None and found.against(limit).status == "pass"
    found = replace(found, turns=replace(found.turns, candidate=turned))
    verdict = found.against(limit)
    assert (verdict.status, verdict.measured) == ("fail", 12.0)
    assert found.measurements[0].metrics["stall.longest"].mean == 12.0
    assert found.against(at_least(750)).status == "pass"


def test_a_limit_on_what_the_profile_does_not_do_is_not_judged() -> None:
    limit = made_limit(profile="writes", metric=Metric.parse("read.latency.p99"), at_most=1.0, because="b")
    verdict = finding(1000, 1000).against(limit)
    assert (verdict.status, verdict.measured) == ("inconclusive", None)


@pytest.mark.parametrize(("rates", "status"), [((100, 100), "pass"), ((200, 200), "fail")])
def test_a_candidate_that_is_too_good_fails_the_comparison(rates: tuple[int, ...], status: str) -> None:
    assert finding(*rates, baseline=(100, 100)).compare(RULE).status == status


def test_what_is_shown_beside_a_baseline_is_the_ratio_of_each_metric_with_its_interval() -> None:
    candidate, baseline = finding(500, 500, baseline=(1000, 1000)).measurements
    relative = candidate.against_baseline["write.iops"]
    assert (relative.ratio, relative.low, relative.high) == pytest.approx((0.5, 0.5, 0.5))
    assert relative.confidence == 0.95 != PLAN.at(24).confidence
    assert set(candidate.against_baseline) == set(candidate.metrics) - {"stall.longest"}
    assert baseline.against_baseline == {}
    assert finding(500, 500).measurements[0].against_baseline == {}


def test_a_baseline_that_did_nothing_has_no_ratio() -> None:
    assert "write.iops" not in finding(500, 500, baseline=(0, 0)).measurements[0].against_baseline


def test_a_comparison_needs_a_baseline() -> None:
    with pytest.raises(ValueError, match="expected a measurement with a baseline"):
        finding(1000).compare(RULE)


@pytest.mark.parametrize(("candidate_s", "baseline_s"), [(24, 12), (12, 24), (16, 12)])
def test_a_ratio_is_of_the_batches_that_both_have(candidate_s: int, baseline_s: int) -> None:
    found = metric_ratio(IOPS, [[second(50)] * candidate_s], [[second(100)] * baseline_s], plan=PLAN)
    assert (found.value, found.samples) == (pytest.approx(0.5), 3)


def test_a_ratio_of_what_one_side_did_not_do_says_so() -> None:
    found = metric_ratio(Metric.parse("sync.latency.mean"), recording(50).samples, recording(50).samples, plan=PLAN)
    assert found.value is None
    assert found.problem == "some part of the measurement has no sync.latency.mean"


@pytest.mark.parametrize("limits", [[750], [750, 1250], [750, 1000]])
def test_a_load_ends_once_all_limits_are_decided(limits: list[float]) -> None:
    assert are_decided([at_least(limit) for limit in limits], recording(1000).samples, plan=PLAN)


def test_a_load_in_turn_ends_once_all_rules_are_decided() -> None:
    candidate, baseline = recording(1000).samples, recording(1000, role="baseline").samples
    assert are_compared([RULE], candidate, baseline, plan=PLAN)


def test_without_limits_or_rules_nothing_can_be_decided() -> None:
    samples = recording(1000).samples
    with pytest.raises(ValueError, match="at least one limit"):
        are_decided([], samples, plan=PLAN)
    with pytest.raises(ValueError, match="at least one rule"):
        are_compared([], samples, samples, plan=PLAN)


def test_measuring_goes_on_while_anything_is_open() -> None:
    unsteady = [[second(rate) for rate in (600, 600, 600, 600, 900, 900, 900, 900, 700, 700, 700, 700)]]
    assert not are_decided([at_least(750), at_least(1)], unsteady, plan=PLAN)
    assert are_decided([at_least(1)], unsteady, plan=PLAN)
    too_few = [unsteady[0][:4]]
    assert not are_decided([at_least(1)], too_few, plan=PLAN)


def test_a_profile_without_a_limit_is_reported_with_what_it_showed() -> None:
    found = finding(1000, 1000)
    verdict = found.against(found.candidate.profile)
    assert verdict.status == "skipped"
    assert "measured, no limit (write.iops 1,000 IOPS, write.latency.mean 1 ms). " in verdict.reason
    assert verdict.outcome is not None and verdict.outcome.code == "speed.unlimited"
    assert verdict.outcome.facts == {"metrics": {"write.iops": 1000.0, "write.latency.mean": pytest.approx(0.001)}}


def test_the_report_gets_both_sides_and_only_what_was_done() -> None:
    candidate, baseline = finding(1000, 1000, baseline=(500, 500)).measurements
    assert (candidate.role, baseline.role) == ("candidate", "baseline")
    assert (candidate.id, baseline.id) == ("fast/writes/candidate", "local/writes/baseline")
    assert candidate.pods == ["candidate-0", "candidate-1"]
    assert candidate.duration_s == 24.0
    assert candidate.series == {"write.iops": [1000.0] * 24}
    assert list(candidate.distribution) == ["write"]
    assert candidate.distribution["write"][-1].percentile == 99.95, "of 24,000 writes 12 took longer"
    assert all(path.startswith(("write.", "stall.")) for path in candidate.metrics)
    assert candidate.metrics["write.iops"].samples == 24


def test_what_is_drawn_of_a_silence_is_as_long_as_it_was() -> None:
    written = recording(1000)
    silent = replace(second(9), duration_s=9.0)
    load = replace(written, segments=(replace(written.segments[0], samples=(second(1000), silent, second(1000))),))
    (measured,) = Finding(candidate=load, plan=PLAN).measurements
    assert measured.series == {"write.iops": [1000.0, *[1.0] * 9, 1000.0]}
    assert (measured.duration_s, measured.metrics["write.iops"].samples) == (11.0, 11)


def test_a_direction_that_the_profile_does_not_use_has_no_value() -> None:
    asked = made_limit(profile="writes", metric=Metric.parse("read.iops"), at_least=1, because="it is asked")
    verdict = finding(1000, 1000).against(asked)
    assert (verdict.status, verdict.measured) == ("inconclusive", None)
    assert "has no value in the measurement" in verdict.reason


def test_a_test_file_that_caches_could_hold_is_warned_of() -> None:
    rate = 40 * MIB // 4096  # 40 MiB/s: 25 s of it are 1000 MiB
    enough = Finding(candidate=recording(rate, size=1000 * MIB), plan=PLAN)
    small = Finding(candidate=recording(rate, size=999 * MIB), plan=PLAN)
    assert enough.measurements[0].warnings == []
    (warning,) = small.measurements[0].warnings
    assert warning == (
        "the test file of 999 MiB holds only 24.9 s of the measured 40 MiB/s, less than 25 s: caches may have helped; "
        "raise --storage-test-size to at least 1000Mi"
    )


def reading(each_s: float, storage_class: str, *, size: int, rate: int = 10240) -> Recording:
    """40 MiB/s of reads, each of which took so long."""
    written = recording(1, storage_class=storage_class, size=size)
    done = Counts(ios=rate, bytes=4096 * rate, latency_sum_s=rate * each_s, latencies=rate)
    sample = Sample(duration_s=1.0, counts={"read": done, "write": Counts(), "sync": Counts()})
    return replace(written, segments=(replace(written.segments[0], samples=(sample,) * 12),))


@pytest.mark.parametrize(
    ("path", "size", "told"),
    [
        ("read.latency.mean", 100 * MIB, True),
        ("read.latency.mean", 1000 * MIB, False),
        ("read.iops", 100 * MIB, False),
    ],
)
def test_reads_answered_too_soon_from_a_small_file_are_blamed_on_its_size(path: str, size: int, told: bool) -> None:
    candidate, baseline = (reading(each_s, name, size=size) for each_s, name in ((1e-4, "fast"), (1e-3, "local")))
    slower = reading(1e-3, "local", size=size, rate=5000)
    rule = not_better(path)
    verdict = beside(candidate, slower if path == "read.iops" else baseline).compare(rule)
    assert verdict.status == "fail"
    remark = (
        ": not done); the test file of 100 MiB holds only 2.5 s of the measured 40 MiB/s, so a cache can have served "
        "it: raise --storage-test-size to at least 1000Mi."
    )
    assert verdict.reason.endswith(remark if told else ": not done).")


def mixed(read_s: float, write_s: float, storage_class: str) -> Recording:
    """40 MiB/s each of reads and of writes on a file of 1 MiB, with the latency of each."""
    reads, writes = (
        Counts(ios=10240, bytes=40 * MIB, latency_sum_s=10240 * each_s, latencies=10240) for each_s in (read_s, write_s)
    )
    sample = Sample(duration_s=1.0, counts={"read": reads, "write": writes, "sync": Counts()})
    written = recording(1, storage_class=storage_class, size=MIB)
    return replace(written, segments=(replace(written.segments[0], samples=(sample,) * 12),))


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (not_better("read.latency.mean"), True),
        (not_better("write.latency.mean"), False),
        (not_better("read.latency.mean", kind="not_worse_than_baseline_by"), False),
    ],
)
def test_only_reads_that_are_too_fast_are_blamed_on_a_cache(rule: Limit, told: bool) -> None:
    slow = 1e-2 if rule.rule == "not_worse_than_baseline_by" else 1e-4
    found = beside(mixed(slow, slow, "fast"), mixed(1e-3, 1e-3, "local"))
    verdict = found.compare(rule)
    assert verdict.status == "fail"
    assert ("a cache can have served it" in verdict.reason) is told


def test_the_records_of_a_comparison_name_each_other() -> None:
    candidate, baseline = finding(1000, baseline=(500,)).measurements
    assert (candidate.compared_with, baseline.compared_with) == (baseline.id, None)
    assert finding(1000).measurements[0].compared_with is None

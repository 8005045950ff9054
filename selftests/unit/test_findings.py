"""From recordings to verdicts and to what the report shows."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from acceptance.cluster.claims import Claim
from acceptance.findings import Finding, decided, metric_ratio
from acceptance.fio.profiles import Profile
from acceptance.fio.samples import Counts, Sample
from acceptance.looks import LookPlan
from acceptance.measuring.measure import Recording
from acceptance.measuring.preparation import PreparedVolume
from acceptance.measuring.segment import Segment
from acceptance.metrics import Metric
from acceptance.results import Role
from acceptance.tiers import ComparisonRule, Limit

PLAN = LookPlan(seconds=(12, 24), batch_s=4, segment_s=12)
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
    claim = Claim(name="data", namespace="ns", storage_class=storage_class, size=2 * size, run_id="r")
    return Recording(
        profile=Profile(name="writes", path=Path("writes.fio"), text="", about="", jobs=("writes",)),
        volume=PreparedVolume(claim=claim, node="n1", volume="pv", test_size=size, image_digest=None),
        role=role,
        segments=tuple(
            Segment(
                pod=f"{role}-{number}",
                node="n1",
                image_digest=None,
                fio_version="fio-3.33",
                started=STARTED,
                samples=(second(rate),) * 12,
            )
            for number, rate in enumerate(rates)
        ),
    )


def finding(*rates: int, baseline: tuple[int, ...] = ()) -> Finding:
    compared = recording(*baseline, role="baseline", storage_class="local") if baseline else None
    return Finding(candidate=recording(*rates), baseline=compared, plan=PLAN)


def at_least(value: float) -> Limit:
    return Limit(profile="writes", metric=IOPS, at_least=value, because="b", tier="t")


RULE = ComparisonRule(profile="writes", metric=IOPS, margin=0.2, because="not durable", tier="t")


@pytest.mark.parametrize(("limit", "status"), [(750, "pass"), (1250, "fail")])
def test_a_limit_is_judged_on_the_candidate(limit: float, status: str) -> None:
    verdict = finding(1000, 1000, baseline=(1, 1)).against(at_least(limit), test="t::x")
    assert (verdict.status, verdict.measured, verdict.storage_class, verdict.test) == (status, 1000.0, "fast", "t::x")
    assert verdict.confidence == PLAN.confidence


def test_a_limit_on_what_the_profile_does_not_do_is_not_judged() -> None:
    limit = Limit(profile="writes", metric=Metric.parse("read.latency.p99"), at_most=1.0, because="b", tier="t")
    verdict = finding(1000, 1000).against(limit, test="t")
    assert (verdict.status, verdict.measured) == ("inconclusive", None)


@pytest.mark.parametrize(("rates", "status"), [((100, 100), "pass"), ((200, 200), "fail")])
def test_a_candidate_that_is_too_good_fails_the_comparison(rates: tuple[int, ...], status: str) -> None:
    assert finding(*rates, baseline=(100, 100)).compared(RULE, test="t").status == status


def test_a_comparison_needs_a_baseline() -> None:
    with pytest.raises(ValueError, match="wanted a measurement with a baseline"):
        finding(1000).compared(RULE, test="t")


@pytest.mark.parametrize(("candidate_s", "baseline_s"), [(24, 12), (12, 24), (16, 12)])
def test_a_ratio_is_of_the_batches_that_both_have(candidate_s: int, baseline_s: int) -> None:
    found = metric_ratio(IOPS, [[second(50)] * candidate_s], [[second(100)] * baseline_s], plan=PLAN)
    assert (found.value, found.samples) == (pytest.approx(0.5), 3)


def test_a_ratio_of_what_one_side_did_not_do_says_so() -> None:
    found = metric_ratio(Metric.parse("sync.latency.mean"), recording(50).samples, recording(50).samples, plan=PLAN)
    assert found.value is None
    assert found.problem == "there is no sync.latency.mean in some part of the measurement"


@pytest.mark.parametrize(
    ("limits", "rules", "baseline", "over"),
    [
        ([750], [], False, True),
        ([750, 1250], [], False, True),
        ([750, 1000], [], False, True),
        ([], [], False, False),
        ([750], [RULE], True, True),
        ([], [RULE], True, True),
        ([], [RULE], False, False),
    ],
)
def test_measuring_ends_once_all_that_is_asked_is_decided(
    limits: list[float], rules: list[ComparisonRule], baseline: bool, over: bool
) -> None:
    samples = recording(1000).samples
    against = recording(1000, role="baseline").samples if baseline else None
    assert decided([at_least(each) for each in limits], rules, samples, against, plan=PLAN) is over


def test_measuring_goes_on_while_anything_is_open() -> None:
    unsteady = [[second(rate) for rate in (600, 600, 600, 600, 900, 900, 900, 900, 700, 700, 700, 700)]]
    assert not decided([at_least(750), at_least(1)], [], unsteady, None, plan=PLAN)
    assert decided([at_least(1)], [], unsteady, None, plan=PLAN)
    too_few = [unsteady[0][:4]]
    assert not decided([at_least(1)], [], too_few, None, plan=PLAN)


def test_a_profile_without_a_limit_is_reported_with_what_it_showed() -> None:
    verdict = finding(1000, 1000).unjudged(test="t")
    assert verdict.status == "skipped"
    assert "measured (write.iops 1,000 IOPS, write.latency.mean 1 ms), not judged" in verdict.reason


def test_the_report_gets_both_sides_and_only_what_was_done() -> None:
    candidate, baseline = finding(1000, 1000, baseline=(500, 500)).measurements
    assert (candidate.role, baseline.role) == ("candidate", "baseline")
    assert (candidate.id, baseline.id) == ("fast/writes/candidate", "local/writes/baseline")
    assert candidate.pods == ["candidate-0", "candidate-1"]
    assert candidate.duration_s == 24.0
    assert candidate.series == {"write.iops": [1000.0] * 24}
    assert all(path.startswith("write.") for path in candidate.metrics)
    assert candidate.metrics["write.iops"].samples == 24


def test_a_direction_that_the_profile_does_not_use_has_no_value() -> None:
    asked = Limit(profile="writes", metric=Metric.parse("read.iops"), at_least=1, because="it is asked", tier="t")
    verdict = finding(1000, 1000).against(asked, test="t")
    assert (verdict.status, verdict.measured) == ("inconclusive", None)
    assert "has no value in the measurement" in verdict.reason


def test_a_test_file_that_caches_could_hold_is_warned_of() -> None:
    rate = 40 * MIB // 4096  # 40 MiB/s: 25 s of it are 1000 MiB
    enough = Finding(candidate=recording(rate, size=1000 * MIB), baseline=None, plan=PLAN)
    small = Finding(candidate=recording(rate, size=999 * MIB), baseline=None, plan=PLAN)
    assert enough.measurements[0].warnings == []
    (warning,) = small.measurements[0].warnings
    assert "the test file holds 999 MiB, less than 25 s of the measured 40 MiB/s" in warning
    assert "--storage-test-size of at least 1,000 MiB" in warning

"""Stalls: found wherever they are, told in words, judged for what they are."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from acceptance.limits.schema import TierEntry
from acceptance.loads.fio.samples import DIRECTIONS, Counts, Sample
from acceptance.measuring import metric_values
from acceptance.measuring.metric_values import shown_metrics
from acceptance.measuring.stalls import longest_stall
from acceptance.results.document import Verdict
from acceptance.results.metrics import Metric
from acceptance.statistics.interim_analyses import AnalysisPlan
from acceptance.trials.speed import decisions
from acceptance.trials.speed.decisions import judge_limit
from selftests.unit.made_limits import made_limit

PLAN = AnalysisPlan(seconds=(12,), batch_s=4)


def second(*latencies_s: float, direction: str = "write", duration_s: float = 1.0) -> Sample:
    """A sample with one operation of each latency."""
    histogram = {round(each * 1e9): latencies_s.count(each) for each in latencies_s}
    done = Counts(ios=len(latencies_s), bytes=4096, latencies=len(latencies_s), histogram=histogram)
    counts = {each: done if each == direction else Counts() for each in DIRECTIONS}
    return Sample(duration_s=duration_s, counts=counts)


def judged(samples: list[Sample], *, path: str = "stall.longest", limit: float = 10.0) -> Verdict:
    asked = made_limit(
        profile="sync-write-iops",
        metric=Metric.parse(path),
        **{"at_most" if path.startswith("stall") else "at_least": limit},
        because="Leaders step down.",
    )
    return judge_limit([samples], asked, plan=PLAN, storage_class="fast")


@given(
    st.lists(st.lists(st.floats(0.001, 30.0), min_size=1, max_size=5), min_size=1, max_size=8),
    st.sampled_from(sorted(DIRECTIONS)),
)
def test_the_longest_operation_is_found_wherever_it_is(latencies: list[list[float]], direction: str) -> None:
    samples = [second(*latency, direction=direction) for latency in latencies]
    found = longest_stall([samples[: len(samples) // 2], samples[len(samples) // 2 :]])
    assert found is not None and found.at_least == found.at_most
    assert found.at_least == pytest.approx(max(each for one in latencies for each in one), abs=1e-8)


@pytest.mark.parametrize(("looks", "at_least", "at_most"), [(1, 3.0, 4.0), (2, 2.0, 4.0)])
def test_silence_is_what_a_sample_lasted_beyond_the_documents_that_were_due(
    looks: int, at_least: float, at_most: float
) -> None:
    """A sample that begins with the load spans two seconds of fio, and either may hide a part of the stall."""
    late = replace(second(duration_s=4.0), counts={"write": Counts(ios=1)}, looks=looks)
    stall = longest_stall([[late, replace(late, duration_s=1.0, looks=1)]])
    assert stall is not None and (stall.at_least, stall.at_most) == (at_least, at_most)


def test_a_stall_in_which_the_load_generator_was_silent_is_a_standstill() -> None:
    """As seen: with all its operations waiting, fio prints nothing until the first is done."""
    samples = [second(0.001), second(0.001), second(0.001, 14.0, duration_s=14.57, direction="sync"), second(0.002)]
    stall = longest_stall([samples])
    assert stall is not None and (stall.after, stall.silent) == (2.0, True)
    assert stall.describe() == ("storage stalled for 14 s, after 2 s of load: in that time nothing was read or written")


def test_one_slow_operation_among_others_is_no_standstill() -> None:
    stall = longest_stall([[second(0.001), second(0.001, 5.0)]])
    assert stall is not None and not stall.silent
    assert stall.describe() == "one operation, after 1 s of load, took 5 s"


def uncounted(ios: int, *, duration_s: float = 1.0) -> Sample:
    """A sample of a load that takes no latencies (gtod_reduce), or of nothing at all."""
    counts = {direction: Counts(ios=ios * (direction == "write")) for direction in DIRECTIONS}
    return Sample(duration_s=duration_s, counts=counts)


@given(st.floats(0.0, 60.0), st.floats(0.0, 0.99))
def test_without_latencies_a_late_sample_shows_a_stall_to_within_a_second(stalled_s: float, after: float) -> None:
    """fio meant to speak `after` s into the stall, and could not before its end."""
    late = uncounted(1200, duration_s=1.0 + max(0.0, stalled_s - after))
    stall = longest_stall([[uncounted(1200), late, uncounted(1200)]])
    assert stall is not None
    assert stall.at_least - 1e-9 <= stalled_s <= stall.at_most + 1e-9
    assert stall.at_most - stall.at_least <= 1.0 + 1e-9


def test_a_late_sample_of_a_load_that_went_on_is_no_stall() -> None:
    """fio itself waited for a CPU."""
    stall = longest_stall([[uncounted(1000), uncounted(14000, duration_s=15.0), uncounted(1000)]])
    assert stall is not None and stall.at_most <= 1.0


def test_seconds_in_which_nothing_was_done_are_one_stall() -> None:
    """As of load generators that speak whatever storage does."""
    stall = longest_stall([[uncounted(9)] * 3 + [uncounted(0)] * 5 + [uncounted(9)] + [uncounted(0)] * 2])
    assert stall is not None and (stall.at_least, stall.at_most, stall.after) == (5.0, 7.0, 3.0)
    assert "stalled for 5 s, after 3 s of load" in stall.describe()


def test_a_stall_is_judged_without_doubt_and_told_in_words() -> None:
    samples = [second(0.001)] * 11 + [second(14.0, duration_s=14.6)]
    verdict = judged(samples)
    assert (verdict.status, verdict.measured, verdict.low, verdict.high) == ("fail", 14.0, 14.0, 14.0)
    assert verdict.confidence is None
    assert verdict.reason == (
        "stall.longest of sync-write-iops on fast is 14 s; this misses the limit of at most 10 s (reason for the "
        "limit: Leaders step down); storage stalled for 14 s, after 11 s of load: in that time nothing was "
        "read or written."
    )
    assert judged([second(0.001)] * 12).reason == (
        "stall.longest of sync-write-iops on fast is 1 ms; this meets the limit of at most 10 s."
    )


@pytest.mark.parametrize(("late_s", "status"), [(1.0, "pass"), (9.9, "pass"), (10.5, "inconclusive"), (11.1, "fail")])
def test_a_stall_seen_from_a_late_sample_is_judged_by_what_is_certain(late_s: float, status: str) -> None:
    verdict = judged([uncounted(9)] * 11 + [uncounted(9, duration_s=late_s)])
    assert verdict.status == status
    range_in_words = "at most 1 s" if late_s == 1.0 else f"between {late_s - 1:.4g} s and {late_s:.4g} s"
    assert f"is {range_in_words}; " in verdict.reason


def test_a_stall_is_told_with_a_rate_that_is_missed_or_in_doubt() -> None:
    """But a pass needs no excuse."""
    samples = [second(*[0.001] * 9)] * 47 + [second(14.0, duration_s=14.6)]
    told = {limit: judged(samples, path="write.iops", limit=limit) for limit in (1e-9, 7, 1e9)}
    assert [each.status for each in told.values()] == ["pass", "inconclusive", "fail"]
    assert ["storage stalled for 14 s" in each.reason for each in told.values()] == [False, True, True]


@pytest.mark.parametrize("path", ["stall.longest", "write.iops"])
def test_the_longest_stall_is_looked_for_once_for_a_verdict(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[object] = []

    def counted(segments: list[list[Sample]]) -> object:
        looked.append(segments)
        return longest_stall(segments)

    for module in (decisions, metric_values):
        monkeypatch.setattr(module, "longest_stall", counted)
    judged([second(0.001)] * 12, path=path)
    assert len(looked) == 1


def test_a_stall_is_shown_with_every_measurement() -> None:
    assert longest_stall([[]]) is None
    assert [str(metric) for metric in shown_metrics([[uncounted(9)]])][-1] == "stall.longest"


def test_stalls_cannot_be_compared() -> None:
    rule = {"not_better_than_baseline_by": "20%", "because": "b"}
    with pytest.raises(ValidationError, match=r"expected a metric that can be compared, found stall\.longest"):
        TierEntry.model_validate({"comparison": {"p": {"stall.longest": rule}}})

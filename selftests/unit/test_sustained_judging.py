"""The end of a sustained load, judged: steady, certain, and not out of a cache."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acceptance.judging.sustained import CREDITS_S, judge_sustained
from acceptance.loads.fio.samples import Sample
from acceptance.statistics.steady_state import steady_state
from acceptance.trials.speed.sustained import judged_seconds, last_seconds, rounds_of
from acceptance.wording import what_follows
from selftests.unit.simulated_load import second
from selftests.unit.sustained_records import at_least, samples_of, sustained

WHOLE_S = 2400


def rates(*levels: tuple[int, float], noise: float = 0.02) -> list[float]:
    """So many seconds at each level, one after the other."""
    random = Random(17)
    return [rate * random.gauss(1.0, noise) for seconds, rate in levels for _ in range(seconds)]


def test_the_end_alone_is_judged() -> None:
    record = sustained(rates((2100, 3000), (300, 1000)))
    verdict = judge_sustained(record, at_least(1050))
    assert verdict.status == "fail"
    assert verdict.measured == pytest.approx(1000, rel=0.01)
    assert "write.iops of writes on fast in the last 5 min of 40 min of load is " in verdict.reason
    assert "misses the limit of at least 1,050 IOPS (reason for the limit: commits wait" in verdict.reason
    assert "it had slowed down after 35 min of load" in verdict.reason
    assert judge_sustained(record, at_least(900)).status == "pass"


def test_its_id_is_not_that_of_the_limit_on_a_short_load() -> None:
    verdict = judge_sustained(sustained(rates((WHOLE_S, 1000))), at_least(900))
    assert verdict.id == "fast/writes/write.iops/at-least-sustained"
    assert verdict.limit == "write.iops at least 900 IOPS at the end of a sustained load"


@pytest.mark.parametrize(
    "levels", [((2250, 3000), (150, 1000)), ((2100, 1000), (60, 1000), (60, 900), (60, 800), (60, 700), (60, 600))]
)
def test_what_is_not_steady_is_not_judged(levels: tuple[tuple[int, float], ...]) -> None:
    for limit in (1.0, 1e6):
        verdict = judge_sustained(sustained(rates(*levels)), at_least(limit))
        assert verdict.status == "inconclusive"
        assert "not steady: its 5 rounds of 60 s differ by " in verdict.reason


def test_what_does_nothing_any_more_does_not_pass() -> None:
    verdict = judge_sustained(sustained([500.0] * 2100 + [0.0] * 300), at_least(1))
    assert verdict.status == "inconclusive" and verdict.measured is None
    assert verdict.outcome is not None and verdict.outcome.code == "sustained.no_value"


def test_a_pass_over_a_file_that_a_cache_holds_is_none() -> None:
    cached = sustained(rates((WHOLE_S, 1000)), cache=2**30)
    verdict = judge_sustained(cached, at_least(900))
    assert verdict.status == "inconclusive"
    assert "the target file names a cache of 1Gi, and the test file of 1Gi is no larger" in verdict.reason
    assert judge_sustained(cached, at_least(1100)).status == "fail"
    assert judge_sustained(sustained(rates((WHOLE_S, 1000)), cache=2**30 - 1), at_least(900)).status == "pass"


@pytest.mark.parametrize(("asked_s", "judged_s"), [(120, 60), (240, 120), (540, 240), (600, 300), (2400, 300)])
def test_a_short_form_judges_no_more_than_its_second_half_and_says_what_it_cannot_know(
    asked_s: int, judged_s: int
) -> None:
    assert judged_seconds(asked_s) == judged_s
    verdict = judge_sustained(sustained(rates((asked_s, 1000))), at_least(800))
    assert verdict.status == "pass"
    assert ("a short form: the judged part began after" in verdict.reason) == (asked_s < WHOLE_S)


SHORT = {"asked_s": 600, "judged_s": 300, "credits_s": CREDITS_S}
LONG = {"asked_s": WHOLE_S, "judged_s": 300}
GIB = 2**30


@pytest.mark.parametrize(
    ("levels", "cache", "limit", "code", "facts"),
    [
        ([(600, 1000)], None, 900, "within", SHORT),
        ([(WHOLE_S, 1000)], None, 900, "within", LONG),
        ([(WHOLE_S, 1000)], None, 1100, "outside", LONG),
        ([(2100, 3000), (300, 1000)], None, 1100, "outside", LONG | {"slowed_down_after_s": 2100}),
        ([(WHOLE_S, 1000)], None, 1000, "on_both_sides", LONG),
        ([(WHOLE_S, 1000)], GIB, 900, "cached", LONG | {"cache": GIB, "test_size": GIB}),
        ([(WHOLE_S, 1000)], GIB, 1100, "outside", LONG),
    ],
)
def test_what_was_found_is_data(
    levels: list[tuple[int, float]], cache: int | None, limit: float, code: str, facts: dict[str, int]
) -> None:
    outcome = judge_sustained(sustained(rates(*levels), cache=cache), at_least(limit)).outcome
    assert outcome is not None and (outcome.code, outcome.facts) == (f"sustained.{code}", facts)


def test_how_far_what_is_not_steady_is_apart_is_data() -> None:
    record = sustained(rates((2250, 3000), (150, 1000)))
    outcome = judge_sustained(record, at_least(1)).outcome
    assert outcome is not None and outcome.code == "sustained.unsteady"
    state = steady_state(record.rounds)
    assert (outcome.facts["range"], outcome.facts["slope"]) == (state.range, state.slope) and state.range > 0.2


def test_what_has_no_value_or_no_interval_is_named_so() -> None:
    nothing = judge_sustained(sustained([500.0] * 2100 + [0.0] * 300), at_least(1)).outcome
    assert nothing is not None and nothing.code == "sustained.no_value"
    record = sustained(rates((WHOLE_S, 1000)))
    few = {"write.iops": record.load.metrics["write.iops"].model_copy(update={"low": None, "high": None})}
    alone = judge_sustained(
        record.model_copy(update={"load": record.load.model_copy(update={"metrics": few})}), at_least(1)
    )
    assert alone.outcome is not None and alone.outcome.code == "sustained.too_few_samples"
    assert alone.measured is not None and (alone.status, alone.low) == ("inconclusive", None)


def test_what_follows_the_figures_holds_what_is_to_know_of_the_load() -> None:
    verdict = judge_sustained(sustained(rates((600, 1000))), at_least(1100))
    assert what_follows(verdict) == f"misses the limit{verdict.reason.partition('at least 1,100 IOPS')[2]}"
    assert "a short form" in what_follows(verdict)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_more_operations_never_turn_a_pass_into_a_fail(data: st.DataObject) -> None:
    before = data.draw(st.lists(st.floats(1.0, 2000.0), min_size=120, max_size=120))
    more = data.draw(st.lists(st.floats(0.0, 3000.0), min_size=120, max_size=120))
    limit = data.draw(st.floats(1.0, 2000.0))
    first, then = (
        judge_sustained(sustained(each), at_least(limit)).status
        for each in (before, [a + b for a, b in zip(before, more, strict=True)])
    )
    assert (first, then) != ("pass", "fail")


def test_rounds_are_cut_by_the_clock() -> None:
    """A silence of 90 s is one sample: it is in the round of its middle, and the next has nothing."""
    silence = second("write", rate=0, block_size=4096)
    still = Sample(duration_s=90.0, counts=silence.counts, cpu_s=None)
    found = rounds_of([*samples_of([100.0] * 60), still, *samples_of([100.0] * 150)])
    assert found == [100.0, 0.0, 100.0, 100.0, 100.0]
    assert rounds_of([still]) == [0.0] * 5


def test_the_last_seconds_are_those_of_the_clock() -> None:
    samples = samples_of([1.0] * 10)
    assert len(last_seconds(samples, length_s=4)) == 4
    assert len(last_seconds(samples, length_s=40)) == 10
    long = Sample(duration_s=9.0, counts=samples[0].counts, cpu_s=None)
    assert list(last_seconds([*samples, long], length_s=4)) == [long]

"""Time left: never negative, learns from what passed, and does not jump about."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.planning.assumed_throughput import EMBEDDED_CLUSTER
from acceptance.planning.records import Plan, PlannedStep
from acceptance.planning.time_left import FASTEST, SLOWEST, TRUST_S, TimeLeft
from fixtures import plan
from fixtures.pools import PLAN
from fixtures.progress import TIME_LEFT
from fixtures.site import SITE

PLANNED = st.lists(st.floats(min_value=0.0, max_value=3600.0), min_size=1, max_size=12)
SLOWNESS = st.floats(min_value=0.01, max_value=100.0)


def test_at_first_it_is_the_plan() -> None:
    left = TimeLeft({"a": 60.0, "b": 30.0}, end_s=10.0)
    left.begin("a", now_s=1000.0)
    assert left.seconds(now_s=1000.0) == 100.0
    assert left.seconds(now_s=1020.0) == 80.0


def test_a_test_that_takes_longer_than_planned_is_about_to_end() -> None:
    left = TimeLeft({"a": 60.0, "b": 30.0})
    left.begin("a", now_s=0.0)
    assert left.seconds(now_s=1e6) == 30.0


def test_a_measurement_that_is_not_clear_when_planned_counts_down_to_its_longest() -> None:
    """Not "less than a minute" in every line of minutes."""
    left = TimeLeft({"a": 14.0, "b": 30.0}, longer_s={"a": 180.0})
    left.begin("a", now_s=0.0)
    assert [left.seconds(now_s=at_s) for at_s in (0.0, 14.0, 15.0, 100.0, 194.0, 300.0)] == [44, 30, 209, 124, 30, 30]


@pytest.mark.parametrize(
    ("at_s", "words"),
    [
        (0.0, "less than a minute left, at most 4 min"),
        (14.0, "less than a minute left, at most 4 min"),
        (15.0, "at most 4 min left"),
        (100.0, "at most 3 min left"),
        (194.0, "less than a minute left"),
    ],
)
def test_what_may_continue_is_told_before_it_does(at_s: float, words: str) -> None:
    left = TimeLeft({"a": 14.0, "b": 30.0}, longer_s={"a": 180.0})
    left.begin("a", now_s=0.0)
    assert left.in_words(now_s=at_s) == words


def test_without_such_a_measurement_there_is_one_time() -> None:
    left = TimeLeft({"a": 300.0, "b": 30.0})
    left.begin("a", now_s=0.0)
    assert left.in_words(now_s=0.0) == "about 6 min left"
    assert left.most_seconds(now_s=0.0) == left.seconds(now_s=0.0) == 330.0


def test_unclear_measurements_are_expected_from_the_beginning_and_by_what_they_took() -> None:
    """A run on a host: 20 loads of 10 s that may each take 290 s more. Twice the plan was taken at least."""
    tests = [str(number) for number in range(20)]
    before = TimeLeft(dict.fromkeys(tests, 10.0), longer_s=dict.fromkeys(tests, 290.0))
    assert 400.0 < before.seconds(now_s=0.0) < 600.0
    for took_s, low_s, high_s in ((10.0, 100.0, 150.0), (50.0, 400.0, 600.0)):
        left = TimeLeft(dict.fromkeys(tests, 10.0), longer_s=dict.fromkeys(tests, 290.0))
        for number in range(10):
            left.begin(str(number), now_s=took_s * number)
            left.finish(str(number), now_s=took_s * (number + 1))
        assert low_s < left.seconds(now_s=10 * took_s) < high_s


def test_what_was_skipped_proves_nothing() -> None:
    left = TimeLeft({"a": 600.0, "b": 30.0})
    left.begin("a", now_s=0.0)
    left.finish("a", now_s=0.1, counts=False)
    assert left.seconds(now_s=0.1) == 30.0


def test_a_run_that_is_twice_as_slow_is_seen_to_be() -> None:
    left = TimeLeft({str(number): 100.0 for number in range(10)})
    for number in range(5):
        left.begin(str(number), now_s=200.0 * number)
        left.finish(str(number), now_s=200.0 * (number + 1))
    assert 900.0 < left.seconds(now_s=1000.0) <= 1000.0


def test_a_measurement_that_goes_on_until_it_is_clear_is_no_sign_of_slowness() -> None:
    left = TimeLeft({"a": 50.0, "b": 600.0}, longer_s={"a": 100.0})
    left.begin("a", now_s=0.0)
    left.finish("a", now_s=150.0)
    assert left.seconds(now_s=150.0) == 600.0


def test_a_measurement_that_was_clear_at_once_is_no_sign_of_speed() -> None:
    left = TimeLeft({"a": 50.0, "b": 600.0}, longer_s={"a": 100.0})
    left.begin("a", now_s=0.0)
    left.finish("a", now_s=50.0)
    assert left.seconds(now_s=50.0) == 600.0


def test_a_measurement_that_goes_on_beyond_its_end_is_one() -> None:
    left = TimeLeft({"a": 50.0, "b": 600.0}, longer_s={"a": 100.0})
    left.begin("a", now_s=0.0)
    left.finish("a", now_s=300.0)
    assert left.seconds(now_s=300.0) == pytest.approx(600.0 * (TRUST_S + 300.0) / (TRUST_S + 150.0))


@given(planned=PLANNED, slowness=SLOWNESS, end_s=st.floats(min_value=0.0, max_value=60.0))
def test_it_is_never_negative_and_ends_near_nothing(planned: list[float], slowness: float, end_s: float) -> None:
    left, now_s = TimeLeft({str(number): each for number, each in enumerate(planned)}, end_s=end_s), 0.0
    for number, each in enumerate(planned):
        left.begin(str(number), now_s=now_s)
        for part in (0.1, 0.5, 1.0):
            assert left.seconds(now_s=now_s + part * each * slowness) >= 0.0
        now_s += each * slowness
        left.finish(str(number), now_s=now_s)
    assert 0.0 <= left.seconds(now_s=now_s) <= SLOWEST * end_s


@given(planned=PLANNED, slowness=SLOWNESS)
def test_within_a_test_it_only_falls_and_no_faster_than_time(planned: list[float], slowness: float) -> None:
    left = TimeLeft({str(number): each for number, each in enumerate(planned)})
    left.begin("0", now_s=0.0)
    seen = [left.seconds(now_s=planned[0] * slowness * part / 20) for part in range(30)]
    passed = planned[0] * slowness / 20
    for earlier, later in pairwise(seen):
        assert later <= earlier + 1e-6
        assert earlier - later <= passed + 1e-6


@given(planned=PLANNED, slowness=SLOWNESS)
def test_one_test_corrects_no_more_than_its_weight(planned: list[float], slowness: float) -> None:
    """A first test of p planned seconds counts as p beside the plan's own minute."""
    left = TimeLeft({str(number): each for number, each in enumerate(planned)})
    left.begin("0", now_s=0.0)
    left.finish("0", now_s=planned[0] * slowness)
    assert FASTEST <= left.ratio <= SLOWEST
    assert abs(left.ratio - 1.0) <= abs(slowness - 1.0) * planned[0] / (TRUST_S + planned[0]) + 1e-6


def test_no_plan_leaves_nothing() -> None:
    left = TimeLeft({})
    left.begin("a", now_s=0.0)
    assert left.seconds(now_s=5.0) == 0.0


def kept(monkeypatch: pytest.MonkeyPatch, *steps: PlannedStep) -> TimeLeft:
    """The time left of a run that began with a plan of these steps."""
    monkeypatch.setattr(plan, "keep_budget", lambda *_: None)
    monkeypatch.setattr(plan, "plan_of", lambda *_: pytest.fail("made a second time"))
    stash = pytest.Stash()
    stash[PLAN] = Plan(steps=steps, skips=(), unknown=())
    cluster = SimpleNamespace(kind="embedded", nodes=[])
    stash[SITE] = cast(Any, SimpleNamespace(preflight=SimpleNamespace(cluster=cluster, candidates={})))
    silent = SimpleNamespace(stash=stash, pluginmanager=SimpleNamespace(get_plugin=lambda _: None))
    plan.keep_times(cast(pytest.Config, silent), [])
    return stash[TIME_LEFT]


def test_the_plan_that_a_run_began_with_is_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [PlannedStep(description=name, about_s=about_s, payer="t") for name, about_s in (("a", 60.0), ("b", 30.0))]
    assert kept(monkeypatch, *steps).seconds(now_s=0.0) == 90.0 + EMBEDDED_CLUSTER.close_s


def test_steps_that_are_done_together_take_the_time_of_the_first_test(monkeypatch: pytest.MonkeyPatch) -> None:
    left = kept(
        monkeypatch,
        PlannedStep(description="a", about_s=60.0, payer="first", together="visits"),
        PlannedStep(description="b", about_s=30.0, payer="second"),
        PlannedStep(description="c", about_s=60.0, payer="second", together="visits"),
    )
    left.begin("first", now_s=0.0)
    assert left.seconds(now_s=120.0) == 30.0 + EMBEDDED_CLUSTER.close_s
    left.finish("first", now_s=120.0)
    assert left.ratio == 1.0

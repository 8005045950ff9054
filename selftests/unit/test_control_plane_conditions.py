"""What ends a ramp: each condition just met and just not met, and that more of what ended it ends it too."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.limits.ramps import StopWhen
from acceptance.trials.ramps.conditions import Stop, StopConditions

STOP_WHEN = StopWhen.model_validate(
    {
        "slow_starts": {"longer_than": "4min", "more_than": 10, "because": "too slow"},
        "running_rate": {"below": "10/min", "because": "too few"},
        "crashes": {"more_than": 3, "because": "not stable"},
    }
)


def conditions(*, goal: int = 1000, timeout_s: float = 1e9) -> StopConditions:
    return StopConditions(STOP_WHEN, goal=goal, timeout_s=timeout_s)


def ramp(found: StopConditions, *, pods: int, every_s: float = 2.0, took_s: float = 1.0) -> None:
    """Pods made one by one, each running after its time."""
    events = [(number * every_s, number, False) for number in range(pods)]
    events += [(number * every_s + took_s, number, True) for number in range(pods)]
    for at_s, number, runs in sorted(events):
        (found.runs if runs else found.note_creation)(f"pod-{number}", at_s)


def kind(stop: Stop | None) -> str | None:
    return None if stop is None else stop.kind


def test_a_steady_ramp_is_ended_by_its_goal_alone() -> None:
    found = conditions(goal=60)
    ramp(found, pods=59)
    assert found.find_stop(118.0) is None
    found.note_creation("last", 118.0)
    found.runs("last", 119.0)
    assert found.find_stop(119.0) == Stop(kind="goal", reason="all 60 pods ran", since_pods=60)


def slow(found: StopConditions, pods: int, *, took_s: float, after: int = 100) -> StopConditions:
    """So many slow pods after a hundred that were not."""
    ramp(found, pods=after)
    for number in range(pods):
        found.note_creation(f"slow-{number}", 200.0)
    for number in range(pods):
        found.runs(f"slow-{number}", 200.0 + took_s)
    return found


@pytest.mark.parametrize(
    ("pods", "took_s", "ended"), [(10, 240.1, False), (11, 240.0, False), (11, 240.1, True), (12, 300.0, True)]
)
def test_more_than_ten_that_took_over_four_minutes(pods: int, took_s: float, ended: bool) -> None:
    stop = slow(conditions(), pods, took_s=took_s).find_stop(200.0 + took_s)
    assert kind(stop) == ("slow_starts" if ended else None)
    if stop is not None:
        assert stop.since_pods == 100
        assert stop.reason == (
            f"{pods} pods took longer than 4 min from creation to running, more than 10; the first was pod number 101: "
            "too slow"
        )


def test_a_pod_that_still_waits_is_slow_as_soon_as_it_must_be() -> None:
    found = conditions()
    ramp(found, pods=100)
    for number in range(11):
        found.note_creation(f"slow-{number}", 200.0 + number)
    stops = {at_s: kind(found._slow_starts(at_s)) for at_s in (449.9, 450.0, 450.1)}
    assert stops == {449.9: None, 450.0: None, 450.1: "slow_starts"}


def test_what_is_known_better_than_by_when_it_was_told_counts() -> None:
    """After a break of the connection pods seem to have started late."""
    found = conditions()
    for number in range(20):
        found.note_creation(f"pod-{number}", 0.0)
        found.runs(f"pod-{number}", 500.0, took_s=2.0)
    assert found._slow_starts(500.0) is None


def test_fewer_than_ten_a_minute_become_running() -> None:
    """The ramp stalls after 100 pods, which ran by 199 s."""
    found = conditions()
    ramp(found, pods=100)
    for number in range(100, 200):
        found.note_creation(f"pod-{number}", number * 2.0)
    seen = {at_s: kind(found.find_stop(at_s)) for at_s in range(200, 260)}
    assert seen[235] is None
    first = min(at_s for at_s, each in seen.items() if each)
    assert seen[first] == "running_rate" and 238 <= first <= 242
    stop = found.find_stop(float(first))
    assert stop is not None and stop.since_pods == 100
    assert "9 pods became running in 60 s, fewer than 10" in stop.reason and stop.reason.endswith(": too few")


def test_the_rate_does_not_count_before_the_ramp_has_warmed_up() -> None:
    found = conditions()
    found.note_creation("first", 0.0)
    found.runs("first", 30.0)
    for number in range(60):
        found.note_creation(f"pod-{number}", 1.0 + number)
    assert kind(found.find_stop(149.9)) is None
    assert kind(found.find_stop(150.0)) == "running_rate"


def test_the_rate_does_not_count_when_so_many_were_not_there_to_start() -> None:
    """Of the last 19 nobody can expect ten a minute, and a ramp as slow as the limit is not too slow for itself."""
    found = conditions()
    ramp(found, pods=100)
    for number in range(19):
        found.note_creation(f"last-{number}", 200.0)
    assert found.find_stop(400.0) is None
    slow_rate = conditions()
    for number in range(100):
        slow_rate.note_creation(f"pod-{number}", number * 6.5)
        slow_rate.runs(f"pod-{number}", number * 6.5 + 1.0)
        assert slow_rate.find_stop(number * 6.5 + 6.4) is None


def test_the_rate_does_not_count_once_the_goal_is_reached() -> None:
    found = conditions(goal=100)
    ramp(found, pods=100)
    assert kind(found.find_stop(10_000.0)) == "goal"


def test_more_than_three_crashes_and_restarts_each_counted_once() -> None:
    found = conditions()
    ramp(found, pods=50)
    for count in (1, 2, 2, 1):
        found.fault("pod-20", count)
    found.fault("pod-30", 1)
    assert found.find_stop(100.0) is None
    found.fault("pod-40", 1)
    stop = found.find_stop(100.0)
    assert stop is not None and (stop.kind, stop.since_pods) == ("crashes", 20)
    assert stop.reason.startswith("4 crashing pods and restarted containers, more than 3; the first was pod number 21")


def test_a_pod_that_is_told_of_twice_counts_once() -> None:
    found = conditions(goal=2)
    for _ in range(2):
        found.note_creation("pod", 1.0)
        found.runs("pod", 2.0)
    assert found.running == 1
    assert found.find_stop(3.0) is None


def test_a_pod_that_no_longer_runs_is_no_part_of_the_goal() -> None:
    found = conditions(goal=2)
    ramp(found, pods=2)
    found.note_stop("pod-0")
    assert found.find_stop(10.0) is None
    found.runs("pod-0", 11.0)
    assert kind(found.find_stop(11.0)) == "goal"


def test_when_no_more_can_come_it_ends_with_the_last_that_starts() -> None:
    found = conditions()
    ramp(found, pods=20)
    found.note_creation("starting", 41.0)
    found.note_creation("without-room", 42.0)
    found.hold("nodes_full", "Too many pods")
    found.set_aside("without-room")
    assert found.find_stop(43.0) is None
    found.runs("starting", 44.0)
    stop = found.find_stop(44.0)
    assert stop is not None and (stop.kind, stop.reason) == ("nodes_full", "Too many pods")


def test_pods_without_room_are_not_slow() -> None:
    found = conditions()
    ramp(found, pods=20)
    for number in range(30):
        found.note_creation(f"aside-{number}", 50.0)
        found.set_aside(f"aside-{number}")
    assert found.find_stop(1000.0) is None


def test_a_lost_node_ends_it_at_once_but_not_before_the_storage_does() -> None:
    found = conditions()
    ramp(found, pods=20)
    found.end("node_lost", "node n1 was deleted")
    assert kind(found.find_stop(50.0)) == "node_lost"
    found.fault("pod-3", 4)
    assert kind(found.find_stop(50.0)) == "crashes"


def test_without_any_progress_it_ends_in_the_end() -> None:
    found = conditions(timeout_s=300.0)
    ramp(found, pods=20)
    found.note_creation("last", 50.0)
    assert found.find_stop(350.0) is None
    stop = found.find_stop(350.1)
    assert stop is not None and stop.kind == "stuck"
    assert "none became running; 21 were created, 20 run, the goal is 1000" in stop.reason


START = st.floats(min_value=0.0, max_value=600.0)


@given(starts=st.lists(START, max_size=40), more=st.lists(st.floats(240.5, 600.0), max_size=5), at_s=START)
def test_more_slow_pods_never_un_end_it(starts: Sequence[float], more: Sequence[float], at_s: float) -> None:
    """What ended a ramp would have ended it with further slow pods, too, and does so at any later time."""

    def run(took: Sequence[float]) -> StopConditions:
        found = conditions()
        for number, _ in enumerate(took):
            found.note_creation(f"pod-{number}", 0.0)
        for at, number in sorted((each, number) for number, each in enumerate(took)):
            if at <= at_s:
                found.runs(f"pod-{number}", at)
        return found

    if kind(run(starts)._slow_starts(at_s)):
        assert kind(run([*starts, *more])._slow_starts(at_s))
        found = run(starts)
        assert kind(found._slow_starts(at_s)) and kind(found._slow_starts(at_s + 1000.0))


@given(counts=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4)), max_size=30), extra=st.integers(0, 5))
def test_crashes_are_the_sum_of_the_worst_of_each_pod(counts: list[tuple[int, int]], extra: int) -> None:
    found = conditions()
    ramp(found, pods=6)
    for pod, count in counts:
        found.fault(f"pod-{pod}", count)
    worst = {pod: max(count for each, count in counts if each == pod) for pod, _ in counts}
    assert kind(found._crashes()) == ("crashes" if sum(worst.values()) > 3 else None)
    if found._crashes():
        found.fault(f"pod-{extra}", 1)
        assert found._crashes()

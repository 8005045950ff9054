"""Where the growth of running pods stopped being linear, on ramps that are made so that it is known."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from acceptance.trials.ramps.growth import SLACK_S, SLACK_SHARE, linear_until


@given(
    until=st.integers(20, 300),
    every_s=st.floats(0.5, 5.0),
    start_s=st.floats(1.0, 60.0),
    behind_s=st.floats(0.5, 20.0),
)
def test_growth_ends_at_the_pod_that_the_ramp_slows_down_from(
    until: int, every_s: float, start_s: float, behind_s: float
) -> None:
    """Each pod after it comes `behind_s` later than the one before: seen as soon as that is more than the slack."""
    asked = [number * every_s for number in range(3 * until)]
    running = [at_s + start_s + max(0, number - until) * behind_s for number, at_s in enumerate(asked)]
    hidden = math.ceil(max(SLACK_S, SLACK_SHARE * start_s) / behind_s)
    assert until <= linear_until(asked, running) <= until + hidden + 1


def test_growth_that_is_linear_throughout_is_so_for_all_pods_that_ran() -> None:
    asked = [number * 2.0 for number in range(100)]
    assert linear_until(asked, [at_s + 30.0 for at_s in asked]) == 100
    assert linear_until(asked, [at_s + 30.0 for at_s in asked[:40]]) == 40
    assert linear_until(asked, []) == 0


def test_a_pause_that_is_made_up_for_does_not_end_linear_growth() -> None:
    asked = [number * 2.0 for number in range(100)]
    running = [max(at_s + 5.0, 140.0) if 40 <= number < 70 else at_s + 5.0 for number, at_s in enumerate(asked)]
    assert linear_until(asked, running) == 100

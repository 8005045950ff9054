"""The promises of docs/history.md, kept in simulation: years in which nothing changes, falls, slow declines.

`benchmarks/history.py` has the long form.
"""

from __future__ import annotations

import pytest

from selftests.unit.simulated_nights import YEAR, Nights, declines, fallen, false_alarms

PROMISED = 3.65  # nights a year
LIMITS = 4  # as many as a tier of thresholds.yaml has


@pytest.mark.parametrize(
    "nights",
    [
        Nights(noise=0.05),
        Nights(noise=0.05, alike=0.6),
        Nights(noise=0.08, alike=0.6),
        Nights(noise=0.10, heavy=True),
        Nights(noise=0.03, weekend=0.15),
    ],
    ids=["independent", "alike", "alike and noisy", "heavy tails", "weekends"],
)
def test_noise_alone_is_an_alarm_in_at_most_one_night_of_a_hundred(nights: Nights) -> None:
    assert false_alarms(nights, limits=LIMITS, years=4, seed=6) <= PROMISED


def test_sixty_limits_share_that_one_chance() -> None:
    assert false_alarms(Nights(noise=0.05, alike=0.6), limits=60, years=1, seed=11) <= PROMISED


@pytest.mark.parametrize(
    ("noise", "before", "in_two", "in_seven"), [(0.02, 14, 0.7, 0.8), (0.03, 30, 0.85, 0.97), (0.05, 30, 0.4, 0.9)]
)
def test_a_fall_of_20_percent_is_caught(noise: float, before: int, in_two: float, in_seven: float) -> None:
    found = list(fallen(Nights(noise=noise), before=before, after=7, fall=0.2, limits=LIMITS, histories=150, seed=3))
    assert not any(told[0] for told in found), "a night by itself is no alarm"
    assert sum(told[1] for told in found) >= in_two * len(found)
    assert sum(any(told) for told in found) >= in_seven * len(found)


@pytest.mark.parametrize("fall", [0.2, 0.5])
def test_a_fall_that_was_told_is_told_every_night_for_a_year(fall: float) -> None:
    found = list(fallen(Nights(noise=0.03), before=30, after=YEAR, fall=fall, limits=LIMITS, histories=8, seed=4))
    assert all(any(told) for told in found)
    assert [told for told in found if not all(told[told.index(True) :])] == []


@pytest.mark.parametrize("noise", [0.02, 0.03])
def test_a_decline_of_a_third_of_a_percent_a_night_is_told_long_before_the_year_is_over(noise: float) -> None:
    """Two thirds are lost in that year; no night is far below its week."""
    found = list(declines(Nights(noise=noise), a_night=0.003, count=150, limits=LIMITS, histories=10, seed=5))
    assert None not in found

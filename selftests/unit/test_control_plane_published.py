"""Longhorn's published ramps, played again: what ended them and where their growth stopped being linear is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from acceptance.limits.file import load_limits
from acceptance.limits.ramps import StopWhen
from acceptance.loads.profile_folder import find_profiles
from acceptance.trials.ramps.conditions import StopConditions
from acceptance.trials.ramps.growth import linear_until

ROOT = Path(__file__).parents[2]
PUBLISHED = yaml.safe_load((Path(__file__).parent / "published" / "control_plane.yaml").read_text(encoding="utf-8"))
START_S = 12.0


def shipped() -> StopWhen:
    tier = load_limits(ROOT / "thresholds.yaml", profiles=set(find_profiles(ROOT / "profiles"))).tier("baseline")
    assert tier.ramp is not None
    return tier.ramp.stop_when


def played(ramp: dict[str, Any]) -> tuple[list[float], list[float]]:
    """When each pod was asked for, and when so many ran: at the set rate until `linear_until`, then slower.

    The report says of the rest only that pods came slower and slower, until more than ten took over four minutes at
    `pods`: here at the one steady rate with which that is so.
    """
    every_s, until, end = 60.0 / ramp["rate_per_min"], ramp["linear_until"], ramp["pods"]
    limit_s = PUBLISHED["ended_by"]["slower_than_s"]
    behind_s = (limit_s - START_S) / (end - until)
    asked = [number * every_s for number in range(2 * end)]
    running = [at_s + START_S + max(0, number - until) * behind_s for number, at_s in enumerate(asked)]
    return asked, running


@pytest.mark.parametrize("ramp", PUBLISHED["ramps"], ids=lambda each: f"{each['workers']}-workers")
def test_the_end_of_linear_growth_is_where_the_report_has_it(ramp: dict[str, Any]) -> None:
    asked, running = played(ramp)
    assert linear_until(asked, running[: ramp["pods"]]) == pytest.approx(ramp["linear_until"], rel=0.05)


@pytest.mark.parametrize("ramp", PUBLISHED["ramps"], ids=lambda each: f"{each['workers']}-workers")
def test_slow_starts_end_the_ramp_at_the_published_number_of_pods(ramp: dict[str, Any]) -> None:
    """Within what is asked for while a pod becomes too slow: the report reads its number off when it looks."""
    asked, running = played(ramp)
    found = StopConditions(shipped(), goal=10**6, timeout_s=1e9)
    events = sorted(
        [(at_s, number, 0) for number, at_s in enumerate(asked)] + [(at_s, n, 1) for n, at_s in enumerate(running)]
    )
    for at_s, number, is_running in events:
        (found.runs if is_running else found.created)(f"pod-{number}", at_s)
        stop = found.found(at_s)
        if stop is not None:
            break
    assert stop is not None and stop.kind == "slow_starts"
    assert stop.since_pods == pytest.approx(ramp["pods"], abs=2)
    assert found.running == pytest.approx(ramp["pods"], rel=0.02)


def test_longhorn_v1_0_was_linear_for_all_but_its_last_pods() -> None:
    figures = PUBLISHED["longhorn_v1_0"]
    every_s = figures["linear_s"] / figures["linear_until"]
    last = figures["pods"] - figures["linear_until"]
    asked = [number * every_s for number in range(figures["pods"])]
    running = [at_s + START_S for at_s in asked[: figures["linear_until"]]]
    running += [figures["linear_s"] + (number + 1) * figures["rest_s"] / last for number in range(last)]
    assert linear_until(asked, running) == pytest.approx(figures["linear_until"], rel=0.01)


def test_published_numbers_of_pods_are_those_of_their_nodes() -> None:
    for ramp in PUBLISHED["ramps"]:
        assert ramp["pods"] // ramp["workers"] == ramp["per_node"]


def test_growth_that_is_linear_throughout_is_so_for_all_pods_that_ran() -> None:
    asked = [number * 2.0 for number in range(100)]
    assert linear_until(asked, [at_s + 30.0 for at_s in asked]) == 100
    assert linear_until(asked, [at_s + 30.0 for at_s in asked[:40]]) == 40
    assert linear_until(asked, []) == 0


def test_a_pause_that_is_made_up_for_does_not_end_linear_growth() -> None:
    asked = [number * 2.0 for number in range(100)]
    running = [max(at_s + 5.0, 140.0) if 40 <= number < 70 else at_s + 5.0 for number, at_s in enumerate(asked)]
    assert linear_until(asked, running) == 100

"""Storage with credits under a sustained load, in simulation: what its length finds, and what a short form cannot."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from acceptance.judging.sustained import judge_sustained
from acceptance.results.document import SustainedRecord, Verdict
from acceptance.settings.offered import BY_KEY
from acceptance.text.quantities import parse_quantity
from acceptance.trials.speed.runner import SpeedRunner
from acceptance.trials.speed.sustained import judged_seconds, plan_of, sustained_record
from selftests.unit.made_limits import tier_with
from selftests.unit.simulated_credits import Credits, ReadyBench
from selftests.unit.simulated_standstills import Storage, profile
from selftests.unit.sustained_records import at_least

RATE, BURST = 200.0, 3.0
DEFAULT_S, SHORT_S = int(parse_quantity(BY_KEY["sustained_time"].default, unit="s")), 120
UNCOUNTED_S = 3
"""of the load, at its begin: the ramp, and the second that counts begin from"""


def disk(burst_s: float, *, noise: float = 0.05, seed: int = 1) -> Credits:
    """It does `BURST` times `RATE` until so many seconds of load, and `RATE` from then on."""
    credits_s = burst_s * (BURST - 1)
    return Credits(rate=RATE, burst=BURST, credits_s=credits_s, noise=noise, seed=seed, full=True, until_s=2600)


def loaded(storage: Storage, *, asked_s: int) -> SustainedRecord:
    """Through the runner that measures in a run."""
    tier = tier_with()
    told: dict[str, Any] = {"report": lambda _: None, "preparing": lambda *_: None, "keep": lambda _: None}
    runner = SpeedRunner(ReadyBench({"fast": storage}), baseline_class=None, node=None, tier=tier, **told)
    load = runner.whole_load(profile(durable=True), storage_class="fast", plan=plan_of(asked_s), name="sustained")
    return sustained_record(load, asked_s=asked_s, limits=(), cache=None)


@cache
def verdict(burst_s: float, *, asked_s: int, times: float, seed: int = 1) -> Verdict:
    """On a limit of `times` the sustained rate."""
    return judge_sustained(loaded(disk(burst_s, seed=seed), asked_s=asked_s), at_least(RATE * times))


@pytest.mark.parametrize("burst_s", [30, 1200, 2000])
def test_the_default_length_outlasts_credits(burst_s: float) -> None:
    """Of half a minute, of 20 min, and of a gp2 volume of 100 GiB under full load."""
    found = verdict(burst_s, asked_s=DEFAULT_S, times=1.05)
    assert found.status == "fail", found.reason
    assert found.measured == pytest.approx(RATE, rel=0.03)
    assert "it had slowed down after" in found.reason
    assert verdict(burst_s, asked_s=DEFAULT_S, times=0.9).status == "pass"


@pytest.mark.parametrize("seed", range(20))
def test_a_short_form_finds_what_ends_before_its_judged_part(seed: int) -> None:
    assert verdict(30, asked_s=SHORT_S, times=1.2, seed=seed).status == "fail"
    noisy = loaded(disk(30, noise=0.3, seed=seed), asked_s=SHORT_S)
    assert judge_sustained(noisy, at_least(RATE * 1.05)).status != "pass"


def test_a_short_form_passes_credits_that_outlast_it_and_says_so() -> None:
    """It cannot know: that is what the default length is for."""
    found = verdict(1200, asked_s=SHORT_S, times=1.05)
    assert found.status == "pass"
    assert "a short form: the judged part began after 60 s of load" in found.reason
    assert "the test misses any later slowdown" in found.reason


@pytest.mark.parametrize("asked_s", [SHORT_S, 600])
def test_credits_that_end_in_the_judged_part_never_pass(asked_s: int) -> None:
    """From its first seconds on, until a third of its last round is left."""
    judged_s = judged_seconds(asked_s)
    for share in (0.05, 0.2, 0.4, 0.6, 0.8, 0.93):
        burst_s = UNCOUNTED_S + asked_s - judged_s + share * judged_s
        found = verdict(burst_s, asked_s=asked_s, times=1.05)
        assert found.status == "inconclusive" and "not steady" in found.reason, (share, found.reason)


@pytest.mark.parametrize(("noise", "most_open"), [(0.05, 0), (0.15, 0), (0.3, 12)])
def test_steady_storage_is_judged_in_spite_of_its_noise(noise: float, most_open: int) -> None:
    """5 % short of a limit it never passes. At 30 % noise a second its rounds are now and then too far apart."""
    records = [loaded(disk(0.001, noise=noise, seed=seed), asked_s=600) for seed in range(40)]
    assert "pass" not in [judge_sustained(record, at_least(RATE * 1.05)).status for record in records]
    assert "fail" not in [judge_sustained(record, at_least(RATE * 0.95)).status for record in records]
    far = [judge_sustained(record, at_least(RATE / 2)).status for record in records]
    assert "fail" not in far and far.count("inconclusive") <= most_open


def test_the_load_is_as_long_as_was_asked() -> None:
    record = loaded(disk(30), asked_s=600)
    assert record.load.duration_s == pytest.approx(600, abs=2)
    assert (record.asked_s, record.judged_s, len(record.rounds)) == (600, 300, 5)
    assert len(record.load.series["write.iops"]) == pytest.approx(600, abs=2)

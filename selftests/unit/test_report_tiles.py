"""The figures of the first screen: which, with what limit, and where they lie to it."""

from __future__ import annotations

import pytest

from acceptance.report.summary import render_summary
from acceptance.report.tiles import Tile, tiles
from acceptance.results.bounds import bound_of
from acceptance.results.document import Results, Verdict
from selftests.unit.compared_runs import judged, measured, run_of


def of(results: Results, storage_class: str = "fast") -> dict[str, Tile]:
    return {each.title: each for each in tiles(results)[storage_class]}


def loads() -> Results:
    return run_of(
        measured({"write.iops": 1000.0}),
        measured({"read.iops": 5000.0}, profile="random-read-iops"),
        measured({"read.bandwidth": 1024.0**2}, profile="sequential-read-bandwidth"),
        verdicts=[judged()],
    )


def test_each_figure_has_its_limit_and_where_it_lies() -> None:
    found = of(loads())
    assert list(found) == ["Durable writes", "Random reads", "Reading"]
    durable = found["Durable writes"]
    assert (durable.value, durable.limit, durable.status) == ("1,000 IOPS", "at least 750 IOPS", "pass")
    assert durable.bar is not None and 0.5 < durable.bar.low < durable.bar.value < durable.bar.high < 1.0
    assert durable.bar.words == "1.33x the limit"
    assert durable.interval == "909.1 IOPS to 1,100 IOPS (95% CI)"
    assert found["Reading"].value == "1 MiB/s" and found["Reading"].bar is None and not found["Reading"].limit


@pytest.mark.parametrize(
    ("limit", "measured_s", "place"),
    [
        ("at most 10 ms", 0.01, 0.5),
        ("at most 10 ms", 0.1, 0.0),
        ("at most 10 ms", 0.001, 1.0),
        ("at most 1 s", 0.0, 1.0),
    ],
)
def test_better_is_to_the_right_whatever_the_side_of_the_limit(limit: str, measured_s: float, place: float) -> None:
    verdict = judged(
        profile="failover", metric="failover.time", unit="s", limit=f"failover: {limit}", measured=measured_s,
        low=None, high=None, subject="durability", rule="at_most",
    )  # fmt: skip
    bar = of(run_of(verdicts=[verdict], settings={"storage_class": ["fast"]}))["Failover of a node"].bar
    assert bar is not None and bar.value == pytest.approx(place)


def test_of_several_rebuilds_the_worst_is_shown() -> None:
    def rebuilt(profile: str, value: float) -> Verdict:
        return judged(
            profile=profile, metric="rebuild.largest_volume", unit="B", measured=value, low=None, high=None,
            limit="largest volume: at least 10 GiB", subject="rebuild",
        )  # fmt: skip

    gib = 1024.0**3
    run = run_of(verdicts=[rebuilt("full-data", 90 * gib), rebuilt("alternating-4k", 20 * gib)])
    assert of(run)["Rebuilt within 24 h"].value == "20 GiB"


def test_profiles_of_ones_own_are_shown_where_the_known_ones_were_not_measured() -> None:
    own = judged(profile="ours")
    run = run_of(measured({"write.iops": 1000.0}, profile="ours"), verdicts=[own])
    assert list(of(run)) == ["ours"]


def test_a_figure_that_fails_another_rule_is_not_shown_as_passed() -> None:
    rule = judged("fail", rule="not_better_than_baseline_by", limit="write.iops at most 1.2x the baseline's")
    run = run_of(measured({"write.iops": 1000.0}), verdicts=[judged(), rule])
    assert of(run)["Durable writes"].status == "fail"


def test_nothing_measured_makes_no_tiles() -> None:
    assert tiles(run_of()) == {}
    assert 'class="tiles"' not in render_summary(run_of())


def test_they_stand_on_the_first_screen() -> None:
    html = render_summary(loads())
    assert html.index('class="tiles"') < html.index("<h2>Subjects")
    assert 'aria-label="1.33x the limit"' in html


@pytest.mark.parametrize("limit", ["write.iops as before", "write.iops at least much", "at most 5 parsecs"])
def test_a_limit_that_is_no_number_is_none(limit: str) -> None:
    assert bound_of(judged(limit=limit)) is None
    assert of(run_of(measured({"write.iops": 1000.0}), verdicts=[judged(limit=limit)]))["Durable writes"].bar is None

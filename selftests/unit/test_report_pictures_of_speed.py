"""Pictures of one volume's speed: what is drawn, on which scale, and when there is nothing to draw."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.report.pictures import in_bytes, latency_curve, rates_over_time
from acceptance.report.pictures.scales import round_numbers
from acceptance.results.bounds import Bound
from acceptance.results.document import Estimate, Measurement
from acceptance.text.quantities import unit_for
from selftests.unit.drawn import elements, latencies, line, measurement, texts


def timed(*points: tuple[float, float], direction: str = "write", name: str = "fast") -> Measurement:
    return measurement(name=name, distribution={direction: latencies(*points)})


def test_each_second_is_a_point_between_zero_and_the_largest() -> None:
    picture = rates_over_time(measurement((500.0, 1000.0, 0.0)), None)
    (x1, half), (x2, full), (x3, nothing) = line(picture, "candidate")
    assert x2 - x1 == pytest.approx(x3 - x2, abs=0.2)
    assert nothing - half == pytest.approx(half - full, abs=0.2)
    assert picture is not None and "Log scale" not in picture.caption
    assert picture.text == "fast: 500 IOPS (450 IOPS to 550 IOPS); single seconds from 0 IOPS to 1,000 IOPS."


def test_the_mean_and_its_interval_stand_behind_the_line() -> None:
    found = elements(rates_over_time(measurement(), None))
    assert [each.get("class") for each in found if "opacity" in each.attrib] == ["fill-candidate"]
    bare = measurement(metrics={})
    picture = rates_over_time(bare, None)
    assert not any("opacity" in element.attrib for element in elements(picture))
    assert picture is not None and picture.text.startswith("fast: 1,100 IOPS; single seconds")


def test_what_is_far_apart_is_drawn_on_a_log_scale_and_stalls_stand_at_its_edge() -> None:
    picture = rates_over_time(measurement((100.0, 0.0, 110.0)), measurement((9000.0, 9100.0), name="local"))
    assert picture is not None
    assert "IOPS, log scale" in texts(picture)
    assert "Seconds without operations are at the lower edge." in picture.caption
    near = rates_over_time(measurement((100.0, 110.0)), measurement((200.0, 210.0), name="local"))
    assert near is not None and "Log scale" not in near.caption


def test_the_direction_in_which_most_was_done_is_drawn() -> None:
    mixed = measurement(series={"read.iops": [10.0, 10.0], "write.iops": [30.0, 30.0], "sync.iops": [90.0, 90.0]})
    picture = rates_over_time(mixed, None)
    assert picture is not None and picture.caption.startswith("random-write-iops: write.iops in each second")


def at_least(value: float) -> dict[str, tuple[Bound, ...]]:
    return {"write.iops": (Bound(side="at_least", value=value, words=f"at least {value:g} IOPS"),)}


def test_the_limit_is_a_line_in_the_picture() -> None:
    picture = rates_over_time(measurement((1000.0, 1100.0)), None, limits=at_least(1500.0))
    assert "limit" in texts(picture)
    lines = [element for element in elements(picture) if element.get("class") == "stroke-limit"]
    assert len(lines) >= 2, "the line and its piece of the key"
    assert picture is not None and picture.text.endswith("Limit: at least 1500 IOPS.")
    bare = rates_over_time(measurement((1000.0, 1100.0)), None)
    assert not [element for element in elements(bare) if element.get("class") == "stroke-limit"]


def test_a_limit_that_is_far_away_is_named_below() -> None:
    picture = rates_over_time(measurement((1000.0, 1100.0)), None, limits=at_least(10.0))
    assert "limit" not in texts(picture)
    assert picture is not None and picture.text.endswith("Limit: at least 10 IOPS, which is outside the chart.")


def test_a_profile_of_bandwidth_is_drawn_in_bytes() -> None:
    rate, bytes_of_each = 100.0, 128 * 1024
    metrics = {
        "write.iops": Estimate(mean=rate, low=rate, high=rate, unit="1/s", samples=2),
        "write.bandwidth": Estimate(
            mean=rate * bytes_of_each, low=rate * bytes_of_each, high=rate * bytes_of_each, unit="B/s", samples=2
        ),
    }
    wide = measurement((90.0, 110.0), metrics=metrics)
    picture = rates_over_time(in_bytes(wide), None)
    assert picture is not None and "write.bandwidth in each second" in picture.caption
    assert "MiB/s" in texts(picture)
    assert (
        picture.text == "fast: 12.5 MiB/s (12.5 MiB/s to 12.5 MiB/s); single seconds from 11.25 MiB/s to 13.75 MiB/s."
    )


@pytest.mark.parametrize("values", [(), (1000.0,), (0.0, 0.0, 0.0)])
def test_without_a_line_there_is_no_picture(values: tuple[float, ...]) -> None:
    assert rates_over_time(measurement(values), measurement()) is None


def test_a_baseline_that_did_nothing_is_left_out() -> None:
    picture = rates_over_time(measurement(), measurement((0.0, 0.0), name="local"))
    assert "local" not in texts(picture)


def test_the_curve_goes_by_what_is_left_to_all_operations() -> None:
    picture = latency_curve(timed((50.0, 0.001), (90.0, 0.01), (99.0, 0.1), (99.9, 1.0)), None)
    points = line(picture, "candidate")
    steps = [(after[0] - before[0], before[1] - after[1]) for before, after in pairwise(points)]
    assert steps[1] == pytest.approx(steps[2], abs=0.2), "a tenth of what is left is as far from 90 % as from 99 %"
    assert [text for text in texts(picture) if "%" in text] == ["50 %", "90 %", "99 %", "99.9 %"]
    assert picture is not None
    assert picture.text == "fast: 50 % within 1 ms, 90 % within 10 ms, 99 % within 100 ms, 99.9 % within 1 s."


def p99_at_most(seconds: float) -> dict[str, tuple[Bound, ...]]:
    bound = Bound(side="at_most", value=seconds, words=f"at most {seconds:g} s")
    return {"write.latency.p99": (bound,), "read.latency.p99": (bound,), "write.iops": (bound,)}


def test_the_limit_on_a_percentile_is_marked_there() -> None:
    curve = timed((50.0, 0.001), (90.0, 0.01), (99.0, 0.1), (99.9, 1.0))
    picture = latency_curve(curve, None, limits=p99_at_most(0.05))
    assert "limit" in texts(picture)
    (mark,) = [element for element in elements(picture) if element.get("stroke-width") == "2.4"]
    assert mark.get("class") == "stroke-limit"
    assert picture is not None and picture.text.endswith("Limit at 99 %: at most 0.05 s.")
    far = latency_curve(curve, None, limits=p99_at_most(100.0))
    assert "limit" not in texts(far)
    assert far is not None and far.text.endswith("Limit at 99 %: at most 100 s, which is outside the chart.")


def test_the_latency_of_fdatasync_comes_before_that_of_the_writes_which_only_fill_a_cache() -> None:
    both = {each: latencies((50.0, 0.001), (90.0, 0.002)) for each in ("write", "sync")}
    picture = latency_curve(measurement(distribution=both), None)
    assert picture is not None and "fdatasync latency by percentile" in picture.caption


@pytest.mark.parametrize("points", [(), ((50.0, 0.001),), ((50.0, 0.0), (90.0, 0.001))])
def test_fewer_than_two_percentiles_make_no_curve(points: tuple[tuple[float, float], ...]) -> None:
    assert latency_curve(timed(*points), None) is None
    picture = latency_curve(timed((50.0, 0.001), (90.0, 0.002)), timed(*points, name="local"))
    assert "local" not in texts(picture)


def test_without_a_distribution_there_is_no_curve() -> None:
    assert latency_curve(measurement(), measurement()) is None


def test_axes_are_in_a_unit_that_fits_with_few_round_numbers() -> None:
    assert unit_for(3 * 1024**2, unit="B/s") == ("MiB/s", 1024**2)
    assert unit_for(0.004, unit="s") == ("ms", 0.001)
    assert round_numbers(90e-6, 0.0011) == pytest.approx([1e-4, 2e-4, 5e-4, 1e-3])


@given(st.floats(1e-9, 1e9), st.floats(1.5, 1e15))
def test_a_log_axis_has_a_few_ticks_whatever_it_shows(low: float, times: float) -> None:
    found = round_numbers(low, low * times)
    assert 1 <= len(found) <= 6
    assert all(low <= each <= low * times for each in found) and found == sorted(found)

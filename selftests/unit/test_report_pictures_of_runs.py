"""Pictures of several runs: a metric from run to run, and what changed between two."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from acceptance.report.comparing.model import Change, Difference, Finding
from acceptance.report.picture import Picture
from acceptance.report.pictures import beside_each_other, differences, trend
from acceptance.report.pictures.difference import ratio_ticks
from acceptance.report.pictures.side_by_side import LOOKS, Beside
from acceptance.results.document import Estimate
from acceptance.results.history import ChangePoint, TrendPoint, TrendRecord
from selftests.unit.drawn import NOW, elements, line, texts


def point(number: int, mean: float) -> TrendPoint:
    return TrendPoint(run=f"r{number}", date=NOW + timedelta(days=number), mean=mean, low=0.95 * mean, high=1.05 * mean)


def nights(*means: float, **more: Any) -> TrendRecord:
    """Values night by night, the last of them of this run."""
    points = [point(number, mean) for number, mean in enumerate(means)]
    fields: dict[str, Any] = {
        "storage_class": "fast",
        "profile": "random-write-iops",
        "metric": "write.iops",
        "unit": "1/s",
        "higher_is_better": True,
        "margin": 0.1,
        "points": points[:-1],
        "this_run": points[-1],
        "compared_with": len(means) - 1,
        "typical": 1000.0,
        "expected_low": 950.0,
        "expected_high": 1050.0,
        "change_point": None,
        "status": "pass",
    }
    return TrendRecord(**(fields | more))


def lines(picture: Picture | None, kind: str) -> list[str]:
    return [
        element.attrib["d"]
        for element in elements(picture)
        if element.get("class") == f"stroke-{kind}" and "d" in element.attrib
    ]


def height(path: str) -> float:
    return float(path.split()[2])


def test_the_limit_is_where_the_margin_ends_on_the_side_that_is_worse() -> None:
    for higher, below in ((True, True), (False, False)):
        picture = trend(nights(1000, 1000, 1000, higher_is_better=higher))
        limit, level = height(lines(picture, "limit")[0]), line(picture, "candidate")[0][1]
        assert (limit > level) == below, "from the top of the picture"
    assert picture is not None and "Limit: 10 % worse than that level" in picture.caption


def test_this_run_is_marked_and_the_words_hold_the_change_of_level_and_its_date() -> None:
    change = ChangePoint(run="r3", date=NOW + timedelta(days=3), change=-0.2, before=3, after=2)
    picture = trend(nights(1000, 1010, 990, 800, 805, change_point=change))
    assert picture is not None
    assert "this run" in texts(picture) and "2026-11-24" in " ".join(texts(picture))
    assert picture.text == (
        "5 runs from 2026-11-21 to 2026-11-25: 800 IOPS to 1,010 IOPS, the last 805 IOPS. "
        "The level changed by -20.0 % with the run of 2026-11-24."
    )
    before = trend(nights(1000, 1010, 990, 800, 805))
    assert len(lines(picture, "limit")) == len(lines(before, "limit")) + 1


def test_a_run_that_did_not_measure_it_is_not_marked() -> None:
    picture = trend(nights(1000, 1000, 1000, this_run=None))
    assert "this run" not in texts(picture) and len(line(picture, "candidate")) == 2


def test_of_very_many_runs_the_last_are_drawn() -> None:
    picture = trend(nights(*[1000.0 + number % 7 for number in range(1000)]))
    assert picture is not None and len(picture.svg) < 15_000
    assert "Only the last 45 runs are drawn." in picture.caption


@pytest.mark.parametrize("means", [(1000.0,), (0.0, 0.0)])
def test_one_run_is_no_trend(means: tuple[float, ...]) -> None:
    assert trend(nights(*means, typical=None, expected_low=None, expected_high=None)) is None


def difference(ratio: float | None, finding: Finding, *, profile: str = "random-write-iops") -> Difference:
    estimate = Estimate(mean=1.0, low=0.9, high=1.1, unit="1/s", samples=12)
    change = None if ratio is None else Change(ratio=ratio, low=0.95 * ratio, high=1.05 * ratio, confidence=0.95)
    return Difference(
        profile=profile, metric="write.iops", first=estimate, second=estimate, change=change, finding=finding
    )


def test_better_and_worse_and_noise_differ_in_shape_and_shade() -> None:
    found = [difference(1.5, "better"), difference(0.5, "worse"), difference(1.01, "within noise")]
    picture = differences([*found, difference(None, "not known")], of="fast")
    assert picture is not None
    assert picture.text == (
        "Of 3 metrics 1 are better, 1 worse, 1 within noise; the largest change is random-write-iops write.iops, "
        "2x slower."
    )
    assert {"50 % faster", "2x slower", "1.0 % faster"} <= set(texts(picture))
    shapes = [
        element.attrib["d"] for element in elements(picture) if element.get("id") and element.tag.endswith("path")
    ]
    assert len(set(shapes)) >= 3
    assert sum(element.get("class") == "fill-band" for element in elements(picture)) == 1


def test_twice_is_as_far_as_half() -> None:
    picture = differences([difference(2.0, "better"), difference(0.5, "worse")], of="fast")
    marks = {
        element.get("class"): float(element.attrib["x"])
        for element in elements(picture)
        if element.tag.endswith("use") and element.get("class") in ("fill-candidate", "fill-limit")
    }
    zero = {float(each.split()[1]) for each in lines(picture, "ink")} or {
        float(element.attrib["d"].split()[1])
        for element in elements(picture)
        if element.get("stroke") == "currentColor"
    }
    (middle,) = zero
    assert marks["fill-candidate"] - middle == pytest.approx(middle - marks["fill-limit"], abs=0.2)


def test_of_very_many_metrics_those_that_changed_most_are_drawn() -> None:
    many = [difference(1.0 + number / 100, "better", profile=f"p{number}") for number in range(100)]
    picture = differences(many, of="fast")
    assert picture is not None and len(picture.svg) < 15_000
    assert "p99 write.iops" in texts(picture) and "p1 write.iops" not in texts(picture)
    assert "Of 100 metrics the 24 that changed most." in picture.caption


def test_nothing_known_is_no_picture() -> None:
    assert differences([], of="fast") is None
    assert differences([difference(None, "not known")], of="fast") is None


@pytest.mark.parametrize(("low", "high"), [(0.95, 1.05), (0.7, 1.2), (0.5, 2.0), (0.02, 1.1), (0.9, 40.0), (1e-6, 1e6)])
def test_ticks_are_few_and_hold_no_change(low: float, high: float) -> None:
    found = ratio_ticks(low, high)
    assert 1.0 in found and 1 <= len(found) <= 5
    assert all(low <= each <= high for each in found) and found == sorted(found)


def row(*ratios: float | None, metric: str = "write.iops", profile: str = "random-write-iops") -> Beside:
    changes = [
        None if ratio is None else Change(ratio=ratio, low=0.9 * ratio, high=1.1 * ratio, confidence=0.95)
        for ratio in ratios
    ]
    return Beside(profile=profile, metric=metric, changes=changes)


def test_runs_beside_each_other_are_drawn_so_that_right_is_better() -> None:
    """Half the latency is as far to the right as twice the IOPS."""
    found = beside_each_other([row(2.0)], columns=["three", "two-replicas"])
    turned = beside_each_other([row(0.5, metric="write.latency.mean")], columns=["a", "b"])
    assert found is not None and turned is not None
    assert found.text == "Column 2: two-replicas: 2x as good as column 1, of one metric."
    assert turned.text == "Column 2: b: 2x as good as column 1, of one metric."
    assert {"2: two-replicas", "random-write-iops write.iops", "2x", "1x"} <= set(texts(found))


def test_columns_differ_in_shape_and_what_is_not_drawn_is_said() -> None:
    many = [row(*[1.1 + column / 7 for column in range(8)], profile=f"p{number}") for number in range(20)]
    found = beside_each_other(many, columns=[f"class-{number}" for number in range(9)])
    assert found is not None
    assert "Columns from 8 on are not drawn." in found.caption
    assert "Of 20 metrics the 16 that differ most." in found.caption
    assert "Column 7: class-6:" in found.text and "class-7" not in found.text
    assert len({(look.colour, look.marker) for look in LOOKS}) == len({look.marker for look in LOOKS}) == len(LOOKS)


@pytest.mark.parametrize("rows", [[], [row(None)], [row(1.2, metric="magic")]])
def test_without_a_known_difference_nothing_is_drawn(rows: list[Beside]) -> None:
    assert beside_each_other(rows, columns=["a", "b"]) is None

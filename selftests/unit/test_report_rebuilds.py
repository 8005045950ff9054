"""The report's part on rebuilds: the arithmetic, the rates over time, what the foreground noticed."""

from __future__ import annotations

import re
from typing import Any

import pytest

from acceptance.judging.rebuilds import judge_rebuild
from acceptance.limits.rebuilds import Kind, rebuild_limit
from acceptance.report.parts import Part
from acceptance.report.pictures import foreground_writes, rebuild_progress, rebuild_rate
from acceptance.report.records.rebuilds import rebuild_parts
from acceptance.report.summary import render_summary
from acceptance.results.document import Results, Run, Verdict
from acceptance.results.rebuilds import LoadPoint, RatePoint, RebuildRecord
from acceptance.trials.rebuild.model import ProgressPoint
from acceptance.trials.rebuild.model import rates as rates_of
from selftests.unit.drawn import line
from selftests.unit.read_parts import pictures_of, sentences_of, tables_of
from selftests.unit.rebuild_records import NOW, record, timed

MIB = 1024**2
ASKED: tuple[tuple[Kind, float], ...] = (("largest_volume", 8 * 1024.0**4), ("foreground_iops", 0.25))


def results(*found: RebuildRecord, verdicts: tuple[Verdict, ...] = ()) -> Results:
    fields: dict[str, Any] = {
        "run": Run(id="r", started=NOW, finished=NOW, complete=True, suite_version="1", exit_status=0),
        "cluster": None,
        "settings": {"tier": "baseline", "volume_size": 1024, "test_size": 1024},
        "measurements": [],
        "steps": [],
        "rebuilds": list(found),
        "verdicts": list(verdicts),
        "tier_limits": 1,
        "errors": [],
        "overall": "pass",
    }
    return Results(**fields)


def section(found: RebuildRecord, *verdicts: Verdict) -> Part:
    _, only = rebuild_parts(results(found, verdicts=verdicts))
    return only


def test_without_rebuilds_nothing_is_said_of_them() -> None:
    assert "Rebuild of a lost replica" not in render_summary(results())


def test_each_rebuild_is_a_row_and_the_arithmetic_a_sentence() -> None:
    found = section(record())
    ((row,),) = tables_of(found)
    told = (row["Lost by (driver longhorn)"], row["Until it began"], row["Rebuilt in"])
    assert told == ("replica r-3 deleted", "2 s", "31 s (to within 1 s)")
    assert row["Rate"] == "66.06 MiB/s"
    assert sentences_of(found)[0].startswith("Rebuilt 2 GiB in 31 s (measured once, to within 1 s); in 24 h that is")
    html = render_summary(results(record()))
    for shown in ("<h3>full-data on fast</h3>", "replica r-3 deleted", "66.06 MiB/s", "numberOfReplicas"):
        assert shown in html


def test_what_the_foreground_noticed_is_said_and_drawn() -> None:
    found = section(record())
    assert (
        "Synchronous writes: 1,000 IOPS before the rebuild, 400 IOPS during it (40 % of that before)."
        in sentences_of(found)
    )
    assert "Their p99 latency: 2 ms before the rebuild, 10 ms during it (5x)." in sentences_of(found)
    (drawn,) = pictures_of(found)
    assert drawn.text.startswith("1,000 IOPS before, 400 IOPS during the rebuild, ")
    assert drawn.svg.count('class="fill-band"') == 1


def test_what_is_not_known_is_said() -> None:
    found = section(record(foreground=None, foreground_missing="the pod was evicted", warnings=["it was short"]))
    assert "The foreground writes are not known: the pod was evicted." in sentences_of(found)
    assert "The rate over time is not known: the driver reports no progress." in sentences_of(found)
    assert "Warning: it was short." in sentences_of(found)
    assert pictures_of(found) == []


def test_rates_are_drawn_in_steps_beside_the_mean() -> None:
    rates = [RatePoint(from_s=2, to_s=12, rate=100 * MIB), RatePoint(from_s=12, to_s=22, rate=50 * MIB)]
    found = rebuild_rate(record(timed(20.0, rates=rates)))
    assert found is not None
    assert found.text == "From 50 MiB/s to 100 MiB/s; 102.4 MiB/s over its complete duration."
    line, _ = re.findall(r'<path d="M ([^"]*)"[^>]*stroke-width="1.8" class="stroke-candidate"', found.svg)
    heights = [each.split()[1] for each in line.split(" L ")]
    assert heights[0] == heights[1] and heights[2] == heights[3] and heights[0] != heights[2]
    assert "<svg" in render_summary(results(record(timed(20.0, rates=rates))))


def test_limits_are_lines_in_the_rate_and_in_the_writes() -> None:
    rates = [RatePoint(from_s=2.0, to_s=12.0, rate=50.0 * MIB), RatePoint(from_s=12.0, to_s=22.0, rate=150.0 * MIB)]
    found = record(timed(20.0, rates=rates))
    largest, kept = (
        judge_rebuild(found, rebuild_limit("full-data", kind, value, because="so")) for kind, value in ASKED
    )
    _, rate, writes = pictures_of(section(found, largest, kept))
    assert "stroke-limit" in rate.svg and "stroke-limit" in writes.svg
    assert rate.text.endswith(" Limit: at least 8 TiB in 24 h, a mean of 97.09 MiB/s.")
    assert writes.text.endswith(" Limit: at least 25 % of that before, 250 IOPS.")
    assert "stroke-limit" not in "".join(picture.svg for picture in pictures_of(section(found)))


def test_the_rate_is_drawn_without_a_comb_where_progress_is_told_now_and_then() -> None:
    """Each 5 s, and looked at each second: no line falls to zero in between."""
    shares = [0.2] * 5 + [0.4] * 5 + [0.7] * 5 + [1.0]
    points = [ProgressPoint(at_s=2.0 + at_s, share=share) for at_s, share in enumerate(shares)]
    picture = rebuild_rate(record(timed(15.0, rates=rates_of(points, size=1000 * MIB)), size=1000 * MIB))
    assert picture is not None
    assert picture.text.startswith("From 40 MiB/s to 60 MiB/s; ")


def test_how_old_what_the_driver_tells_may_be_is_said() -> None:
    told = "The driver's reports may be 5 s old: beginning and end may each have been that much earlier."
    assert told in sentences_of(section(record(resolution_s=5.0)))
    assert not any("old" in sentence for sentence in sentences_of(section(record())))


def test_progress_is_what_the_rates_add_up_to_and_each_rebuild_has_its_line() -> None:
    rates = [RatePoint(from_s=2, to_s=12, rate=100 * MIB), RatePoint(from_s=12, to_s=22, rate=50 * MIB)]
    found = record(timed(20.0, rates=rates), timed(20.0, rates=rates), size=1500 * MIB)
    picture = rebuild_progress(found)
    assert picture is not None
    assert picture.text == "Half of the data was rebuilt after 10 s, all reported data after 20 s."
    assert picture.caption.endswith(", 2 rebuilds.")
    begin, middle, end = line(picture, "candidate")
    assert begin[1] - middle[1] == pytest.approx(2 * (middle[1] - end[1]), abs=0.3)
    assert rebuild_progress(record()) is None


def test_the_worst_verdict_of_the_pattern_stands_beside_it() -> None:
    found = record()
    verdicts = [
        judge_rebuild(found, rebuild_limit("full-data", "largest_volume", value, because="so")) for value in (1.0, 1e18)
    ]
    assert section(found, verdicts[0]).status == "pass"
    assert section(found, *verdicts).status == "fail"
    assert section(found, verdicts[1].model_copy(update={"storage_class": "other"})).status is None


@pytest.mark.parametrize("points", [[], [(0.0, 1.0)], [(0.0, 0.0), (1.0, 0.0)], [(1.0, 2.0), (1.0, 3.0)]])
def test_what_makes_no_line_is_not_drawn(points: list[tuple[float, float]]) -> None:
    found = record()
    assert found.foreground is not None
    load = found.foreground.model_copy(update={"points": [LoadPoint(at_s=at_s, iops=iops) for at_s, iops in points]})
    assert foreground_writes(found.model_copy(update={"foreground": load})) is None
    assert foreground_writes(found) is not None

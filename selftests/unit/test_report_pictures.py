"""Pictures as elements of a page: nothing that a strict policy refuses, nothing that another picture disturbs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from acceptance.report.comparing.naming import name_runs
from acceptance.report.picture import NO_PICTURES, Picture
from acceptance.report.pictures import foreground_writes, latency_curve, rates_over_time
from acceptance.report.pictures.canvas import COLOURS
from acceptance.report.pictures.drawn_once import drawn_once
from acceptance.report.pictures.lines import shorten, thin_out
from acceptance.report.side_by_side import render_side_by_side
from acceptance.report.summary import render_summary
from selftests.bounds import HANGS_S
from selftests.unit.compared_runs import estimate, measured, run_of
from selftests.unit.drawn import SVG, elements, latencies, measurement, texts
from selftests.unit.rebuild_records import record

CURVE = {"distribution": {"write": latencies((50.0, 0.001), (99.0, 0.01))}}


def iops(name: str = "fast", beside: str = "local") -> Picture | None:
    return rates_over_time(measurement(name=name), measurement((300.0, 310.0), name=beside))


def curve(name: str = "fast", beside: str = "local") -> Picture | None:
    return latency_curve(measurement(name=name, **CURVE), measurement(name=beside, **CURVE))


def test_a_picture_has_no_style_no_script_and_nothing_from_elsewhere() -> None:
    for picture in (iops(), curve(), foreground_writes(record())):
        for element in elements(picture):
            assert element.tag.removeprefix(SVG) in ("svg", "defs", "g", "path", "use", "text", "clipPath", "rect")
            assert "style" not in element.attrib and not any(name.startswith("on") for name in element.attrib)
            assert element.get("href", "#").startswith("#")


def test_a_picture_is_as_wide_as_there_is_room_and_has_a_name() -> None:
    root, *_ = elements(iops())
    assert root.get("viewBox") == "0 0 420 230" and "width" not in root.attrib and "height" not in root.attrib
    assert root.get("role") == "img"
    assert root.get("aria-label") == "write.iops of random-write-iops over time on fast and local"


def test_colours_are_classes_too_and_text_has_the_colour_of_the_page() -> None:
    found = elements(iops())
    classes = {each for element in found for each in element.get("class", "").split()}
    assert {"stroke-candidate", "stroke-baseline", "stroke-grid", "stroke-axis"} <= classes
    assert {element.get("fill") for element in found if element.tag == f"{SVG}text"} == {"currentColor"}
    assert not any(COLOURS["ink"] in element.attrib.values() for element in found)


def test_candidate_and_baseline_differ_without_colour() -> None:
    dashed = {
        element.get("class"): "stroke-dasharray" in element.attrib
        for element in elements(iops())
        if element.get("stroke-width") == "1.8"
    }
    assert dashed == {"stroke-candidate": False, "stroke-baseline": True}


def test_ids_are_of_one_picture_alone_and_all_references_are_to_them() -> None:
    pictures = [iops(), curve(), iops("slow"), foreground_writes(record())]
    ids = [element.attrib["id"] for picture in pictures for element in elements(picture) if "id" in element.attrib]
    assert ids and len(ids) == len(set(ids))
    for picture in pictures:
        own = {element.get("id") for element in elements(picture)}
        for element in elements(picture):
            assert "href" not in element.attrib or element.attrib["href"].removeprefix("#") in own
            assert "clip-path" not in element.attrib or element.attrib["clip-path"][5:-1] in own


def test_another_process_draws_the_same_and_loads_matplotlib_for_that_alone(tmp_path: Path) -> None:
    """Also where a person has other wishes for their own pictures, and no home that can be written to."""
    program = (
        "import acceptance.report, acceptance.report.pictures, sys\n"
        "assert 'matplotlib' not in sys.modules\n"
        "from selftests.unit.test_report_pictures import iops\n"
        "sys.stdout.buffer.write(iops().svg.encode())"
    )
    wishes = tmp_path / "matplotlibrc"
    wishes.write_text("font.size: 30\naxes.spines.left: False\nsvg.fonttype: path\n")
    surroundings = os.environ | {"MATPLOTLIBRC": str(wishes), "HOME": "/dev/null"}
    drawn = subprocess.run([sys.executable, "-c", program], capture_output=True, env=surroundings, timeout=HANGS_S)
    picture = iops()
    assert drawn.stderr == b""
    assert picture is not None and drawn.stdout.decode() == picture.svg


@pytest.mark.parametrize(
    "name", ["<script>x</script>", "a&b\"c'", "$a_b^c$", "快速存储", "تخزين", "😀 lager", "a\\b", "]]>", "-->"]
)
def test_names_in_any_script_appear_as_they_are(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        picture = iops(name)
    assert picture is not None
    assert name in texts(picture)
    assert "<script" not in picture.svg


@settings(max_examples=40)
@given(st.text(max_size=40))
def test_no_name_breaks_a_picture(name: str) -> None:
    picture = iops(name)
    assert picture is not None
    ET.fromstring(picture.svg)


def test_without_matplotlib_a_report_has_all_but_its_pictures_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    load = measured({"write.iops": estimate(1000.0)}).model_copy(update={"series": {"write.iops": [1000.0, 1001.0]}})
    whole = render_summary(run_of(load))
    assert 'class="picture"' in whole and NO_PICTURES not in unescape(whole)
    monkeypatch.setattr("acceptance.report.picture.find_spec", lambda name: None)
    without = render_summary(run_of(load))
    assert 'class="picture"' not in without and NO_PICTURES in unescape(without)
    assert "1,000 IOPS" in without
    runs = name_runs([run_of(load), run_of(load)])
    assert NO_PICTURES in unescape(render_side_by_side(runs))


def test_a_million_samples_take_seconds_and_kilobytes() -> None:
    values = [1000.0 + number * 7919 % 211 for number in range(1_000_000)]
    values[123_456], values[654_321] = 1.0, 5000.0
    began_s = time.process_time()
    picture = rates_over_time(measurement(values), None)
    assert time.process_time() - began_s < 20
    assert picture is not None and len(picture.svg) < 15_000
    assert "single seconds from 1 IOPS to 5,000 IOPS" in picture.text
    assert "the lowest and the highest second" in picture.caption


@example([float(number == 101) for number in range(300)], 40)
@example([float(number != 102) for number in range(300)], 40)
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=300), st.integers(4, 60))
def test_thinning_keeps_the_extremes_the_ends_and_the_order(values: list[float], most: int) -> None:
    points = [(float(number), value) for number, value in enumerate(values)]
    kept = thin_out(points, most=most)
    assert len(kept) <= most + 4
    assert (kept[0], kept[-1]) == (points[0], points[-1])
    assert list(kept) == sorted(kept) and set(kept) <= set(points)
    assert {min(values), max(values)} <= {value for _, value in kept}


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("fast", "fast"),
        ("longhorn-2-replicas", "longho…licas"),
        ("快速存储快速存储", "快速存…存储"),
        ("a\nb", "a b"),
        ("\x1b[1m", "\\x1b[1m"),
    ],
)
def test_long_names_lose_their_middle(name: str, shown: str) -> None:
    assert shorten(name, most=12) == shown


def test_a_record_is_drawn_once_however_often_it_is_made() -> None:
    drawn: list[str] = []

    def draw(name: str, other: object) -> Picture | None:
        drawn.append(name)
        return None

    once: Callable[[str, object], Picture | None] = drawn_once(draw)
    for _ in range(3):
        once("a", measurement())
    once("a", measurement((1.0, 2.0)))
    assert drawn == ["a", "a"]

"""Measurements to draw, and what a picture consists of, for tests of pictures."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from acceptance.report.picture import Picture
from acceptance.results.document import Estimate, LatencyPoint, Measurement

NOW = datetime(2026, 11, 21, 7, 15, 2, tzinfo=UTC)
SVG = "{http://www.w3.org/2000/svg}"


def measurement(
    iops: Sequence[float] = (1000.0, 1100.0, 1200.0), *, name: str = "fast", path: str = "write.iops", **more: Any
) -> Measurement:
    """Of the class `name`, a profile of writes, with so many of them in each second."""
    mean = sum(iops) / max(1, len(iops))
    fields: dict[str, Any] = {
        "id": f"{name}/random-write-iops",
        "profile": "random-write-iops",
        "storage_class": name,
        "role": "candidate",
        "node": "n",
        "pods": ["p"],
        "started": NOW,
        "duration_s": float(len(iops)),
        "fio_version": "fio-3.33",
        "metrics": {path: Estimate(mean=mean, low=0.9 * mean, high=1.1 * mean, unit="1/s", samples=len(iops))},
        "series": {path: list(iops)},
        "warnings": [],
    }
    return Measurement(**(fields | more))


def latencies(*points: tuple[float, float]) -> list[LatencyPoint]:
    """From pairs of percentile and seconds."""
    return [LatencyPoint(percentile=percentile, seconds=seconds) for percentile, seconds in points]


def elements(picture: Picture | None) -> list[ET.Element]:
    """All elements of the picture's SVG."""
    assert picture is not None
    return list(ET.fromstring(picture.svg).iter())


def texts(picture: Picture | None) -> list[str]:
    """All that is written in the picture."""
    return [element.text or "" for element in elements(picture) if element.tag == f"{SVG}text"]


def line(picture: Picture | None, colour: str) -> list[tuple[float, float]]:
    """The points of the first line of the colour behind the axes, in pixels from the left and the top; none of those
    are meant that are a mean or a piece of the key."""
    for element in elements(picture):
        if element.get("class") == f"stroke-{colour}" and element.get("stroke-width") == "1.8":
            numbers = [float(part) for part in element.attrib["d"].replace("M", "").replace("L", "").split()]
            points = list(zip(numbers[::2], numbers[1::2], strict=True))
            if points[0][1] > 20:
                return points
    raise AssertionError(f"there is no line of colour {colour}")

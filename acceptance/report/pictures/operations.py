"""Control operations at once: the number of objects that reached each stage, over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from acceptance.report.picture import Picture
from acceptance.report.pictures.canvas import COLOURS, DASHES, DOTS, draw
from acceptance.report.pictures.drawn_once import drawn_once
from acceptance.report.pictures.lines import Look, Point, key
from acceptance.report.pictures.scales import linear_axis
from acceptance.results.operations import Moment, ObjectRecord, OperationsRecord

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Part = Literal["coming", "going"]
REQUEST_LINE = Look(colour=COLOURS["ink"], dashes=DASHES, marker="")
LOOKS: Mapping[Part, Mapping[str, tuple[Moment, Look]]] = {
    "coming": {
        "requested": ("asked", REQUEST_LINE),
        "bound": ("bound", Look(colour=COLOURS["candidate"], dashes="-", marker="")),
        "mounted": ("mounted", Look(colour=COLOURS["baseline"], dashes=DOTS, marker="")),
        "ready": ("ready", Look(colour=COLOURS["limit"], dashes="-.", marker="")),
    },
    "going": {
        "deletion requested": ("deletion_asked", REQUEST_LINE),
        "deleted": ("gone", Look(colour=COLOURS["candidate"], dashes="-", marker="")),
    },
}
WORDS: Mapping[Part, str] = {"coming": "reached each stage", "going": "were deleted"}


@drawn_once
def operations_over_time(record: OperationsRecord, *, part: Part) -> Picture | None:
    """Return the number of volumes of the first round at each stage, over time; None if there is no line."""
    volumes = [item for item in record.objects if item.kind == "volume" and item.round == 1]
    begin = min((volume.at_s[first] for volume in volumes if (first := _first(part)) in volume.at_s), default=None)
    if begin is None:
        return None
    lines = {name: _steps(volumes, moment, since=begin) for name, (moment, _) in LOOKS[part].items()}
    lines = {name: points for name, points in lines.items() if points}
    last_s = max(points[-1][0] for points in lines.values())
    if last_s <= 0.0:
        return None

    def paint(axes: Axes) -> None:
        linear_axis(axes, "y", largest=len(volumes), unit="pods", of="volumes")
        linear_axis(axes, "x", largest=last_s, unit="s", of="time")
        for name, points in lines.items():
            look = LOOKS[part][name][1]
            axes.plot([x for x, _ in points], [y for _, y in points], drawstyle="steps-post", **look.of(len(points)))
        key(axes, {name: LOOKS[part][name][1] for name in lines})

    ends = ", ".join(f"{name}: {len(points) - 1} within {points[-1][0]:.1f} s" for name, points in lines.items())
    return Picture(
        svg=draw(paint, label=f"Volumes that {WORDS[part]} over time on {record.storage_class}"),
        caption=f"Number of the {len(volumes)} volumes that {WORDS[part]}, over time, in the first round.",
        text=f"{ends}.",
    )


def _first(part: Part) -> Moment:
    return next(iter(LOOKS[part].values()))[0]


def _steps(volumes: list[ObjectRecord], moment: Moment, *, since: float) -> list[Point]:
    """Return one step up for each volume, from none at the beginning; empty if none reached the stage."""
    times = sorted(volume.at_s[moment] - since for volume in volumes if moment in volume.at_s)
    return [(0.0, 0.0), *((at_s, float(number)) for number, at_s in enumerate(times, start=1))] if times else []

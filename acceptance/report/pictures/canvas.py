"""The canvas that all pictures share: its size, its colors by meaning, its axes."""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from acceptance.report.pictures.svg import inline
from acceptance.text.sanitizing import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 420, 230
"""In CSS pixels: as narrow as a phone, so that text is no smaller there."""
TEXT = 13.0
"""Height of text; 11 px if the picture is as wide as a phone's page."""

COLOURS = {
    "ink": "#222221",
    "axis": "#8a8a89",
    "grid": "#e2e2e1",
    "candidate": "#0b63b5",
    "baseline": "#a34d00",
    "limit": "#b3261f",
    "band": "#e9edf2",
}
"""Colors by what is drawn in them; pictures.css has others for a dark page.

Each line differs by dashes or marker as well.
"""
DASHES = (0.0, (5.0, 3.0))
DOTS = (0.0, (1.5, 2.5))


def draw(
    paint: Callable[[Axes], None],
    *,
    label: str,
    left_px: int = 66,
    right_px: int = 14,
    top_px: int = 30,
    height: int = HEIGHT,
) -> Markup:
    """Return what `paint` puts on the axes, as an inline SVG.

    `label` names the picture for readers who cannot see it. `left_px`, `right_px`, `top_px`: pixels around the axes,
    for labels. The same painting gives the same text.
    """
    # Imported only if a picture is drawn, so that a run without a report does not wait for it.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    bottom = 46
    with matplotlib.rc_context(), warnings.catch_warnings():
        # The user's own settings (matplotlibrc) must not affect these pictures.
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        # Matplotlib's fonts only measure the text; the reader's fonts draw it.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support")
        figure = Figure(figsize=(WIDTH / 72, height / 72), dpi=72)
        FigureCanvasSVG(figure)
        axes = figure.add_axes(
            (
                left_px / WIDTH,
                bottom / height,
                (WIDTH - left_px - right_px) / WIDTH,
                (height - top_px - bottom) / height,
            )
        )
        for patch in (figure.patch, axes.patch, axes.spines["top"], axes.spines["right"]):
            patch.set_visible(False)
        axes.set_axisbelow(True)
        paint(axes)
        document = io.BytesIO()
        figure.savefig(document, format="svg", transparent=True, metadata={"Date": None})
    roles = {colour: name for name, colour in COLOURS.items() if name != "ink"}
    return inline(document.getvalue(), label=printable(label), roles=roles, ink=COLOURS["ink"])


_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "storage-acceptance",
    "text.parse_math": False,
    "text.color": COLOURS["ink"],
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": TEXT,
    "axes.labelsize": TEXT,
    "axes.edgecolor": COLOURS["axis"],
    "axes.labelcolor": COLOURS["ink"],
    "axes.unicode_minus": True,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": COLOURS["grid"],
    "grid.linewidth": 1.0,
    "lines.linewidth": 1.8,
    "lines.markersize": 5.0,
    "xtick.labelsize": TEXT,
    "ytick.labelsize": TEXT,
    "xtick.color": COLOURS["axis"],
    "ytick.color": COLOURS["axis"],
    "xtick.labelcolor": COLOURS["ink"],
    "ytick.labelcolor": COLOURS["ink"],
    "ytick.major.size": 0.0,
    "xtick.minor.size": 0.0,
    "ytick.minor.size": 0.0,
    "path.simplify": True,
}

"""A picture of the report: the drawing, the caption below it, and a description in words."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

from markupsafe import Markup

NO_PICTURES = (
    "No charts: matplotlib is not installed on the machine that wrote this page. Install it, or the suite with its "
    "extra [pictures]; then storage-acceptance report RUN writes the page with charts."
)
"""The text that a page shows in place of the pictures.

The captions are left out with the pictures: the tables have the same figures.
"""


def can_draw() -> bool:
    """Return whether matplotlib is installed.

    It is an extra of the wheel, because it is nearly half of what is installed.
    """
    return find_spec("matplotlib") is not None


@dataclass(frozen=True, kw_only=True)
class Picture:
    """An inline SVG with its words.

    `svg` keeps its text as text, has no script and no style attribute, and its ids are unique in a page that shows each
    picture once. `caption` tells how to read it; `text` describes it for readers who cannot see it.
    """

    svg: Markup
    caption: str
    text: str

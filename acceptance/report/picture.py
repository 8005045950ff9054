"""A picture of the report: what is drawn, what stands below it, and what it shows in words."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

from markupsafe import Markup

NO_PICTURES = (
    "No pictures: matplotlib is not installed where this page was written. Install the suite with its extra "
    "[pictures], or matplotlib beside it: storage-acceptance report RUN then writes the page with them."
)
"""What a page says in their place. Their words are left out with them: the tables hold the same figures."""


def can_draw() -> bool:
    """Whether matplotlib is there: it is an extra of the wheel, for it is nearly half of what is installed."""
    return find_spec("matplotlib") is not None


@dataclass(frozen=True, kw_only=True)
class Picture:
    """An inline SVG with its words.

    `svg` keeps its text as text, has no script and no style attribute, and its ids are unique in a page that shows
    each picture once. `caption` says how to read it; `text` says what it shows, for who cannot see it.
    """

    svg: Markup
    caption: str
    text: str

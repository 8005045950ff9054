"""A picture of the report: what is drawn, what stands below it, and what it shows in words."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup


@dataclass(frozen=True, kw_only=True)
class Picture:
    """An inline SVG with its words.

    `svg` keeps its text as text, has no script and no style attribute, and its ids are unique in a page that shows
    each picture once. `caption` says how to read it; `text` says what it shows, for who cannot see it.
    """

    svg: Markup
    caption: str
    text: str

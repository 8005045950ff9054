"""Pictures are drawn once: the report is written again after every test, and its content seldom changes."""

from __future__ import annotations

import functools
import hashlib
from collections import OrderedDict
from collections.abc import Callable
from typing import ParamSpec

from pydantic_core import to_json

from acceptance.report.picture import Picture, can_draw

P = ParamSpec("P")
MOST_PICTURES = 512
"""Maximum number of pictures of each kind in the cache; a run has fewer."""


def drawn_once(draw: Callable[P, Picture | None]) -> Callable[P, Picture | None]:
    """Return the function with a cache by the content of its records, because the records are created again each time.

    The result is None if nothing can be drawn: without matplotlib a report has everything but its pictures, and says
    so.
    """
    pictures: OrderedDict[bytes, Picture | None] = OrderedDict()

    @functools.wraps(draw)
    def draw_if_new(*args: P.args, **kwargs: P.kwargs) -> Picture | None:
        if not can_draw():
            return None
        content = hashlib.sha256(to_json((args, kwargs))).digest()
        if content not in pictures:
            pictures[content] = draw(*args, **kwargs)
            while len(pictures) > MOST_PICTURES:
                pictures.popitem(last=False)
        pictures.move_to_end(content)
        return pictures[content]

    return draw_if_new

"""Pictures are drawn once: the report is written again after every test, and what it shows seldom changes."""

from __future__ import annotations

import functools
import hashlib
from collections import OrderedDict
from collections.abc import Callable
from typing import ParamSpec

from pydantic_core import to_json

from acceptance.report.picture import Picture, can_draw

P = ParamSpec("P")
KEPT = 512
"""Pictures kept of each kind; a run has fewer."""


def drawn_once(draw: Callable[P, Picture | None]) -> Callable[P, Picture | None]:
    """The same function, which draws the same records once only, by their content: they are made anew each time.

    None where nothing can be drawn: without matplotlib a report has all but its pictures, and says so.
    """
    drawn: OrderedDict[bytes, Picture | None] = OrderedDict()

    @functools.wraps(draw)
    def remembered(*args: P.args, **kwargs: P.kwargs) -> Picture | None:
        if not can_draw():
            return None
        content = hashlib.sha256(to_json((args, kwargs))).digest()
        if content not in drawn:
            drawn[content] = draw(*args, **kwargs)
            while len(drawn) > KEPT:
                drawn.popitem(last=False)
        drawn.move_to_end(content)
        return drawn[content]

    return remembered

"""Objects that are to go from a cluster with many others: looked at by name, and looked for only at the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from acceptance.cluster.resources import Object
from acceptance.cluster.waiting import WIDE_LOOK_S

# So many are looked at one by one; of more, all of the cluster is looked through.
FEW = 20
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, kw_only=True)
class Left:
    """What was seen to be there: `some` of it, and how many `more`. `gone`: nothing is, in all of the cluster."""

    some: tuple[Object, ...] = ()
    more: int = 0
    gone: bool = False


class Departing(Generic[Key]):
    """What is waited for to go, to be looked at as often as `wait_for` likes.

    `known`: what is known to be there. `find` one of them, None where it is gone; `search` all of the cluster for them
    and for those that nobody knew, which is done once the known ones are gone, and again no sooner than WIDE_LOOK_S
    later. Looking raises what these raise.
    """

    def __init__(
        self,
        known: Iterable[Key],
        *,
        find: Callable[[Key], Object | None],
        search: Callable[[], Iterable[Key]],
    ) -> None:
        self._known = dict.fromkeys(known)
        self._find = find
        self._search = search
        self._next_search_s = 0.0
        self._left = Left(more=len(self._known))

    @property
    def is_gone(self) -> bool:
        """Whether the last look found nothing in all of the cluster."""
        return self._left.gone

    def look(self) -> Left:
        """What is there now."""
        if 0 < len(self._known) <= FEW:
            self._left = self._by_name()
        if not self._left.some or len(self._known) > FEW:
            self._look_widely()
        return self._left

    def unknown(self) -> list[Key]:
        """What a search finds now that no look has found: what came late, or was never looked for."""
        return [key for key in self._search() if key not in self._known]

    def _look_widely(self) -> None:
        if time.monotonic() < self._next_search_s:
            return
        self._known = dict.fromkeys(self._search())
        self._next_search_s = time.monotonic() + WIDE_LOOK_S
        self._left = self._by_name() if self._known else Left(gone=True)

    def _by_name(self) -> Left:
        """The first few; those that are gone are forgotten."""
        some = []
        for key in list(islice(self._known, FEW)):
            if (found := self._find(key)) is None:
                del self._known[key]
            else:
                some.append(found)
        return Left(some=tuple(some), more=len(self._known) - len(some))

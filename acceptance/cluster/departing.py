"""Objects that are being deleted in a cluster with many others: read by name, and searched for only at the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from acceptance.cluster.resources import Object
from acceptance.cluster.waiting import WIDE_LOOK_S

# Up to this number, objects are read one by one; for more, the whole cluster is searched.
FEW = 20
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, kw_only=True)
class Remainder:
    """The objects that still exist: some `objects`, and how many `more`. `is_gone`: the whole cluster has none."""

    objects: tuple[Object, ...] = ()
    more: int = 0
    is_gone: bool = False


class Departing(Generic[Key]):
    """Objects that are being deleted, to be polled as often as `wait_for` likes.

    `keys`: the known ones. `find` returns one of them, None if it no longer exists; `search` searches the whole cluster
    for them and for unknown ones, once the known ones no longer exist, and again no sooner than WIDE_LOOK_S later. A
    poll raises what these raise.
    """

    def __init__(
        self,
        keys: Iterable[Key],
        *,
        find: Callable[[Key], Object | None],
        search: Callable[[], Iterable[Key]],
    ) -> None:
        self._keys = dict.fromkeys(keys)
        self._find = find
        self._search = search
        self._next_search_s = 0.0
        self._remainder = Remainder(more=len(self._keys))

    @property
    def is_gone(self) -> bool:
        """Return whether the last poll found nothing in the whole cluster."""
        return self._remainder.is_gone

    def look(self) -> Remainder:
        """Return what exists now."""
        if 0 < len(self._keys) <= FEW:
            self._remainder = self._by_name()
        if not self._remainder.objects or len(self._keys) > FEW:
            self._look_widely()
        return self._remainder

    def unknown(self) -> list[Key]:
        """Return what a search finds now and no poll has found: late objects, or ones that were never searched for."""
        return [key for key in self._search() if key not in self._keys]

    def _look_widely(self) -> None:
        if time.monotonic() < self._next_search_s:
            return
        self._keys = dict.fromkeys(self._search())
        self._next_search_s = time.monotonic() + WIDE_LOOK_S
        self._remainder = self._by_name() if self._keys else Remainder(is_gone=True)

    def _by_name(self) -> Remainder:
        """Return the first few; forget those that no longer exist."""
        objects = []
        for key in list(islice(self._keys, FEW)):
            if (item := self._find(key)) is None:
                del self._keys[key]
            else:
                objects.append(item)
        return Remainder(objects=tuple(objects), more=len(self._keys) - len(objects))

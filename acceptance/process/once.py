"""What takes long is done once for each thing, however many tests ask for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from acceptance.text.errors import AcceptanceError

K = TypeVar("K")
V = TypeVar("V")


class Once(Generic[K, V]):
    """Calls `find` at most once for each key, and `keep` with what it found.

    What failed is not tried again: everyone who asks gets the same error.
    """

    def __init__(self, find: Callable[[K], V], *, keep: Callable[[V], object] = lambda found: None) -> None:
        self._find = find
        self._keep = keep
        self._found: dict[K, V | AcceptanceError] = {}

    def __call__(self, key: K) -> V:
        """What was found for the key. Raises the AcceptanceError that `find` raised."""
        if key not in self._found:
            try:
                self._found[key] = found = self._find(key)
            except AcceptanceError as error:
                self._found[key] = error
            else:
                self._keep(found)
        known = self._found[key]
        if isinstance(known, AcceptanceError):
            raise known
        return known

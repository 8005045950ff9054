"""What takes long is done once for each thing, however many tests ask for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from acceptance.text.errors import AcceptanceError

K = TypeVar("K")
V = TypeVar("V")


class Once(Generic[K, V]):
    """Calls `find` at most once for each key. What failed is not tried again: everyone who asks gets the same error."""

    def __init__(self, find: Callable[[K], V]) -> None:
        self._find = find
        self._found: dict[K, V | AcceptanceError] = {}

    def __call__(self, key: K) -> tuple[V, bool]:
        """What was found for the key, and whether that was just now. Raises the AcceptanceError that `find` raised."""
        new = key not in self._found
        if new:
            try:
                self._found[key] = self._find(key)
            except AcceptanceError as error:
                self._found[key] = error
        found = self._found[key]
        if isinstance(found, AcceptanceError):
            raise found
        return found, new

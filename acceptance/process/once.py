"""Functions that take long, called once for each key, however many tests need the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from acceptance.text.errors import AcceptanceError

K = TypeVar("K")
V = TypeVar("V")


class Once(Generic[K, V]):
    """A function that calls `find` at most once for each key, and `keep` with its result.

    A failure is not retried: every caller gets the same error.
    """

    def __init__(self, find: Callable[[K], V], *, keep: Callable[[V], object] = lambda result: None) -> None:
        self._find = find
        self._keep = keep
        self._results: dict[K, V | AcceptanceError] = {}

    def __call__(self, key: K) -> V:
        """Return the result for the key. Raises the AcceptanceError that `find` raised."""
        if key not in self._results:
            try:
                self._results[key] = result = self._find(key)
            except AcceptanceError as error:
                self._results[key] = error
            else:
                self._keep(result)
        stored_result = self._results[key]
        if isinstance(stored_result, AcceptanceError):
            raise stored_result
        return stored_result

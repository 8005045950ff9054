"""Undoing of what a block began, whatever ended the block, for all that a run creates, breaks or holds."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Self, TypeVar

from acceptance.process.interruption import put_off

T = TypeVar("T")


class Undoing:
    """A context manager that undoes at its end all that its block began, the last first, each regardless of the others,
    also after an error or an interruption.

    A failure to undo becomes a note of the error that is being raised; without one, it is raised itself. An
    interruption during the undoing takes effect afterwards; after an interruption, a further one urges, as everywhere.
    """

    def __init__(self) -> None:
        self._callbacks: list[tuple[Callable[[], object], str]] = []
        self.error: BaseException | None = None
        """The error that ended the block, for the callbacks; None if the block ended normally."""

    def callback(self, undo: Callable[[], object], *, note: str = "") -> None:
        """Call `undo` at the end; `note` is put before its error in a note."""
        self._callbacks.append((undo, note))

    def enter(self, context: AbstractContextManager[T]) -> T:
        """Enter the context, and exit it at the end as if without an error. Raises the errors of entering."""
        value = context.__enter__()
        self.callback(lambda: context.__exit__(None, None, None))
        return value

    def passed_on(self) -> Undoing:
        """Return another Undoing that takes over the callbacks, for resources that outlive their block."""
        heir = Undoing()
        heir._callbacks, self._callbacks = self._callbacks, []
        return heir

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Undo. Raises the first error of undoing, unless another is being raised; an interruption before any error."""
        self.error, ends = error, error
        try:
            with nullcontext() if isinstance(error, KeyboardInterrupt) else put_off():
                while self._callbacks:
                    undo, note = self._callbacks.pop()
                    try:
                        undo()
                    except BaseException as stuck:
                        ends = _first_of(ends, stuck, note=note)
        except KeyboardInterrupt as interruption:
            ends = _first_of(ends, interruption, note="")
        if ends is not None and ends is not error:
            raise ends


def _first_of(first: BaseException | None, then: BaseException, *, note: str) -> BaseException:
    """Return the error that the caller must raise, with the other as a note."""
    if first is None:
        return then
    if isinstance(first, Exception) and not isinstance(then, Exception):
        then.add_note(str(first))
        return then
    first.add_note(f"{note}: {then}" if note else str(then))
    return first

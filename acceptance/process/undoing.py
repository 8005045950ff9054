"""What was begun is undone: whatever ended the block, in one way for all that a run makes, breaks or holds."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Self, TypeVar

from acceptance.process.interruption import put_off

T = TypeVar("T")


class Undoing:
    """In a `with` block: at its end all that was begun in it is undone, what came last first, each whatever became of
    the others; after an error and after an interruption too.

    What cannot be undone is a note of the error that is on its way; where none is, it is the error itself. An
    interruption that comes meanwhile takes effect afterwards; after one, a further one urges, as everywhere.
    """

    def __init__(self) -> None:
        self._begun: list[tuple[Callable[[], object], str]] = []
        self.error: BaseException | None = None
        """What ended the block, for whoever undoes: None where it came to its end"""

    def callback(self, undo: Callable[[], object], *, what: str = "") -> None:
        """Have `undo` called at the end; `what` is said before its error, in a note."""
        self._begun.append((undo, what))

    def enter(self, context: AbstractContextManager[T]) -> T:
        """Enter the context, and leave it at the end, as if nothing had gone wrong. Raises what entering raises."""
        entered = context.__enter__()
        self.callback(lambda: context.__exit__(None, None, None))
        return entered

    def passed_on(self) -> Undoing:
        """Another one, which undoes from now on what this would have: for what outlives the block that began it."""
        heir = Undoing()
        heir._begun, self._begun = self._begun, []
        return heir

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Raises the first error of undoing, unless another is on its way; an interruption before any error."""
        self.error, ends = error, error
        try:
            with nullcontext() if isinstance(error, KeyboardInterrupt) else put_off():
                while self._begun:
                    undo, what = self._begun.pop()
                    try:
                        undo()
                    except BaseException as stuck:
                        ends = _first_of(ends, stuck, what=what)
        except KeyboardInterrupt as interruption:
            ends = _first_of(ends, interruption, what="")
        if ends is not None and ends is not error:
            raise ends


def _first_of(first: BaseException | None, then: BaseException, *, what: str) -> BaseException:
    """What its reader must hear of, which bears the other as a note."""
    if first is None:
        return then
    if isinstance(first, Exception) and not isinstance(then, Exception):
        then.add_note(str(first))
        return then
    first.add_note(f"{what}: {then}" if what else str(then))
    return first

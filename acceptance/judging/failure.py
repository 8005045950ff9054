"""A finding that ends a test, and what it found, as data."""

from __future__ import annotations

from acceptance.results.requirement import Outcome
from acceptance.text.errors import StorageFailure


class OutcomeFailure(StorageFailure):
    """The storage did not do what it must: the verdict on the test has `found` as its outcome, which says the text."""

    def __init__(self, text: str, *, found: Outcome) -> None:
        super().__init__(text)
        self.found = found

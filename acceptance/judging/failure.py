"""A failure that ends a test, with its finding as data."""

from __future__ import annotations

from acceptance.results.requirement import Outcome
from acceptance.text.errors import StorageFailure


class OutcomeFailure(StorageFailure):
    """A failure of the storage: the test's verdict has `finding` as its outcome, which renders the text."""

    def __init__(self, text: str, *, finding: Outcome) -> None:
        super().__init__(text)
        self.finding = finding

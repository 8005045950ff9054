"""How soon control operations must be done, many at once: the section `operations` of a tier."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator

from acceptance.limits.values import QUANTITY, Entry, Sentence, TimeLimit
from acceptance.results.operations import OPERATIONS, TITLES, Operation
from acceptance.text.quantities import format_quantity, parse_quantity

PROFILE = "control-operations"
"""Under this name verdicts on control operations stand where others have the profile that was run."""
PERCENTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99}
"""by name: the share of operations that take no longer"""


@dataclass(frozen=True, kw_only=True)
class OperationLimit:
    """One requirement: the most that a percentile of an operation may take (s), or the share of all that may fail.

    `operation` and `percentile` are None for that share.
    """

    operation: Operation | None
    percentile: str | None
    at_most: float
    because: str

    @property
    def profile(self) -> str:
        """No profile is run."""
        return PROFILE

    @property
    def metric(self) -> str:
        """`bind.p95`, or `failed`."""
        return f"{self.operation}.{self.percentile}" if self.operation else "failed"

    @property
    def kind(self) -> Literal["at_most"]:
        """On which side of the limit what is measured must be."""
        return "at_most"

    @property
    def unit(self) -> Literal["s", "ratio"]:
        """Of `at_most`."""
        return "s" if self.operation else "ratio"

    @property
    def wanted(self) -> str:
        """`at most 30 s`, `none`, `at most 1 %`"""
        if self.operation:
            return f"at most {format_quantity(self.at_most, unit='s')}"
        return f"at most {100 * self.at_most:.4g} %" if self.at_most else "none"

    def describe(self) -> str:
        """`p95 until PVC bound, many at once: at most 30 s`"""
        if self.operation:
            return f"{self.percentile} until {TITLES[self.operation]}, many at once: {self.wanted}"
        return f"failed control operations, many at once: {self.wanted}"


def _part(text: Any) -> float:
    share = parse_quantity(text, unit="ratio")
    if share >= 1.0:
        raise ValueError(f"wanted a share below 100%, found {text!r}, which every class meets")
    return share


class FailedEntry(Entry):
    """`{at_most: 0%, because: ...}`"""

    at_most: Annotated[float, BeforeValidator(_part), QUANTITY]
    because: Sentence


class OperationEntry(Entry):
    """`{p95: {at_most: 30s, because: ...}}`"""

    p50: TimeLimit | None = None
    p90: TimeLimit | None = None
    p95: TimeLimit | None = None
    p99: TimeLimit | None = None
    some_of: ClassVar[tuple[str, ...]] = tuple(PERCENTILES)


class OperationsEntry(Entry):
    """The section of one tier: a key for each operation, and one for what may fail of all of them."""

    bind: OperationEntry | None = None
    attach: OperationEntry | None = None
    mount: OperationEntry | None = None
    start: OperationEntry | None = None
    snapshot: OperationEntry | None = None
    restore: OperationEntry | None = None
    snapshots_of_one: OperationEntry | None = None
    clone: OperationEntry | None = None
    expand: OperationEntry | None = None
    delete: OperationEntry | None = None
    failed: FailedEntry | None = None
    some_of: ClassVar[tuple[str, ...]] = (*OPERATIONS, "failed")

    def limits(self) -> Iterator[OperationLimit]:
        """As plain limits, in the order of the operations."""
        for operation in OPERATIONS:
            entry = getattr(self, operation)
            for percentile in PERCENTILES:
                limit: TimeLimit | None = getattr(entry, percentile, None)
                if limit is not None:
                    yield OperationLimit(
                        operation=operation, percentile=percentile, at_most=limit.at_most, because=limit.because
                    )
        if self.failed is not None:
            yield OperationLimit(
                operation=None, percentile=None, at_most=self.failed.at_most, because=self.failed.because
            )

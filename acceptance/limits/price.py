"""What the storage's own pods may take of the cluster under a load: the section `price` of a tier."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field

from acceptance.limits.values import QUANTITY, Entry, Sentence, Size
from acceptance.text.quantities import format_quantity, parse_quantity

Metric = Literal["cpu_per_1000_iops", "memory_growth", "restarts"]
TITLES: dict[Metric, str] = {
    "cpu_per_1000_iops": "CPU of the storage's pods per 1,000 IOPS",
    "memory_growth": "memory that a pod of the storage gains in an hour of load",
    "restarts": "restarts of the storage's containers",
}
_UNITS: dict[Metric, Literal["cpu", "B", "count"]] = {
    "cpu_per_1000_iops": "cpu",
    "memory_growth": "B",
    "restarts": "count",
}


@dataclass(frozen=True, kw_only=True)
class PriceLimit:
    """One requirement; `at_most` in CPUs, in bytes an hour, or a number of restarts."""

    profile: str
    metric: Metric
    at_most: float
    because: str

    @property
    def kind(self) -> Literal["at_most"]:
        """On which side of the limit what is measured must be."""
        return "at_most"

    @property
    def unit(self) -> Literal["cpu", "B", "count"]:
        """Of `at_most`; bytes are those of an hour."""
        return _UNITS[self.metric]

    @property
    def wanted(self) -> str:
        """`at most 16 MiB an hour`"""
        if self.metric == "restarts":
            return f"at most {self.at_most:g}" if self.at_most else "none"
        if self.metric == "memory_growth":
            return f"at most {format_quantity(self.at_most, unit='B')} an hour"
        return f"at most {format_quantity(self.at_most, unit='cpu')}"

    def describe(self) -> str:
        """`restarts of the storage's containers: none`"""
        return f"{TITLES[self.metric]}: {self.wanted}"


def _cpus(text: object) -> float:
    if (cpus := parse_quantity(str(text), unit="cpu")) == 0.0:
        raise ValueError(f"wanted a value above zero, found {text!r}, which no storage can meet")
    return cpus


class CpuEntry(Entry):
    """`{at_most: 1.5CPU, because: ...}`"""

    at_most: Annotated[float, BeforeValidator(_cpus), QUANTITY]
    because: Sentence


class GrowthEntry(Entry):
    """`{at_most: 16MiB, because: ...}`; in an hour."""

    at_most: Size
    because: Sentence


class RestartsEntry(Entry):
    """`{at_most: 0, because: ...}`"""

    at_most: Annotated[int, Field(ge=0)]
    because: Sentence


class PriceEntry(Entry):
    """What a tier says of one profile."""

    cpu_per_1000_iops: CpuEntry | None = None
    memory_growth: GrowthEntry | None = None
    restarts: RestartsEntry | None = None
    some_of: ClassVar[tuple[str, ...]] = tuple(TITLES)

    def limits(self, *, profile: str) -> Iterator[PriceLimit]:
        """As plain limits."""
        for metric in TITLES:
            entry = getattr(self, metric)
            if entry is not None:
                yield PriceLimit(profile=profile, metric=metric, at_most=float(entry.at_most), because=entry.because)

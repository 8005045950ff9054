"""The record of a killed PostgreSQL: the model behind `postgresql` in `results.json`. Frozen; times in s.

It imports no model of the results that holds it.
"""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from acceptance.results.model import Frozen


class PostgresqlRecord(Frozen):
    """A PostgreSQL on a volume, killed under load and started again in a new pod on the same volume."""

    storage_class: str
    image: str
    version: str
    node: str = Field(description="the node on which it was loaded and killed")
    read_on: str = Field(description="the node on which it was started again")
    killed: datetime
    acknowledged: int = Field(description="numbered commits whose number had arrived in the suite before the kill")
    write_s: float = Field(description="from the first of these to the last, in s")
    lost: list[tuple[int, int]] = Field(
        description="acknowledged commits whose row is missing or incomplete: first and last number of each range"
    )
    recovered_s: float | None = Field(
        description="time until it accepted connections again, in s; null if it never did"
    )
    broken: str = Field(
        default="", description="PostgreSQL's own message about why it did not start again; empty if it did"
    )
    damage: list[str] = Field(
        default=[], description="damage that pg_amcheck, pg_checksums or a query found after the restart"
    )
    transactions: float | None = Field(
        default=None, description="transactions of pgbench a second before the kill; null if it reported none"
    )
    commits_timed: int = Field(default=0, description="numbered commits whose duration psql reported")
    commit_p50_s: float | None = Field(default=None, description="median of these, in s")
    commit_p99_s: float | None = Field(default=None, description="99th percentile of these, in s")

    @property
    def lost_count(self) -> int:
        """The number of lost acknowledged commits."""
        return sum(last - first + 1 for first, last in self.lost)

    @property
    def sound(self) -> bool:
        """True if it recovered with everything that it had acknowledged."""
        return not (self.broken or self.lost or self.damage)

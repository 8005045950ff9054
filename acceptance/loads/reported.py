"""The metrics that a profile can report on any storage: a limit on any other metric could never be judged."""

from __future__ import annotations

from dataclasses import dataclass

from acceptance.results.metrics import Direction, Metric

_OF_CPU = ("cpu", "cpu_per_operation")
_DOES = {"read": "reads", "write": "writes", "sync": "syncs"}


@dataclass(frozen=True, kw_only=True)
class ReportedMetrics:
    """Directions in which a load reports operations, mean latencies and percentiles.

    `cpu`: it reports CPU time. `without` names the options because of which figures are missing, although the load does
    operate in that direction.
    """

    operations: frozenset[Direction]
    means: frozenset[Direction]
    percentiles: frozenset[Direction]
    cpu: bool = True
    without: str = ""

    def missing(self, metric: Metric) -> str | None:
        """Return why the load never reports the metric; None if it does."""
        if metric.direction is None:
            return "it reports no CPU time" if metric.statistic in _OF_CPU and not self.cpu else None
        if metric.direction not in self.operations:
            return f"it reports no {_DOES[metric.direction]}{self.without if metric.direction == 'sync' else ''}"
        directions = {"mean": self.means, "percentile": self.percentiles}.get(metric.statistic, self.operations)
        return None if metric.direction in directions else f"it reports no such latencies{self.without}"

"""Limits as verdicts have them: data of one form, whatever the limit is on."""

from __future__ import annotations

from pydantic import JsonValue

from acceptance.limits.history import HistoryLimit
from acceptance.limits.many_files import ManyFilesLimit
from acceptance.limits.neighbours import NeighbourLimit
from acceptance.limits.operations import OperationLimit
from acceptance.limits.price import PriceLimit
from acceptance.limits.ramps import ControlPlaneLimit
from acceptance.limits.rebuilds import RebuildLimit
from acceptance.limits.scaling import ScalingLimit
from acceptance.limits.snapshots import SnapshotsLimit
from acceptance.limits.sustained import SustainedLimit
from acceptance.limits.tiers import AnyLimit, ComparisonRule, Limit
from acceptance.limits.under_load import UnderLoadLimit
from acceptance.results.requirement import FigureUnit, Operator, Requirement


def requirement_of(limit: AnyLimit) -> Requirement:
    """The limit as verdicts have it: as data that is the same for all limits."""
    operator, bound, unit, at = _asked(limit)
    return Requirement(
        rule=limit.kind,
        profile=limit.profile,
        metric=str(limit.metric),
        operator=operator,
        bound=bound,
        unit=unit,
        at=at,
        because=limit.because,
    )


def _asked(limit: AnyLimit) -> tuple[Operator, float, FigureUnit, dict[str, JsonValue]]:
    """The operator, the bound with its unit, and the conditions."""
    match limit:
        case Limit():
            return limit.kind, limit.value, limit.metric.unit, {}
        case ComparisonRule():
            return limit.side, limit.bound, "ratio", {"margin": limit.margin}
        case ScalingLimit():
            operator: Operator = "at_most" if limit.kind == "latency_growth" else "at_least"
            known = {"pods": limit.pods, "of_capacity": limit.of_capacity}
            return operator, limit.value, limit.unit, {name: each for name, each in known.items() if each is not None}
        case ControlPlaneLimit():
            return limit.kind, limit.value, limit.unit, {}
        case RebuildLimit():
            at = {"time_limit_s": limit.time_limit_s} if limit.kind == "largest_volume" else {}
            return limit.side, limit.value, limit.unit, dict(at)
        case SustainedLimit():
            return limit.side, limit.value, limit.metric.unit, {}
        case UnderLoadLimit() | NeighbourLimit():
            unit: FigureUnit = limit.unit if isinstance(limit, NeighbourLimit) else "s"
            return "at_most", limit.value, unit, {"of_capacity": limit.of_capacity}
        case HistoryLimit():
            side: Operator = "at_least" if limit.metric.higher_is_better else "at_most"
            return side, limit.bound, "ratio", {"margin": limit.margin, "runs": limit.runs}
        case SnapshotsLimit():
            return "at_least", limit.at_least, "ratio", {}
        case ManyFilesLimit():
            return "at_most", limit.at_most, "s", {"files": limit.files}
        case PriceLimit() | OperationLimit():
            return "at_most", limit.at_most, limit.unit, {}
        case _:
            return "at_most", limit.at_most, "s", {}

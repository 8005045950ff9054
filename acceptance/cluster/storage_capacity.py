"""The free space behind a class, as its CSI driver reports it: `CSIStorageCapacity`, one for each topology segment.

Source: https://kubernetes.io/docs/concepts/storage/storage-capacity/ and the type's own description. The reports are
some minutes old at the most, and count the replicas that a driver keeps only as far as the driver does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from kubernetes.utils.quantity import parse_quantity

from acceptance.cluster.nodes import matches
from acceptance.cluster.resources import Object


@dataclass(frozen=True, kw_only=True)
class Segment:
    """A part of the storage behind a class that some nodes reach.

    `free` in bytes; `largest`: the most bytes of a single volume, None if the driver does not report it; `nodes`: how
    many of those that take pods reach it.
    """

    name: str
    free: int
    nodes: int
    largest: int | None = None


def capacity_segments(
    capacities: Iterable[Object], *, storage_class: str, nodes: Sequence[Object], anywhere: bool
) -> list[Segment]:
    """Return the segments of the class: none if no driver reports any.

    `nodes`: those that take pods; `anywhere`: volumes may be created where none of these reaches them, too. A segment
    that has nothing free is left out, because no volume is provisioned there, unless none has: then all are full. If
    the capacity is not set it is not known, and if the topology is not set no node reaches it.
    """
    segments = []
    for capacity in capacities:
        topology, free = capacity.get("nodeTopology"), capacity.get("capacity")
        if capacity.get("storageClassName") != storage_class or topology is None or free is None:
            continue
        reaching = sum(_reaches(topology, node) for node in nodes)
        if reaching or anywhere:
            largest = capacity.get("maximumVolumeSize")
            segments.append(
                Segment(
                    name=_name(topology),
                    free=_bytes(free),
                    nodes=reaching,
                    largest=None if largest is None else _bytes(largest),
                )
            )
    return [segment for segment in segments if segment.free] or segments


def _reaches(topology: Object, node: Object) -> bool:
    """Return whether a label selector selects the node; an empty one selects all."""
    labels = [
        {"key": key, "operator": "In", "values": [value]} for key, value in (topology.get("matchLabels") or {}).items()
    ]
    return matches(node, {"matchExpressions": [*labels, *(topology.get("matchExpressions") or [])]})


def _name(topology: Object) -> str:
    """Return the selector as kubectl prints one."""
    labels = [f"{key}={value}" for key, value in sorted((topology.get("matchLabels") or {}).items())]
    expressions = [
        f"{match_expression['key']} {match_expression['operator']} ({','.join(match_expression.get('values') or [])})"
        for match_expression in topology.get("matchExpressions") or []
    ]
    return ",".join([*labels, *expressions]) or "all nodes"


def _bytes(quantity: str | int) -> int:
    return int(Decimal(parse_quantity(quantity)))  # type: ignore[no-untyped-call]

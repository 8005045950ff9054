"""How much is free behind a class, as its CSI driver tells it: `CSIStorageCapacity`, one for each topology segment.

Source: https://kubernetes.io/docs/concepts/storage/storage-capacity/ and the type's own description. What is told there
is some minutes old at the most, and counts the copies that a driver keeps only as far as the driver does.
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

    `free` in bytes; `largest`: a single volume can have so many bytes, None where nobody says; `nodes`: how many of
    those that take pods reach it.
    """

    name: str
    free: int
    nodes: int
    largest: int | None = None


def capacity_segments(
    capacities: Iterable[Object], *, storage_class: str, nodes: Sequence[Object], anywhere: bool
) -> list[Segment]:
    """What is known of the class: none where no driver says anything.

    `nodes`: those that take pods; `anywhere`: volumes may be made where none of these reaches them, too. A segment that
    has nothing free is left out, since no volume is provisioned there, unless none has: then all are full. Where the
    capacity is not set it is not known, and where the topology is not set no node reaches it.
    """
    found = []
    for capacity in capacities:
        topology, free = capacity.get("nodeTopology"), capacity.get("capacity")
        if capacity.get("storageClassName") != storage_class or topology is None or free is None:
            continue
        reaching = sum(_reaches(topology, node) for node in nodes)
        if reaching or anywhere:
            largest = capacity.get("maximumVolumeSize")
            found.append(
                Segment(
                    name=_name(topology),
                    free=_bytes(free),
                    nodes=reaching,
                    largest=None if largest is None else _bytes(largest),
                )
            )
    return [each for each in found if each.free] or found


def _reaches(topology: Object, node: Object) -> bool:
    """Whether a label selector selects the node; an empty one selects all."""
    labels = [
        {"key": key, "operator": "In", "values": [value]} for key, value in (topology.get("matchLabels") or {}).items()
    ]
    return matches(node, {"matchExpressions": [*labels, *(topology.get("matchExpressions") or [])]})


def _name(topology: Object) -> str:
    """The selector as kubectl prints one."""
    labels = [f"{key}={value}" for key, value in sorted((topology.get("matchLabels") or {}).items())]
    others = [
        f"{match_expression['key']} {match_expression['operator']} ({','.join(match_expression.get('values') or [])})"
        for match_expression in topology.get("matchExpressions") or []
    ]
    return ",".join([*labels, *others]) or "all nodes"


def _bytes(quantity: str | int) -> int:
    return int(Decimal(parse_quantity(quantity)))  # type: ignore[no-untyped-call]

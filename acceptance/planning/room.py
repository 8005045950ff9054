"""Whether a plan leaves others room: what it claims at one time, beside what is free and what was agreed to. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from acceptance.cluster.storage_capacity import Segment
from acceptance.planning.pools import Pool
from acceptance.planning.records import Peak, Plan, Volumes
from acceptance.results.pools import PoolRecord
from acceptance.text.errors import AcceptanceError, EnvironmentFailure, WrongUsage
from acceptance.text.quantities import format_quantity, format_size

LESS = (
    "ask for less (--storage-volume-size, --storage-scale steps, --storage-scale rate-pods, --storage-ramp pods, "
    "--storage-with operations=N, --storage-rebuild size), leave tests out (-m, -k)"
)
UNMADE = "Nothing was created in the cluster."
_GIB = 1024**3


@dataclass(frozen=True, kw_only=True)
class Room:
    """What a plan claims and what is free. `full`: why it must not begin; `consent`: what must be agreed to first."""

    records: tuple[PoolRecord, ...]
    full: tuple[str, ...] = ()
    consent: str | None = None

    @property
    def problem(self) -> AcceptanceError | None:
        """Why the run does not begin: EnvironmentFailure for want of room, WrongUsage for want of consent alone."""
        said = "\n".join([*self.full, *filter(None, [self.consent])])
        if not said:
            return None
        return EnvironmentFailure(said) if self.full else WrongUsage(said)


def room_of(plan: Plan, pools: Sequence[Pool], *, share: float, at_most: int) -> Room:
    """Hold the plan against the pools: `share` of what is free in each may be claimed, 0.5 for a half.

    `at_most`: bytes that may be claimed at one time in all. Claims count in full, whatever is written to them; replicas
    count where a source knows how many there are, in what it says is free.
    """
    full = [line for pool in pools for line in (*_too_much(plan, pool, share=share), *_too_large(plan, pool))]
    return Room(
        records=tuple(_record(plan, name, pools) for name in plan.storage_classes),
        full=tuple(full),
        consent=_without_consent(plan, at_most=at_most),
    )


def claimed_in(plan: Plan, pool: Pool, segment: Segment) -> Peak:
    """The most bytes at one time that come out of the segment.

    Of volumes that are spread evenly a node has no more than its part, rounded up. All others may lie in any one
    segment together: often they do, on the node that is loaded.
    """

    def weigh(volumes: Volumes) -> int:
        if volumes.storage_class not in pool.sharing:
            return 0
        if not (volumes.evenly and pool.evenly and pool.nodes):
            return volumes.storage
        a_node = math.ceil(volumes.number / pool.nodes)
        return min(volumes.number, segment.nodes * a_node) * volumes.size + volumes.beside

    return plan.most(weigh)


def _too_much(plan: Plan, pool: Pool, *, share: float) -> list[str]:
    found = []
    for segment in pool.segments:
        claimed, allowed = claimed_in(plan, pool, segment), _part(segment.free, share=share)
        if claimed.amount > allowed:
            found.append(_refusal(claimed, pool, segment, share=share, allowed=allowed))
    return found


def _refusal(claimed: Peak, pool: Pool, segment: Segment, *, share: float, allowed: int) -> str:
    others = sorted(pool.sharing - {pool.storage_class})
    beside = f" (with {', '.join(others)}, of the same provisioner)" if others else ""
    more = ""
    if segment.free:
        more = f", or allow more: --storage-pool-share={-(-100 * claimed.amount // segment.free)}%"
    return (
        f"StorageClass {pool.storage_class}{beside}: up to "
        f"{format_quantity(claimed.amount, unit='B', beside=allowed)} would be claimed at one time; "
        f"{_bytes(segment.free)} is free ({pool.source}: {segment.name}), of which a run may claim {100 * share:g} %, "
        f"{_bytes(allowed)}. {_during(claimed)}{UNMADE} Free some, {LESS}{more}"
    )


def _too_large(plan: Plan, pool: Pool) -> list[str]:
    """Why the largest volume of the class cannot be provisioned, where each segment says how large one can be."""
    limits = [segment.largest for segment in pool.segments if segment.largest is not None]
    claims = [
        (volume.size, step)
        for step in plan.steps
        for volume in step.volumes
        if volume.storage_class == pool.storage_class
    ]
    if not claims or not limits or len(limits) < len(pool.segments):
        return []
    size, step = max(claims, key=lambda claim: claim[0])
    if size <= (largest := max(limits)):
        return []
    return [
        f"StorageClass {pool.storage_class}: a PVC of {format_quantity(size, unit='B', beside=largest)} is planned; "
        f"no PV can be larger than {_bytes(largest)} ({pool.source}, maximumVolumeSize). It is for: {step.what} "
        f"({step.payer}). {UNMADE} {_capital(LESS)}"
    ]


def _without_consent(plan: Plan, *, at_most: int) -> str | None:
    claimed = plan.most(lambda volumes: volumes.storage)
    if claimed.amount <= at_most:
        return None
    each = ", ".join(f"{_bytes(_claimed_of(plan, name))} of {name}" for name in plan.storage_classes)
    return (
        f"up to {format_quantity(claimed.amount, unit='B', beside=at_most)} would be claimed at one time (at "
        f"most {each}; replicas not counted); without consent a run claims at most {_bytes(at_most)}. "
        f"{_during(claimed)}{UNMADE} {_capital(LESS)}, or consent: "
        f"{_consent(claimed.amount)}"
    )


def left_out(plan: Plan, *, at_most: int) -> str:
    """Why scale runs that nobody named are left out of a plan, and how to include them; see `room_of` for `at_most`."""
    claimed = plan.most(lambda volumes: volumes.storage).amount
    return (
        f"scale runs are left out: with them up to {format_quantity(claimed, unit='B', beside=at_most)} would be "
        f"claimed at one time, and without consent a run claims at most {_bytes(at_most)}; include them with "
        f"{_consent(claimed)}"
    )


def _consent(claimed: int) -> str:
    return f"--storage-claim-at-most={format_size(-(-claimed // _GIB) * _GIB)}"


def _record(plan: Plan, storage_class: str, pools: Sequence[Pool]) -> PoolRecord:
    """Of all that is known of the class, what leaves least."""
    claimed = _claimed_of(plan, storage_class)
    known = [
        (segment.free, claimed_in(plan, pool, segment).amount, segment.name, pool.source)
        for pool in pools
        if pool.storage_class == storage_class
        for segment in pool.segments
    ]
    said = f"at most {_bytes(claimed)} claimed at one time"
    if not known:
        return PoolRecord(
            storage_class=storage_class, claimed=claimed, free=None, description=f"{said}; free space is not known"
        )
    free, there, where, source = max(known, key=lambda each: each[1] / each[0] if each[0] else math.inf)
    return PoolRecord(
        storage_class=storage_class,
        claimed=claimed,
        free=free,
        description=f"{said}; {_bytes(free)} is free ({source}: {where}), of which at most {_bytes(there)} is claimed",
    )


def _claimed_of(plan: Plan, storage_class: str) -> int:
    return plan.most(lambda volumes: volumes.storage if volumes.storage_class == storage_class else 0).amount


def _part(free: int, *, share: float) -> int:
    """So many bytes of those that are free; 55 % is meant, not the number next to it that a float can hold."""
    return math.floor(Fraction(repr(share)) * free)


def _during(claimed: Peak) -> str:
    """When it is so much, for whoever looks for what to leave out."""
    return f"The most is claimed during: {claimed.step.what} ({claimed.step.payer}). " if claimed.step else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _bytes(amount: int) -> str:
    return format_quantity(amount, unit="B")

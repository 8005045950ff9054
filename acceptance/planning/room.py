"""The check that a plan leaves room for others: its maximum claim against free space and consent. Pure."""

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
    "request less (--storage-volume-size, --storage-scale steps, --storage-scale rate-pods, --storage-ramp pods, "
    "--storage-with operations=N, --storage-rebuild size), leave tests out (-m, -k)"
)
UNMADE = "Nothing was created in the cluster."
_GIB = 1024**3


@dataclass(frozen=True, kw_only=True)
class Room:
    """The claims of a plan and the free space. `full`: why it must not begin; `consent`: the consent that it lacks."""

    records: tuple[PoolRecord, ...]
    full: tuple[str, ...] = ()
    consent: str | None = None

    @property
    def problem(self) -> AcceptanceError | None:
        """The error that prevents the run: EnvironmentFailure without room, WrongUsage if only consent is missing."""
        message = "\n".join([*self.full, *filter(None, [self.consent])])
        if not message:
            return None
        return EnvironmentFailure(message) if self.full else WrongUsage(message)


def room_of(plan: Plan, pools: Sequence[Pool], *, share: float, at_most: int) -> Room:
    """Compare the plan with the pools: `share` of the free space of each may be claimed, 0.5 for a half.

    `at_most`: bytes that may be claimed at one time in total. Claims count in full, however much is written to them;
    replicas count if a source knows their number, and then reduce its free space.
    """
    full = [line for pool in pools for line in (*_too_much(plan, pool, share=share), *_too_large(plan, pool))]
    return Room(
        records=tuple(_record(plan, name, pools) for name in plan.storage_classes),
        full=tuple(full),
        consent=_without_consent(plan, at_most=at_most),
    )


def claimed_in(plan: Plan, pool: Pool, segment: Segment) -> Peak:
    """Return the maximum of bytes at one time that are taken from the segment.

    Of volumes that are spread evenly, a node has at most its part, rounded up. All others may be together in any one
    segment, and often are, on the node that is loaded.
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
    refusals = []
    for segment in pool.segments:
        peak, allowance = claimed_in(plan, pool, segment), _part(segment.free, share=share)
        if peak.amount > allowance:
            refusals.append(_refusal(peak, pool, segment, share=share, allowance=allowance))
    return refusals


def _refusal(peak: Peak, pool: Pool, segment: Segment, *, share: float, allowance: int) -> str:
    other_classes = sorted(pool.sharing - {pool.storage_class})
    beside = f" (with {', '.join(other_classes)}, of the same provisioner)" if other_classes else ""
    more = ""
    if segment.free:
        more = f", or allow more: --storage-pool-share={-(-100 * peak.amount // segment.free)}%"
    return (
        f"StorageClass {pool.storage_class}{beside}: up to "
        f"{format_quantity(peak.amount, unit='B', beside=allowance)} would be claimed at one time; "
        f"{_bytes(segment.free)} is free ({pool.source}: {segment.name}), of which a run may claim {100 * share:g} %, "
        f"{_bytes(allowance)}. {_during(peak)}{UNMADE} Free some, {LESS}{more}"
    )


def _too_large(plan: Plan, pool: Pool) -> list[str]:
    """Return why the largest volume of the class cannot be provisioned, if each segment reports its maximum size."""
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
        f"no PV can be larger than {_bytes(largest)} ({pool.source}, maximumVolumeSize). It is needed for: "
        f"{step.description} ({step.payer}). {UNMADE} {_capital(LESS)}"
    ]


def _without_consent(plan: Plan, *, at_most: int) -> str | None:
    peak = plan.most(lambda volumes: volumes.storage)
    if peak.amount <= at_most:
        return None
    claims = ", ".join(f"{_bytes(_claimed_of(plan, name))} of {name}" for name in plan.storage_classes)
    return (
        f"up to {format_quantity(peak.amount, unit='B', beside=at_most)} would be claimed at one time (at "
        f"most {claims}; replicas not counted); without consent a run claims at most {_bytes(at_most)}. "
        f"{_during(peak)}{UNMADE} {_capital(LESS)}, or consent: "
        f"{_consent(peak.amount)}"
    )


def left_out(plan: Plan, *, at_most: int) -> str:
    """Return why unnamed scale runs are left out of a plan, and how to include them; see `room_of` for `at_most`."""
    amount = plan.most(lambda volumes: volumes.storage).amount
    return (
        f"scale runs are left out: with them up to {format_quantity(amount, unit='B', beside=at_most)} would be "
        f"claimed at one time, and without consent a run claims at most {_bytes(at_most)}; include them with "
        f"{_consent(amount)}"
    )


def _consent(amount: int) -> str:
    return f"--storage-claim-at-most={format_size(-(-amount // _GIB) * _GIB)}"


def _record(plan: Plan, storage_class: str, pools: Sequence[Pool]) -> PoolRecord:
    """Return the record of the segment that the class leaves the least room in."""
    amount = _claimed_of(plan, storage_class)
    segments = [
        (segment.free, claimed_in(plan, pool, segment).amount, segment.name, pool.source)
        for pool in pools
        if pool.storage_class == storage_class
        for segment in pool.segments
    ]
    claim = f"at most {_bytes(amount)} claimed at one time"
    if not segments:
        return PoolRecord(
            storage_class=storage_class, claimed=amount, free=None, description=f"{claim}; free space is not known"
        )
    free, there, where, source = max(segments, key=lambda numbers: numbers[1] / numbers[0] if numbers[0] else math.inf)
    return PoolRecord(
        storage_class=storage_class,
        claimed=amount,
        free=free,
        description=f"{claim}; {_bytes(free)} is free ({source}: {where}), of which at most {_bytes(there)} is claimed",
    )


def _claimed_of(plan: Plan, storage_class: str) -> int:
    return plan.most(lambda volumes: volumes.storage if volumes.storage_class == storage_class else 0).amount


def _part(free: int, *, share: float) -> int:
    """Return `share` of the free bytes, exactly: 55 %, not the nearest number that a float can hold."""
    return math.floor(Fraction(repr(share)) * free)


def _during(peak: Peak) -> str:
    """Return the step at which the peak occurs, for a user who wants to leave something out."""
    return f"The most is claimed during: {peak.step.description} ({peak.step.payer}). " if peak.step else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _bytes(amount: int) -> str:
    return format_quantity(amount, unit="B")

"""Measuring a profile: on one class, or on two in turn, for as long as the plan of looks wants it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from acceptance.cluster.objects import object_name
from acceptance.cluster.workspace import Workspace
from acceptance.fio.profiles import LONGEST_RAMP_S, Profile
from acceptance.fio.samples import Sample
from acceptance.looks import LookPlan
from acceptance.measuring.preparation import PreparedVolume
from acceptance.measuring.segment import Segment, SegmentPlan, run_segment
from acceptance.results import Role

# The first second of load only gives the point to count from, and the last may be cut short; one more to be sure.
SPARE_RUNTIME_S = 3


BySegment = Sequence[Sequence[Sample]]
"""Samples, segment by segment: what a decision is made from."""


@dataclass(frozen=True, kw_only=True)
class Recording:
    """All segments of one profile on one class so far, in the order in which they ran."""

    profile: Profile
    volume: PreparedVolume
    role: Role
    segments: tuple[Segment, ...]
    beside: str = ""
    """for a baseline: the candidate that it is measured for"""

    @property
    def storage_class(self) -> str:
        """The class that was loaded."""
        return self.volume.claim.storage_class

    @property
    def samples(self) -> BySegment:
        """The samples, segment by segment."""
        return [segment.samples for segment in self.segments]

    @property
    def seconds(self) -> int:
        """The seconds of load recorded."""
        return sum(len(segment.samples) for segment in self.segments)


@dataclass(frozen=True, kw_only=True)
class Progress:
    """Where a measurement stands, for people who wait. `rate`: operations in the last second, 1/s."""

    profile: str
    storage_class: str
    role: Role
    seconds: int
    cap: int
    rate: float


Report = Callable[[Progress], None]


def measure_alone(
    workspace: Workspace,
    volume: PreparedVolume,
    profile: Profile,
    *,
    plan: LookPlan,
    decided: Callable[[BySegment], bool],
    report: Report,
) -> Recording:
    """Load one volume until a look finds it decided, or to the plan's cap.

    Raises what `run_segment` raises.
    """

    def watch(samples: Sequence[Sample]) -> bool:
        report(_progress(profile, volume, "candidate", samples, cap=plan.cap))
        if len(samples) >= plan.cap:
            return True
        if len(samples) not in plan.seconds:
            return False
        return decided([samples])

    segment = run_segment(workspace, segment_plan(volume, profile, number=1, runtime_s=plan.cap), watch=watch)
    return Recording(profile=profile, volume=volume, role="candidate", segments=(segment,))


def measure_alternately(
    workspace: Workspace,
    *,
    candidate: PreparedVolume,
    baseline: PreparedVolume,
    profile: Profile,
    plan: LookPlan,
    decided: Callable[[BySegment, BySegment], bool],
    report: Report,
) -> tuple[Recording, Recording]:
    """Load two volumes on the same node in turn, a segment each a round, until a look finds it decided.

    The class that comes first alternates (baseline, candidate, candidate, baseline, ...), so that drift of the
    machine falls on both alike. The recordings of candidate and baseline. Raises what `run_segment` raises.
    """
    other = candidate.claim.storage_class
    recordings: dict[Role, Recording] = {
        "baseline": Recording(profile=profile, volume=baseline, role="baseline", segments=(), beside=other),
        "candidate": Recording(profile=profile, volume=candidate, role="candidate", segments=()),
    }
    forth: tuple[Role, ...] = ("baseline", "candidate")
    for number in range(1, plan.rounds[-1] + 1):
        for role in forth if number % 2 else reversed(forth):
            so_far = recordings[role]
            segment = _segment(workspace, so_far, number=number, plan=plan, report=report)
            recordings[role] = replace(so_far, segments=(*so_far.segments, segment))
        if number in plan.rounds and decided(recordings["candidate"].samples, recordings["baseline"].samples):
            break
    return recordings["candidate"], recordings["baseline"]


def _segment(workspace: Workspace, so_far: Recording, *, number: int, plan: LookPlan, report: Report) -> Segment:
    def watch(samples: Sequence[Sample]) -> bool:
        report(_progress(so_far.profile, so_far.volume, so_far.role, samples, cap=plan.cap, before=so_far.seconds))
        return len(samples) >= plan.segment_s

    wanted = segment_plan(so_far.volume, so_far.profile, number=number, runtime_s=plan.segment_s, beside=so_far.beside)
    return run_segment(workspace, wanted, watch=watch)


def segment_plan(
    volume: PreparedVolume, profile: Profile, *, number: int, runtime_s: int, beside: str = ""
) -> SegmentPlan:
    """One stretch of a profile on a volume: `runtime_s` whole seconds of load after the ramp.

    `beside`: the candidate that a baseline is measured for, so that pods and files of several have names of their own.
    """
    names = [profile.name, volume.claim.storage_class, *([beside] if beside else []), str(number)]
    return SegmentPlan(
        pod=object_name(*names),
        claim=volume.claim,
        job_file=f"{profile.name}.fio",
        jobs=profile.jobs,
        test_size=volume.test_size,
        runtime_s=runtime_s + SPARE_RUNTIME_S,
        deadline_s=runtime_s + SPARE_RUNTIME_S + LONGEST_RAMP_S,
        node=volume.node,
    )


def _progress(
    profile: Profile, volume: PreparedVolume, role: Role, samples: Sequence[Sample], *, cap: int, before: int = 0
) -> Progress:
    last = samples[-1]
    rate = (last.counts["read"].ios + last.counts["write"].ios) / last.duration_s
    return Progress(
        profile=profile.name,
        storage_class=volume.claim.storage_class,
        role=role,
        seconds=before + len(samples),
        cap=cap,
        rate=rate,
    )

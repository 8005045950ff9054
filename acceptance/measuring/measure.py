"""The measurement of a profile: on one class, or on two in turn, as long as the plan of interim analyses requires."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from acceptance.cluster.objects import object_name
from acceptance.loads.fio.samples import Sample
from acceptance.loads.profiles import Profile
from acceptance.measuring.batches import first_seconds, loaded_s, seconds_of
from acceptance.measuring.ending import UNCOUNTED_S
from acceptance.measuring.load import Bench, Load, PreparedVolume, Segment
from acceptance.results.document import Role
from acceptance.statistics.interim_analyses import AnalysisPlan

BySegment = Sequence[Sequence[Sample]]
"""Samples, segment by segment: the basis of a decision."""


@dataclass(frozen=True, kw_only=True)
class Recording:
    """All segments of one profile on one class so far, in the order in which they ran."""

    profile: Profile
    volume: PreparedVolume
    role: Role
    segments: tuple[Segment, ...]
    beside: str = ""
    """For a baseline: the candidate that it is compared with."""

    @property
    def storage_class(self) -> str:
        """The class that was loaded."""
        return self.volume.storage_class

    @property
    def samples(self) -> BySegment:
        """The samples, segment by segment."""
        return [segment.samples for segment in self.segments]


@dataclass(frozen=True, kw_only=True)
class Progress:
    """The state of a measurement, for users who wait. `rate`: operations in the last second, 1/s."""

    profile: str
    storage_class: str
    role: Role
    seconds: int
    cap: int
    rate: float


Report = Callable[[Progress], None]
FIRST = "1"
"""The name of the load that every profile has; other loads have their own names."""


def measure_alone(
    bench: Bench,
    volume: PreparedVolume,
    profile: Profile,
    *,
    plan: AnalysisPlan,
    is_decided: Callable[[BySegment], bool],
    report: Report,
    name: str = FIRST,
    rate: int | None = None,
    before: Recording | None = None,
    visit_s: int | None = None,
) -> Recording:
    """Load one volume until an interim analysis decides, or to the end of a visit: the plan's cap if it has no visits.

    `before`: the recording of the earlier visits, which the result contains. `visit_s`: the seconds of this visit, if
    they are not the plan's. `name` distinguishes the load's output from that of other loads of the profile on the
    class; later visits have their own. `rate`: see `Load`. Raises the errors of `bench.run`.
    """
    earlier = before.segments if before else ()
    earlier_samples = [segment.samples for segment in earlier]
    loaded_before = loaded_s(earlier_samples)
    end_s = plan.visit_end(loaded_before) if visit_s is None else loaded_before + visit_s
    name = f"visit-{len(earlier) + 1}" if earlier and name == FIRST else name

    def watch(number: int, samples: Sequence[Sample]) -> bool:
        last, seconds = (loaded_before + seconds_of(part) for part in (samples[:-1], samples))
        report(_progress(profile, volume, "candidate", samples, seconds=seconds, cap=plan.cap))
        if seconds >= end_s:
            return True
        return any(last < look <= seconds for look in plan.looks) and is_decided([*earlier_samples, samples])

    load = Load(
        # Another load of the profile may begin before the pod of the previous load is deleted.
        name=object_name(profile.name, volume.storage_class, *(() if name == FIRST else (name,))),
        profile=profile,
        volumes=(volume,),
        order=(0,),
        names=(object_name(profile.name, volume.storage_class, name),),
        runtimes_s=(runtime_s(profile, end_s - loaded_before),),
        rate=rate,
    )
    segments = (*earlier, *bench.run(load, watch=watch))
    return Recording(profile=profile, volume=volume, role="candidate", segments=segments)


def measure_alternately(
    bench: Bench,
    *,
    candidate: PreparedVolume,
    baseline: PreparedVolume,
    profile: Profile,
    plan: AnalysisPlan,
    is_decided: Callable[[BySegment, BySegment], bool],
    report: Report,
    name: str = "",
) -> tuple[Recording, Recording]:
    """Load two volumes on the same node in turn, one segment each in a round, until an interim analysis decides.

    The class that comes first alternates (baseline, candidate, candidate, baseline, ...), so that drift of the machine
    affects both equally. `name` distinguishes its output from that of the comparison with the run's baseline. Return
    the recordings of candidate and baseline. Raises the errors of the bench's `run`.
    """
    roles: tuple[Role, ...] = ("baseline", "candidate")
    volumes = (baseline, candidate)
    load = _load_in_turn(profile, volumes, plan=plan, name=name)
    samples_by_segment: dict[int, Sequence[Sample]] = {}

    def of(place: int) -> BySegment:
        return [samples for number, samples in sorted(samples_by_segment.items()) if load.order[number] == place]

    def watch(number: int, samples: Sequence[Sample]) -> bool:
        seconds_of_turn = plan.segments[number // 2]
        if seconds_of(samples[:-1]) >= seconds_of_turn:
            return False
        samples_by_segment[number] = samples
        place = load.order[number]
        report(_progress(profile, volumes[place], roles[place], samples, seconds=loaded_s(of(place)), cap=plan.cap))
        is_look = number % 2 == 1 and (number + 1) // 2 in plan.rounds
        return is_look and seconds_of(samples) >= seconds_of_turn and is_decided(of(1), of(0))

    run = enumerate(bench.run(load, watch=watch))
    segments = [
        replace(segment, samples=tuple(first_seconds(segment.samples, seconds=plan.segments[number // 2])))
        for number, segment in run
    ]
    segments_by_place = [
        tuple(segment for segment, at in zip(segments, load.order, strict=False) if at == place) for place in (0, 1)
    ]
    return (
        Recording(profile=profile, volume=candidate, role="candidate", segments=segments_by_place[1]),
        Recording(
            profile=profile,
            volume=baseline,
            role="baseline",
            segments=segments_by_place[0],
            beside=candidate.storage_class,
        ),
    )


def _load_in_turn(
    profile: Profile, volumes: tuple[PreparedVolume, PreparedVolume], *, plan: AnalysisPlan, name: str
) -> Load:
    baseline, candidate = (volume.storage_class for volume in volumes)
    apart = (name,) if name else ()
    order = [place for number in range(plan.rounds[-1]) for place in ((1, 0) if number % 2 else (0, 1))]
    names = (
        object_name(profile.name, candidate, *apart, "turn", str(number // 2 + 1))
        if place
        else object_name(profile.name, baseline, candidate, *apart, str(number // 2 + 1))
        for number, place in enumerate(order)
    )
    return Load(
        name=object_name(profile.name, candidate, baseline, *apart),
        profile=profile,
        volumes=volumes,
        order=tuple(order),
        names=tuple(names),
        runtimes_s=tuple(runtime_s(profile, plan.segments[number // 2]) for number in range(len(order))),
    )


def runtime_s(profile: Profile, counted_s: int) -> int:
    """Return the runtime that holds all seconds to count: if a ramp ends in mid-second, one more second is lost."""
    return counted_s + UNCOUNTED_S + (1 if profile.ramp_s else 0)


def _progress(
    profile: Profile, volume: PreparedVolume, role: Role, samples: Sequence[Sample], *, seconds: int, cap: int
) -> Progress:
    last = samples[-1]
    return Progress(
        profile=profile.name,
        storage_class=volume.storage_class,
        role=role,
        seconds=seconds,
        cap=cap,
        rate=(last.counts["read"].ios + last.counts["write"].ios) / last.duration_s,
    )

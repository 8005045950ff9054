"""Storage that stands still now and then, loaded by a fio that is only simulated: it says what fio 3.33 says.

In continuous time: what was done until a moment follows from when the storage stood still until then. fio means to
speak each second, and cannot while its job waits; it ends after its runtime, or when the standstill of that moment is
over. What it says goes through `SampleReader` and `measure_alone` as in a run.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, Protocol

from acceptance.limits.limit import Limit
from acceptance.loads.fio.samples import Sample, SampleReader
from acceptance.loads.profiles import Profile
from acceptance.measuring.ending import require_success
from acceptance.measuring.load import Load, PreparedVolume, Preparing, Segment, Watch
from acceptance.measuring.measure import BySegment, measure_alone
from acceptance.results.document import Verdict
from acceptance.results.metrics import Metric
from acceptance.statistics.interim_analyses import MINUTE_S, AnalysisPlan, plan_for
from acceptance.text.errors import AcceptanceError
from acceptance.trials.speed.decisions import are_decided, judge_limit
from selftests.unit.made_limits import made_limit

BETWEEN_S = 0.3
"""from the end of one fio to the beginning of the next"""
LATENCY_NS = 1_000_000
FROM_S, UNTIL_S = 30.0, 1200.0


@dataclass(frozen=True, kw_only=True)
class Standstills:
    """Storage that does `rate` operations a second on the average of all its time, standstills and all.

    It stands still for `still_s` in each `each_s` s, anywhere in them. `noise`: the deviation of a second in which it
    goes on, as a share of it; neighbours are correlated by 0.3.
    """

    rate: float
    still_s: float
    each_s: float
    noise: float
    seed: int

    def __post_init__(self) -> None:
        random = Random(self.seed)
        begins = -random.uniform(0, self.each_s)
        stills, last = [], 0.0
        while not stills or stills[-1][0] < UNTIL_S:
            stills.append((begins, begins + self.still_s))
            begins += self.each_s
        seconds, value = [], 0.0
        for _ in range(math.ceil(UNTIL_S) + 1):
            value = 0.3 * value + math.sqrt(1 - 0.3**2) * random.gauss(0, 1)
            last += max(0.0, 1 + self.noise * value)
            seconds.append(last)
        object.__setattr__(self, "_stills", stills)
        object.__setattr__(self, "_ends", [end for _, end in stills])
        stood = accumulate((max(0.0, end) - max(0.0, begin) for begin, end in stills), initial=0.0)
        object.__setattr__(self, "_stood_s", list(stood))
        object.__setattr__(self, "_seconds", [0.0, *seconds])

    def begin(self, at_s: float) -> None:
        """A load begins: what this storage does has nothing to do with that."""

    def end(self, at_s: float) -> None:
        """A load has ended."""

    def awake(self, at_s: float) -> float:
        """When the storage goes on that is asked for something now."""
        begins, end = self._still(at_s)
        return end if begins <= at_s else at_s

    def waits(self, begin_s: float, end_s: float) -> Counter[int]:
        """For how long (ns) operations waited of a load that began then, one in each standstill that has ended."""
        first, last = bisect_left(self._ends, begin_s), bisect_left(self._ends, end_s + 1e-9)
        return Counter(round(1e9 * (end - max(at, begin_s))) for at, end in self._stills[first:last])

    def done(self, at_s: float) -> float:
        """Operations until then."""
        number = bisect_left(self._ends, at_s)
        awake_s = min(at_s, self._stills[number][0]) - self._stood_s[number]
        second = int(awake_s)
        seconds = self._seconds
        within = seconds[second] + (awake_s - second) * (seconds[second + 1] - seconds[second])
        return self.rate * within / (1 - self.still_s / self.each_s)

    def _still(self, at_s: float) -> tuple[float, float]:
        """The standstill that goes on or comes next."""
        return self._stills[bisect_left(self._ends, at_s)]


class Storage(Protocol):
    """What a simulated fio loads; see `Standstills`."""

    def begin(self, at_s: float) -> None: ...
    def end(self, at_s: float) -> None: ...
    def awake(self, at_s: float) -> float: ...
    def waits(self, begin_s: float, end_s: float) -> Counter[int]: ...
    def done(self, at_s: float) -> float: ...


def documents(storage: Storage, *, start_s: float, runtime_s: float, ramp_s: float) -> Iterator[dict[str, Any]]:
    """What fio prints, with its time; the last when it ends.

    A ramp ends with the first operation after its time, and counts begin anew.
    """
    over_s = storage.awake(start_s + ramp_s) if ramp_s else start_s
    end_s = storage.awake(over_s + runtime_s)
    due_s = start_s + 1
    while due_s < end_s:
        told_s = min(storage.awake(due_s), end_s)
        yield _document(storage, start_s, over_s, ramp_s, due_s=due_s, told_s=told_s)
        due_s = max(due_s + 1, start_s + math.ceil(told_s - start_s + 1e-6))
    yield _document(storage, start_s, over_s, ramp_s, due_s=end_s, told_s=end_s + 0.01)


def _document(
    storage: Storage, start_s: float, over_s: float, ramp_s: float, *, due_s: float, told_s: float
) -> dict[str, Any]:
    since_s = over_s if told_s >= over_s else start_s
    done = round(storage.done(told_s) - storage.done(since_s))
    waits = storage.waits(since_s, told_s)
    bins = Counter({LATENCY_NS: max(0, done - waits.total())}) + waits
    latency = {"mean": LATENCY_NS, "N": bins.total(), "bins": {} if ramp_s else bins}
    return {
        "fio version": "fio-3.33",
        "timestamp_ms": round(told_s * 1000),
        "global options": {"ramp_time": f"{ramp_s}s"} if ramp_s else {},
        "jobs": [
            {
                "jobname": "writes",
                "error": 0,
                "elapsed": math.ceil(told_s - start_s),
                "job_runtime": round(1000 * (due_s - (since_s if due_s >= since_s else start_s))),
                "read": {},
                "sync": {},
                "write": {
                    "io_bytes": 4096 * done,
                    "total_ios": done,
                    "runtime": round(1000 * max(0.0, due_s - since_s)),
                    "clat_ns": latency,
                    "lat_ns": latency,
                },
            }
        ],
    }


@dataclass
class SimulatedBench:
    """Loads simulated storage, each class its own, one segment after the other."""

    storages: Mapping[str, Storage]
    now_s: float = FROM_S
    segments: list[list[Sample]] = field(default_factory=list)

    def prepare(
        self, storage_classes: Sequence[str], *, node: str | None, progress: Preparing
    ) -> dict[str, PreparedVolume | AcceptanceError]:
        return {}

    def run(self, load: Load, *, watch: Watch) -> list[Segment]:
        stopped = False
        self.segments = []
        for number, place in enumerate(load.order):
            stopped = self._load(self.storages[load.volumes[place].storage_class], load, number, watch)
            if stopped:
                break
        read = SimpleNamespace(error=None, unreadable=None, messages="", fio_version="fio-3.33")
        outputs = [SimpleNamespace(**vars(read), samples=segment) for segment in self.segments]
        log: Any = SimpleNamespace(segments=outputs, exit_status=None if stopped else 0)
        require_success(load, log, stopped_early=stopped)
        return [
            Segment(pod="p", node="n", fio_version="fio-3.33", start_time=datetime.now(UTC), samples=tuple(segment))
            for segment in self.segments
        ]

    def _load(self, storage: Storage, load: Load, number: int, watch: Watch) -> bool:
        reader, samples = SampleReader(jobs=["writes"]), []
        self.segments.append(samples)
        storage.begin(self.now_s)
        made = documents(storage, start_s=self.now_s, runtime_s=load.runtimes_s[number], ramp_s=load.profile.ramp_s)
        for document in made:
            self.now_s = document["timestamp_ms"] / 1000 + BETWEEN_S
            if (sample := reader.read(document)) is not None:
                samples.append(sample)
                if watch(number, list(samples)):
                    storage.end(self.now_s - BETWEEN_S)
                    return True
        storage.end(self.now_s - BETWEEN_S)
        if (sample := reader.close()) is not None:
            samples.append(sample)
            return watch(number, list(samples))
        return False


def volume(storage_class: str) -> PreparedVolume:
    return PreparedVolume(storage_class=storage_class, node="n", test_size=2**30)


def profile(*, durable: bool) -> Profile:
    """Durable profiles have a ramp of 2 s and take no latencies, as `sync-write-iops` does."""
    return Profile(
        name="writes",
        path=Path("w.fio"),
        text="",
        about="",
        jobs=("writes",),
        ramp_s=2.0 if durable else 0.0,
        durable=durable,
    )


def measured(
    storage: Storage, limits: Sequence[Limit], *, durable: bool, longest_s: float = MINUTE_S
) -> tuple[BySegment, AnalysisPlan]:
    """The samples of the candidate when its measurement ends, and the plan that it followed."""
    plan = plan_for(durable=durable, in_turn=False, longest_s=longest_s)
    alone = measure_alone(
        SimulatedBench({"fast": storage}),
        volume("fast"),
        profile(durable=durable),
        plan=plan,
        is_decided=lambda ours: are_decided(limits, ours, plan=plan),
        report=lambda each: None,
    )
    return alone.samples, plan


def verdicts(storage: Storage, limits: Sequence[Limit], *, durable: bool, longest_s: float = MINUTE_S) -> list[Verdict]:
    """What a run says of the limits."""
    samples, plan = measured(storage, limits, durable=durable, longest_s=longest_s)
    return [judge_limit(samples, limit, plan=plan, storage_class="fast") for limit in limits]


def at_least(rate: float) -> Limit:
    return made_limit(profile="writes", metric=Metric.parse("write.iops"), at_least=rate, because="b")


def no_stall_beyond(seconds: float) -> Limit:
    return made_limit(profile="writes", metric=Metric.parse("stall.longest"), at_most=seconds, because="b")

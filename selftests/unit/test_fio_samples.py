"""Samples out of fio's documents: seconds of load, none of the ramp, none of the time before, nothing twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.loads.fio.documents import DocumentReader
from acceptance.loads.fio.samples import SHORTEST_SAMPLE_S, FioError, Sample, SampleReader, seconds

Recorded = Callable[[str], str]
Json = dict[str, Any]


def documents_in(text: str) -> list[Json]:
    reader = DocumentReader()
    return reader.feed(text) + reader.close()


def samples_of(documents: Sequence[Json], *, jobs: Sequence[str] = ("writes",)) -> list[Sample | None]:
    reader = SampleReader(jobs=jobs)
    return [reader.read(document) for document in documents]


def seconds_and_ios(samples: Sequence[Sample | None]) -> list[tuple[float, int]]:
    return [(round(sample.duration_s, 1), sample.counts["write"].ios) for sample in samples if sample is not None]


def ios(samples: Sequence[Sample | None], direction: str) -> list[int | None]:
    return [sample and sample.counts[direction].ios for sample in samples]


def document(at_ms: int, done: int, *, runtime_ms: int | None = None, ramp: str = "", timed: bool = True) -> Json:
    """A document as fio prints it, with what is read of it."""
    latency = {"mean": 1000.0, "N": done if timed else 0, "bins": {"992": done} if timed else {}}
    nothing = {"io_bytes": 0, "total_ios": 0, "runtime": 0}
    runtime_ms = at_ms if runtime_ms is None else runtime_ms
    write = {"io_bytes": 4096 * done, "total_ios": done, "runtime": runtime_ms, "clat_ns": latency, "lat_ns": latency}
    return {
        "fio version": "fio-3.33",
        "timestamp_ms": 1_000_000 + at_ms,
        "global options": {"ramp_time": ramp} if ramp else {},
        "jobs": [{"jobname": "writes", "error": 0, "read": nothing, "write": write, "sync": {"total_ios": 0}}],
    }


@pytest.mark.parametrize(
    ("name", "writes"),
    [
        ("no_ramp", [None, 30, 30, None]),
        ("ramp", [None, None, None, 30, 29, None]),
        ("ramp_of_one_second", [None, None, 29, 29, None]),
        ("gtod_reduce", [None, None, None, 30, 29, None]),
        ("jobs_apart", [None, None, 59, 58, None]),
        ("jobs_together", [None, None, 60, 58, None]),
        ("group", [None, 120, 120, None]),
    ],
)
def test_the_seconds_of_load_are_counted_and_the_ramp_is_not(
    recorded: Recorded, name: str, writes: list[int | None]
) -> None:
    assert ios(samples_of(documents_in(recorded(name))), "write") == writes


def test_reads_and_writes_are_counted_apart(recorded: Recorded) -> None:
    samples = samples_of(documents_in(recorded("mixed")), jobs=["mixed"])
    assert ios(samples, "read") == [None, 30, 30, None]
    assert ios(samples, "write") == [None, 30, 29, None]


@pytest.mark.parametrize(("name", "syncs"), [("no_ramp", 30), ("ramp", 30)])
def test_each_fsync_and_fdatasync_is_counted_with_its_latency(recorded: Recorded, name: str, syncs: int) -> None:
    sample = next(each for each in samples_of(documents_in(recorded(name))) if each is not None).counts["sync"]
    assert sample.ios == sample.latencies == sum(sample.histogram.values()) == syncs
    assert sample.latency_sum_s > 0


def test_with_gtod_reduce_there_are_no_latencies(recorded: Recorded) -> None:
    sample = next(each for each in samples_of(documents_in(recorded("gtod_reduce"))) if each is not None)
    assert all(counts.latencies == 0 and not counts.histogram for counts in sample.counts.values())


def test_documents_from_before_the_load_are_no_seconds_without_progress(recorded: Recorded) -> None:
    documents = documents_in(recorded("laid_out_first"))
    before = [each for each in documents if each["jobs"][0]["read"]["total_ios"] == 0]
    samples = samples_of(documents, jobs=["reads"])
    assert len(before) == 10
    assert samples[: len(before) + 3] == [None] * (len(before) + 3)  # and two of the ramp, and one to count from
    # The one to count from came 0.6 s late, so that time counts from the end of the ramp.
    assert ios(samples[len(before) + 3 :], "read") == [61, 30, None]
    assert [sample and round(sample.duration_s, 1) for sample in samples[len(before) + 3 :]] == [2.0, 1.0, None]


def test_a_job_that_waits_for_another_does_not_mix_its_ramp_into_the_load(recorded: Recorded) -> None:
    samples = samples_of(documents_in(recorded("one_after_the_other")), jobs=["first", "second"])
    assert ios(samples, "write") == [None, None, 29, None, None, 29, None]


def test_a_stalled_second_counts_with_its_whole_time(recorded: Recorded) -> None:
    samples = [sample for sample in samples_of(documents_in(recorded("stalled"))) if sample is not None]
    stalled = samples[0]
    assert stalled.duration_s == pytest.approx(2.756)
    assert stalled.counts["write"].ios == 19
    assert sum(sample.duration_s for sample in samples) == pytest.approx(3.875)


def test_a_stall_across_the_end_of_the_ramp_counts_from_there_and_leaves_no_trace_of_the_ramp(
    recorded: Recorded,
) -> None:
    samples = samples_of(documents_in(recorded("stalled_in_the_ramp")))
    assert ios(samples, "write") == [None, None, 32, 30, 30, 29, None]
    assert seconds_and_ios(samples)[0] == (2.0, 32), "a second of it was still to come when the ramp's time was over"


@pytest.mark.parametrize(
    ("name", "counted"),
    [
        # From 0.1 s of the load on until 4.8 s, so that fio, which was to load for 3 s, ended then.
        ("frozen_from_the_start", [(4.8, 129)]),
        ("frozen_group", [(4.7, 516)]),
        # From the start on, for 6 s, with a ramp of 2 s: 4 s of standstill and the second after it. fio tells only to
        # within a second when it began, and a second too little is told rather than one too many.
        ("frozen_in_the_ramp", [(4.0, 5180), (1.0, 5297), (1.0, 5431)]),
        # From a second before the end of the ramp on, for 6 s: 5 s and the second after.
        ("frozen_at_the_end_of_the_ramp", [(6.0, 4872), (1.0, 4498), (1.0, 4133)]),
    ],
)
def test_a_standstill_before_the_first_operation_counts_from_the_beginning_of_the_load(
    recorded: Recorded, name: str, counted: list[tuple[float, int]]
) -> None:
    """Of a real file system that was frozen (`fsfreeze`)."""
    assert seconds_and_ios(samples_of(documents_in(recorded(name)))) == counted


def test_the_latency_of_an_operation_that_waited_from_the_start_is_known(recorded: Recorded) -> None:
    (sample,) = filter(None, samples_of(documents_in(recorded("frozen_from_the_start"))))
    assert max(sample.counts["write"].histogram) / 1e9 == pytest.approx(4.73, abs=0.05)


def late(at_ms: int, done: int, *, asked_ms: int, elapsed_s: int, ramp: str = "") -> Json:
    """A document that fio set out to make at one time, and that came at another."""
    made = document(at_ms, done, runtime_ms=asked_ms if done else 0, ramp=ramp)
    made["jobs"][0] |= {"job_runtime": asked_ms, "elapsed": elapsed_s}
    return made


def test_a_load_that_stood_still_from_first_to_last_and_spoke_once_is_a_sample() -> None:
    reader = SampleReader(jobs=["writes"])
    assert reader.read(late(6500, 1, asked_ms=900, elapsed_s=7)) is None
    sample = reader.close()
    assert sample is not None and seconds_and_ios([sample]) == [(6.0, 1)]
    assert sample.duration_s == pytest.approx(6.0, abs=0.6), "fio began at most a second earlier"
    assert reader.close() is None


def test_a_first_document_that_is_not_late_only_gives_the_point_to_count_from() -> None:
    documents = [late(at_ms, 9, asked_ms=at_ms, elapsed_s=2) for at_ms in (1050, 2050, 2100)]
    reader = SampleReader(jobs=["writes"])
    assert seconds_and_ios([*map(reader.read, documents), reader.close()]) == [(1.0, 0)]


@pytest.mark.parametrize("lost", [0, 1, 2, 3])
@pytest.mark.parametrize("ramp_s", [0.0, 0.4, 1.0, 2.0])
def test_documents_that_are_lost_at_the_beginning_change_no_rate(lost: int, ramp_s: float) -> None:
    """An unreadable document is no document: the operations of its second keep their time."""
    steady = [
        late(at_ms, (at_ms - since_ms) // 10, asked_ms=at_ms - since_ms, elapsed_s=at_ms // 1000 + 1, ramp=f"{ramp_s}s")
        for at_ms in range(1000, 8000, 1000)
        for since_ms in [round(ramp_s * 1000) if at_ms > ramp_s * 1000 else 0]
    ]
    samples = [*filter(None, samples_of(steady[lost:]))]
    assert [sample.counts["write"].ios / sample.duration_s for sample in samples] == pytest.approx([100] * len(samples))
    assert sum(sample.duration_s for sample in samples) >= 7 - (lost + 2) - ramp_s


def grouped(at_ms: int, done: int, *, ran_ms: Sequence[int], numjobs: str, in_global: bool = False) -> Json:
    """A document of one entry for a group whose processes have run for so long, each."""
    made = late(at_ms, done, asked_ms=sum(ran_ms), elapsed_s=at_ms // 1000 + 1)
    made["jobs"][0]["write"]["runtime"] = max(ran_ms)
    (made["global options"] if in_global else made["jobs"][0].setdefault("job options", {}))["numjobs"] = numjobs
    return made


@pytest.mark.parametrize("in_global", [False, True])
@pytest.mark.parametrize("processes", [1, 2, 4, 64])
def test_the_time_of_a_group_is_that_of_one_of_its_processes(processes: int, in_global: bool) -> None:
    """fio adds up how long they ran; taken for one's time, it would have begun before fio itself."""
    documents = [
        grouped(at_ms, at_ms, ran_ms=[at_ms - 1] * processes, numjobs=str(processes), in_global=in_global)
        for at_ms in (1000, 2000, 3000)
    ]
    assert seconds_and_ios(samples_of(documents)) == [(1.0, 1000)] * 2


def test_a_group_of_which_one_process_begins_later_has_no_standstill() -> None:
    documents = [grouped(at_ms, at_ms, ran_ms=[at_ms, at_ms, at_ms - 400], numjobs="3") for at_ms in (1000, 2000, 3000)]
    assert seconds_and_ios(samples_of(documents)) == [(1.0, 1000)] * 2


def test_clones_that_fio_lists_apart_have_each_their_own_time() -> None:
    documents = [grouped(at_ms, at_ms, ran_ms=[at_ms], numjobs="4") for at_ms in (1000, 2000)]
    for each in documents:
        each["jobs"] *= 4
    assert seconds_and_ios(samples_of(documents)) == [(1.0, 4000)]


@pytest.mark.parametrize("bins_of", ["clat_ns", "lat_ns"])
def test_latencies_of_which_fio_takes_the_percentiles_are_the_histogram(bins_of: str) -> None:
    """With `lat_percentiles=1` and `clat_percentiles=0` they are those from submission on: no stall is lost."""
    documents = [document(1000, 10), document(2000, 30)]
    for each in documents:
        latency = each["jobs"][0]["write"]["lat_ns"]
        plain = {key: value for key, value in latency.items() if key != "bins"}
        each["jobs"][0]["write"] |= {"clat_ns": plain, "lat_ns": plain} | {bins_of: latency}
    (sample,) = filter(None, samples_of(documents))
    assert dict(sample.counts["write"].histogram) == {992: 20}


def test_cpu_time_of_a_late_beginning_is_that_of_its_operations() -> None:
    documents = [
        late(at_ms, 9, asked_ms=asked_ms, elapsed_s=at_ms // 1000 + 1)
        for at_ms, asked_ms in ((4000, 900), (5000, 5000))
    ]
    for each in documents:
        each["jobs"][0] |= {"usr_cpu": 10.0, "sys_cpu": 10.0}
    (sample,) = filter(None, samples_of(documents))
    assert (sample.duration_s, sample.cpu_s, sample.looks) == (5.0, pytest.approx(1.0), 2)


def test_a_ramp_that_ends_with_a_standstill_hides_no_second_of_the_load() -> None:
    """Of counts that begin anew nothing is seen where there were none; but fio's own time begins anew, too."""
    still = late(2900, 0, asked_ms=1000, elapsed_s=3, ramp="2s")
    load = [late(2900 + at_ms, at_ms // 2, asked_ms=at_ms, elapsed_s=3, ramp="2s") for at_ms in (100, 1100, 2100)]
    assert seconds_and_ios(samples_of([still, *load])) == [(1.0, 500)] * 2


def test_files_that_are_laid_out_slowly_are_no_standstill() -> None:
    """Before its jobs begin fio speaks, if late for want of a CPU, and tells of them as it does of itself."""
    laying_out = [late(at_ms, 0, asked_ms=at_ms - 1, elapsed_s=at_ms // 1000 + 1) for at_ms in (1000, 3500, 6000)]
    loading = [late(6000 + at_ms, 9 * at_ms, asked_ms=at_ms - 1, elapsed_s=99) for at_ms in (900, 1900, 2900)]
    assert seconds_and_ios(samples_of([*laying_out, *loading])) == [(1.0, 9000)] * 2


def test_a_standstill_between_the_laying_out_and_the_first_operation_counts() -> None:
    laying_out = [late(at_ms, 0, asked_ms=at_ms - 1, elapsed_s=at_ms // 1000 + 1) for at_ms in (1000, 2000)]
    loading = [
        late(2000 + at_ms, 1, asked_ms=asked_ms, elapsed_s=99) for at_ms, asked_ms in ((7000, 500), (8000, 7500))
    ]
    assert seconds_and_ios(samples_of([*laying_out, *loading])) == [(7.5, 1)]


def test_samples_add_up_to_what_fio_counted_since_the_first_document_of_load(record: str) -> None:
    names = {job["jobname"] for each in documents_in(record) for job in each["jobs"]}
    documents = [each for each in documents_in(record) if not any(job["error"] for job in each["jobs"])]
    reader = SampleReader(jobs=sorted(names))
    found = [reader.read(document) for document in documents]
    for sample in filter(None, found):
        assert sample.duration_s >= SHORTEST_SAMPLE_S
        for counts in sample.counts.values():
            assert min(counts.ios, counts.bytes, counts.latencies, counts.latency_sum_s) >= 0
            assert sum(counts.histogram.values()) == counts.latencies
            assert all(count > 0 for count in counts.histogram.values())
    if sorted(names) == ["first", "second"] or not any(found):
        return
    assert reader.first is not None
    counted = [number for number, sample in enumerate(found) if sample is not None]
    for direction in ("read", "write"):
        last = sum(job[direction]["total_ios"] for job in documents[counted[-1]]["jobs"])
        done = last - reader.first.counts[direction].ios
        assert sum(sample.counts[direction].ios for sample in filter(None, found)) == done


@dataclass(frozen=True, kw_only=True)
class Job:
    """A job of fio's: so many operations a second in its ramp, so many after, documents at these times."""

    ramp_ms: int
    over_ms: int
    in_ramp: int
    after: int
    timed: bool
    documents_ms: tuple[int, ...]
    asked_ms: tuple[int, ...]
    """when fio set out to print each document: later by as long as it had to wait for stalled storage"""

    def done(self, at_ms: int) -> int:
        """Operations since the job began or its ramp ended."""
        if at_ms < self.over_ms:
            return self.in_ramp * at_ms // 1000
        return self.after * (at_ms - self.over_ms) // 1000

    def document(self, number: int) -> Json:
        at_ms, asked_ms = self.documents_ms[number], self.asked_ms[number]
        loading = at_ms >= self.over_ms
        runtime_ms = max(0, asked_ms - self.over_ms) if loading else asked_ms
        return document(
            at_ms,
            self.done(at_ms),
            runtime_ms=runtime_ms,
            ramp=f"{self.ramp_ms}ms",
            timed=self.timed and loading,
        )


@st.composite
def jobs(draw: st.DrawFn) -> Job:
    ramp_ms = draw(st.sampled_from([0, 300, 1000, 2000, 3500]))
    gaps = draw(st.lists(st.integers(300, 2500), min_size=3, max_size=12))
    documents_ms = tuple(accumulate(gaps))
    asked_ms = tuple(
        draw(st.integers(max(before, at - 1500), at))
        for before, at in zip((0, *documents_ms), documents_ms, strict=False)
    )
    return Job(
        ramp_ms=ramp_ms,
        over_ms=ramp_ms and ramp_ms + draw(st.integers(0, 100)),
        in_ramp=draw(st.integers(0, 200)),
        after=draw(st.integers(0, 2000)),
        timed=draw(st.booleans()),
        documents_ms=documents_ms,
        asked_ms=asked_ms,
    )


@given(job=jobs())
def test_no_sample_mixes_ramp_and_load_even_where_the_restart_of_the_counts_is_hidden(job: Job) -> None:
    samples = samples_of([job.document(number) for number in range(len(job.documents_ms))])
    for last_ms, sample in zip(job.documents_ms, samples, strict=True):
        if sample is not None:
            first_ms = last_ms - round(sample.duration_s * 1000)
            assert first_ms in job.documents_ms
            assert first_ms >= job.over_ms
            assert sample.counts["write"].ios == job.done(last_ms) - job.done(first_ms)


def test_a_restart_that_only_the_clock_shows_is_found() -> None:
    ramp = [document(900, 10, ramp="1s", timed=False)]
    load = [
        document(1000 + at_ms, 100 * at_ms // 1000, runtime_ms=at_ms, ramp="1s", timed=False)
        for at_ms in (1000, 2000, 3000)
    ]
    assert ios(samples_of([*ramp, *load]), "write") == [None, None, 100, 100]


def test_a_second_without_progress_counts_with_zeros() -> None:
    found = samples_of([document(1000, 50), document(2000, 50), document(3000, 60)])
    assert ios(found, "write") == [None, 0, 10]


def test_counts_that_start_again_in_the_load_make_no_negative_sample() -> None:
    found = samples_of([document(1000, 50), document(2000, 90), document(3000, 30), document(4000, 60)])
    assert ios(found, "write") == [None, 40, None, 30]


def test_the_job_that_is_asked_for_counts_and_no_other() -> None:
    documents = [document(1000, 10), document(2000, 30)]
    for each in documents:
        each["jobs"].append(each["jobs"][0] | {"jobname": "other"})
    assert ios(samples_of(documents), "write") == [None, 20]


@pytest.mark.parametrize(("name", "error"), [("refused", 22), ("full", 28)])
def test_an_error_of_a_job_is_raised(recorded: Recorded, name: str, error: int) -> None:
    reader = SampleReader(jobs=["writes"])
    *before, last = documents_in(recorded(name))
    for each in before:
        reader.read(each)
    with pytest.raises(FioError, match=f"fio's job writes ended with error {error}"):
        reader.read(last)


def test_a_result_that_lacks_a_job_is_an_error() -> None:
    with pytest.raises(FioError, match="lacks the job a, b"):
        SampleReader(jobs=["writes", "b", "a"]).read(document(1000, 1))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("2", 2.0), ("2s", 2.0), ("1500ms", 1.5), ("1500000us", 1.5), ("2m", 120.0), (" 1h ", 3600.0), ("1D", 86400.0)],
)
def test_durations_are_read_as_fio_reads_them(text: str, expected: float) -> None:
    assert seconds(text) == pytest.approx(expected)


@pytest.mark.parametrize("text", ["", "s", "-1s", "2 weeks", "1s2"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a fio duration"):
        seconds(text)


def with_cpu(at_ms: int, *jobs: tuple[int, float, float], done: int) -> Json:
    """A document of clones, each with its whole time (ms) and the percent of it that it ran in user and system."""
    found = document(at_ms, done)
    found["jobs"] = [
        found["jobs"][0] | {"job_runtime": runtime_ms, "usr_cpu": usr, "sys_cpu": sys} for runtime_ms, usr, sys in jobs
    ]
    return found


def test_cpu_time_is_that_of_all_clones_second_by_second() -> None:
    # Two clones as fio 3.33 printed them; and /proc showed the same but for its ticks of 10 ms.
    documents = [
        with_cpu(0, (1000, 0.0, 0.0), (1000, 0.0, 0.0), done=0),
        with_cpu(1000, (2000, 0.850000, 21.700000), (1999, 2.401201, 19.959980), done=10),
        with_cpu(2004, (3003, 1.365301, 20.979021), (3003, 1.998002, 20.412920), done=20),
        with_cpu(3004, (4003, 1.199101, 21.458906), (4003, 1.948539, 20.984262), done=30),
    ]
    found = [sample and sample.cpu_s for sample in samples_of(documents)]
    assert found == [None, None, pytest.approx(0.446, abs=1e-4), pytest.approx(0.481, abs=1e-4)]


@pytest.mark.parametrize(
    ("before", "after", "taken"),
    [
        ((1000, 10.0, 20.0), (2000, 10.0, 20.0), 0.3),
        ((1000, 0.0, 0.0), (2000, 0.0, 0.0), 0.0),
        ((3333, 3.003300, 0.0), (3334, 3.002399, 0.0), 0.0),  # the same 100.1 ms, but for fio's rounding
        ((2000, 30.0, 30.0), (2000, 10.0, 10.0), None),  # counted from anew
    ],
)
def test_cpu_time_is_never_negative(
    before: tuple[int, float, float], after: tuple[int, float, float], taken: float | None
) -> None:
    begun = with_cpu(0, (before[0] - 1000, 0.0, 0.0), done=0)
    *_, sample = samples_of([begun, with_cpu(1000, before, done=10), with_cpu(2000, after, done=20)])
    assert sample is not None
    assert sample.cpu_s == (None if taken is None else pytest.approx(taken, abs=1e-4))


def test_cpu_time_is_unknown_unless_every_clone_tells_it() -> None:
    documents = [with_cpu(at_ms, (at_ms, 1.0, 1.0), (at_ms, 1.0, 1.0), done=at_ms) for at_ms in (1000, 2000)]
    del documents[1]["jobs"][1]["usr_cpu"]
    _, sample = samples_of(documents)
    assert sample is not None
    assert sample.cpu_s is None

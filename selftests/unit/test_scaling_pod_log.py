"""What a load pod prints: cut into steps, with the pod's clock beside the suite's, whatever pieces it comes in."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from acceptance.trials.scaling.pod_log import PodLog


def new_log() -> PodLog:
    log = PodLog(prefill_jobs=("prefill",))
    log.wanted_jobs = ("write",)
    return log


def line(*words: object) -> bytes:
    return f"\nstorage-acceptance: {' '.join(map(str, words))}\n".encode()


@pytest.fixture
def fio(recorded: Callable[[str], str]) -> bytes:
    """What fio printed in a run without a ramp."""
    return recorded("no_ramp").encode()


@pytest.fixture
def jobs(fio: bytes) -> tuple[str, ...]:
    return tuple(sorted(set(re.findall(r'"jobname"\s*:\s*"([^"]+)"', fio.decode()))))


def test_states_follow_the_marks() -> None:
    log = new_log()
    assert not log.ready
    log.feed(line("ready"), arrived_s=100)
    log.feed(line("barrier", 1), arrived_s=101)
    assert (log.ready, log.at_barrier, log.number) == (True, 1, None)
    log.feed(line("begin", 1), arrived_s=102)
    assert log.number == 1 and log.step is not None and log.step.status is None
    log.feed(line("end", 1, 0), arrived_s=110)
    assert log.step.status == 0


@pytest.mark.parametrize("size", [1, 7, 65536])
def test_samples_are_the_same_in_pieces_of_any_size(size: int, fio: bytes, jobs: tuple[str, ...]) -> None:
    log = new_log()
    log.wanted_jobs = jobs
    whole = line("ready") + line("begin", 1) + fio + line("end", 1, 0)
    for start in range(0, len(whole), size):
        log.feed(whole[start : start + size], arrived_s=0)
    assert log.step is not None
    assert len(log.step.samples) >= 2
    assert log.step.status == 0 and log.step.error is None
    ends = [sample.end_s for sample in log.step.samples]
    assert ends == sorted(ends) and ends[0] > 1_600_000_000
    for before, after in zip(log.step.samples, log.step.samples[1:], strict=False):
        assert after.start_s == pytest.approx(before.end_s)


def test_a_new_step_drops_the_one_before(fio: bytes, jobs: tuple[str, ...]) -> None:
    log = new_log()
    log.wanted_jobs = jobs
    log.feed(line("ready") + line("begin", 1) + fio + line("end", 1, 0) + line("begin", 2), arrived_s=0)
    assert log.step is not None
    assert (log.number, log.step.samples, list(log.step.pieces())) == (2, [], [])


def test_what_fio_prints_is_kept_unchanged(fio: bytes, jobs: tuple[str, ...]) -> None:
    log = new_log()
    log.wanted_jobs = jobs
    log.feed(line("ready") + line("begin", 1) + fio + line("end", 1, 0), arrived_s=0)
    assert log.step is not None
    assert "".join(log.step.pieces()).strip() == fio.decode().strip()


def test_clock_is_known_from_the_least_delay() -> None:
    """The node is 90 s behind; one of its words came late."""
    log = new_log()
    for told, arrived_s in ((10, 100.2), (11, 101.1), (12, 104.9)):
        log.feed(line("clock", told), arrived_s=arrived_s)
    assert log.offset_s == pytest.approx(90.1)


def test_clock_told_after_a_step_counts_for_the_next() -> None:
    """The clock is set forward by 5 s during a step: what it told before no longer holds."""
    log = new_log()
    log.feed(line("clock", 100), arrived_s=100.1)
    log.feed(line("barrier", 1) + line("begin", 1) + line("end", 1, 0), arrived_s=101)
    assert log.offset_s == pytest.approx(0.1)
    log.feed(line("clock", 97), arrived_s=102.1)
    assert log.offset_s == pytest.approx(5.1)


def test_fio_documents_tell_the_clock_of_the_step(fio: bytes, jobs: tuple[str, ...]) -> None:
    stamps = [int(each) / 1000 for each in re.findall(r'"timestamp_ms"\s*:\s*(\d+)', fio.decode())]
    log = new_log()
    log.wanted_jobs = jobs
    log.feed(line("ready") + line("begin", 1) + fio, arrived_s=stamps[-1] + 3)
    assert log.step is not None and log.step.offset_s == pytest.approx(3)


@pytest.mark.parametrize(
    ("words", "field", "value"),
    [
        (("refused", 4), "refusal_status", 4),
        (("unwritten", 1), "unwritten", 1),
        (("restarted",), "has_restarted", True),
        (("over",), "over", True),
    ],
)
def test_what_keeps_a_pod_from_loading_is_seen(words: tuple[object, ...], field: str, value: object) -> None:
    log = new_log()
    log.feed(b"free: 12 KiB, expected: 64 KiB\n" + line(*words), arrived_s=0)
    assert getattr(log, field) == value
    assert "free: 12 KiB" in log.output


def test_a_failed_fio_leaves_its_status_and_its_words() -> None:
    log = new_log()
    log.feed(
        line("ready") + line("begin", 3) + b"fio: io_u error on file /volumes/1/x: Input/output error\n", arrived_s=0
    )
    log.feed(line("end", 3, 1), arrived_s=1)
    assert log.step is not None
    assert log.step.status == 1 and "Input/output error" in log.step.messages


def test_it_tells_whether_there_is_news() -> None:
    log = new_log()
    assert log.feed(line("ready"), arrived_s=0)
    assert not log.feed(line("clock", 100), arrived_s=100)
    assert log.feed(line("barrier", 1), arrived_s=101)
    assert log.feed(line("over"), arrived_s=1100)

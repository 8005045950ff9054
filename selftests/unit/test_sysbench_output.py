"""What sysbench prints, as recorded by `sysbench_outputs/record.py`: samples as they come, its own words, the text."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acceptance.loads.fio.samples import Counts
from acceptance.loads.sysbench.output import SysbenchOutput

FOLDER = Path(__file__).parent / "sysbench_outputs"
RECORDS = sorted(path.stem for path in FOLDER.glob("*.txt"))
HEAD = "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\nBlock size {size}\nThreads started!\n"
MIB = 1024**2


def recorded(name: str) -> bytes:
    return (FOLDER / f"{name}.txt").read_bytes()


def output(*pieces: bytes, close: bool = True) -> SysbenchOutput:
    found = SysbenchOutput()
    for piece in pieces:
        found.feed(piece)
    if close:
        found.close()
    return found


def report(second: int, *, read: str = "0.00", write: str = "0.00", sync: str = "0.00") -> str:
    return f"[ {second}s ] reads: {read} MiB/s writes: {write} MiB/s fsyncs: {sync}/s latency (ms,95%): 0.104\n"


def load(*reports: str, size: str = "16KiB") -> SysbenchOutput:
    return output((HEAD.format(size=size) + "".join(reports)).encode())


@settings(max_examples=20)
@given(data=st.data())
def test_the_pieces_in_which_output_comes_make_no_difference(data: st.DataObject) -> None:
    text = "größer als µ\n".encode() + recorded(data.draw(st.sampled_from(RECORDS)))
    places = sorted(data.draw(st.lists(st.integers(0, 30) | st.integers(0, len(text)), max_size=6)))
    pieced = output(*(text[first:last] for first, last in pairwise([0, *places, len(text)])))
    whole = output(text)
    assert pieced.samples == whole.samples
    assert ("".join(pieced.pieces()), pieced.messages, pieced.error) == (text.decode(), whole.messages, whole.error)


def test_a_whole_run_agrees_with_what_sysbench_sums_up_itself() -> None:
    found = output(recorded("whole"))
    assert (found.error, found.fio_version, found.messages) == (None, "sysbench 1.0.20", "sysbench printed no message")
    assert [sample.duration_s for sample in found.samples] == [1.0] * 4  # of five: the first is where to count from
    summary = {
        name: float(line.split()[-1])
        for line in "".join(found.pieces()).splitlines()
        for name in ("reads/s", "writes/s", "fsyncs/s", "written, MiB/s")
        if line.strip().startswith(f"{name}:")
    }
    total = sum(sample.duration_s for sample in found.samples)
    for direction, name in (("read", "reads/s"), ("write", "writes/s"), ("sync", "fsyncs/s")):
        rate = sum(sample.counts[direction].ios for sample in found.samples) / total
        assert rate == pytest.approx(summary[name], rel=0.25)  # theirs has the first second, too
    written = sum(sample.counts["write"].bytes for sample in found.samples) / total
    assert written / MIB == pytest.approx(summary["written, MiB/s"], rel=0.25)
    for sample in found.samples:
        assert sample.counts["write"].bytes / sample.counts["write"].ios == pytest.approx(16384, rel=1e-3)


def test_a_report_becomes_operations_and_bytes_by_the_size_of_a_block() -> None:
    found = load(report(1), report(2, read="3.00", write="1.50", sync="7.6"), size="1.5KiB")
    assert found.samples[0].counts == {
        "read": Counts(ios=2048, bytes=3 * MIB),
        "write": Counts(ios=1024, bytes=3 * MIB // 2),
        "sync": Counts(ios=8),
    }


@pytest.mark.parametrize(("size", "ios"), [("512B", 4096), ("4KiB", 512), ("2MiB", 1), ("1GiB", 0)])
def test_a_block_may_have_any_size(size: str, ios: int) -> None:
    assert load(report(1), report(2, read="2.00"), size=size).samples[0].counts["read"].ios == ios


def test_nothing_is_known_of_latency_in_one_direction() -> None:
    for counts in load(report(1), report(2, write="9.00")).samples[0].counts.values():
        assert (counts.latencies, counts.latency_sum_s, dict(counts.histogram)) == (0, 0.0, {})


def test_a_second_in_which_nothing_was_done_counts() -> None:
    found = load(report(1, write="5.00"), report(2), report(3, write="5.00"))
    assert [sample.counts["write"].bytes for sample in found.samples] == [0, 5 * MIB]


def test_a_report_that_is_missing_makes_a_longer_sample() -> None:
    (sample,) = load(report(1), report(4, write="2.00", sync="10.0")).samples
    assert (sample.duration_s, sample.counts["write"].bytes, sample.counts["sync"].ios) == (3.0, 6 * MIB, 30)


def test_samples_are_there_before_sysbench_has_ended() -> None:
    text = recorded("whole")
    found = output(text[: text.index(b"[ 4s ]") + 5], close=False)
    assert (len(found.samples), found.error) == (2, None)


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("no-space-for-files", "sysbench gave up before the load", "FATAL: Failed to write file! errno = 28 (No space"),
        ("no-space-during-load", "sysbench gave up during the load", "errno = 28 (No space left on device)"),
        ("missing-file", "sysbench gave up before the load", "WARNING: Did you forget to run the prepare step?"),
        ("rejected-option", None, "invalid option: --nonsense=1"),
        ("not-installed", None, "sysbench: not found"),
    ],
)
def test_what_went_wrong_is_told_in_sysbenchs_own_words(name: str, error: str | None, message: str) -> None:
    found = output(recorded(name))
    assert found.error == error
    assert message in found.messages
    assert not found.samples


def test_what_was_measured_before_a_failure_is_kept_and_nothing_after_it() -> None:
    found = load(report(1), report(2, write="1.00"), "FATAL: Failed to read file!\n", report(3, write="1.00"))
    assert (len(found.samples), found.error) == (1, "sysbench gave up during the load")


def test_a_run_that_was_ended_has_the_samples_until_then() -> None:
    found = output(recorded("killed"))
    assert (len(found.samples), found.error) == (3, None)


def test_a_report_that_breaks_off_is_an_error() -> None:
    text = recorded("killed").rstrip()
    assert output(text).error is None  # whole, but for the end of its line
    assert len(output(text).samples) == 3
    cut_off = output(text[:-40])
    assert (len(cut_off.samples), cut_off.error) == (2, "its output breaks off in the middle of a report")


def test_rates_without_the_size_of_a_block_are_an_error() -> None:
    found = output(("Threads started!\n" + report(1) + report(2)).encode())
    assert (found.samples, found.error) == ([], "sysbench reports a load before it has reported the block size")

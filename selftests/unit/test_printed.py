"""What a load prints is kept within bounds, unchanged as far as it is kept, and what is left out is said."""

from __future__ import annotations

import json
import random
import tracemalloc
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from acceptance.loads.fio.histogram import PackedHistogram
from acceptance.loads.fio.output import FioOutput
from acceptance.loads.fio.printed import BLOCK, Ends, PrintedText
from acceptance.measuring.load_log import MARK, LoadLog

# Each second of a load adds as much as the one before: this part of an hour takes its part of the memory.
PART_OF_AN_HOUR = 10
LOAD_S = 3600 // PART_OF_AN_HOUR
OPERATIONS = 2000
MIB = 1024**2


def test_an_hour_of_load_is_held_in_16_mib() -> None:
    log = LoadLog(new_output=lambda: FioOutput(jobs=["load"]))
    log.feed(f"{MARK} segment 0\n".encode())
    drawn = random.Random(1)
    seconds = [Counter(upper_end(drawn.lognormvariate(13, 0.6)) for _ in range(OPERATIONS)) for _ in range(30)]
    histogram: Counter[int] = Counter()
    for duration in seconds:
        histogram.update(duration)
    printed = 0
    tracemalloc.start()
    try:
        for second in range(LOAD_S + 1):
            histogram.update(seconds[second % len(seconds)])
            document = status(second, histogram)
            printed += len(document)
            log.feed(document)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(log.segments[0].samples) == LOAD_S
    assert all(sample.counts["write"].ios == OPERATIONS for sample in log.segments[0].samples)
    assert printed > 50 * MIB / PART_OF_AN_HOUR, "fio prints more"
    assert held < 16 * MIB / PART_OF_AN_HOUR
    assert sum(map(len, log.segments[0].pieces())) == printed


def upper_end(latency_ns: float) -> int:
    """Of the bin that it falls in: fio's are 1/64 of a power of two wide."""
    width = 1 << max(0, int(latency_ns).bit_length() - 7)
    return (int(latency_ns) // width + 1) * width - 1


def status(second: int, histogram: Counter[int]) -> bytes:
    """What fio prints after so many seconds, as it lays it out."""
    ios = histogram.total()
    latency = {"min": min(histogram), "max": max(histogram), "mean": 442413.4, "N": ios}
    bins = {"bins": {str(upper): histogram[upper] for upper in sorted(histogram)}}
    none = {"io_bytes": 0, "total_ios": 0, "runtime": 0, "lat_ns": {"N": 0, "mean": 0.0}}
    write = {"io_bytes": ios * 4096, "total_ios": ios, "runtime": second * 1000, "lat_ns": latency}
    job = {"jobname": "load", "error": 0, "read": none, "write": write | {"clat_ns": latency | bins}, "sync": none}
    document = {"fio version": "fio-3.33", "timestamp_ms": 1795248077858 + second * 1000, "jobs": [job]}
    return (json.dumps(document, indent=4) + "\n").encode()


@given(st.lists(st.tuples(st.text(), st.booleans()), max_size=30), st.text())
def test_what_is_within_bounds_is_unchanged(parts: list[tuple[str, bool]], rest: str) -> None:
    found = PrintedText()
    for text, is_result in parts:
        found.add(text, is_result=is_result)
    assert "".join(found.pieces(rest=rest)) == "".join(text for text, _ in parts) + rest


def test_of_what_is_no_result_both_ends_are_kept_and_the_rest_is_said_and_results_all() -> None:
    found = PrintedText(most=3 * BLOCK)
    messages = [f"message {number}".ljust(BLOCK - 1) + "\n" for number in range(10)]
    for number, message in enumerate(messages):
        found.add(message, is_result=False)
        found.add(f"{{{number}}}\n", is_result=True)
    kept = "".join(found.pieces())
    said = f"({4 * BLOCK:,} characters that are not results were left out here)\n"
    assert [message for message in messages if message in kept] == messages[:3] + messages[7:]
    assert kept.count("left out") == kept.count(f"{{2}}\n{said}{{3}}\n") == 1
    assert [index for index in range(10) if f"{{{index}}}\n" in kept] == list(range(10))


def test_what_stands_between_two_results_comes_in_one_piece_as_a_key_that_is_not_shown_may() -> None:
    found = PrintedText()
    for _ in range(3):
        found.add("x" * BLOCK, is_result=False)
    found.add("{}\n", is_result=True)
    assert [len(piece) for piece in found.pieces(rest="end")] == [3 * BLOCK, 3, 3]


def test_of_lines_both_ends_are_kept_and_how_many_are_not() -> None:
    found = Ends(most=30)
    for number in range(1000):
        found.append(f"line {number:03}")  # with its newline 9 characters
    assert found.lines == ["line 000", "line 001", "line 002", "(994 lines left out)"] + [
        f"line {number}" for number in (997, 998, 999)
    ]


def test_a_load_that_prints_nothing_but_errors_holds_little() -> None:
    log = LoadLog(new_output=lambda: FioOutput(jobs=["load"]))
    log.feed(f"{MARK} segment 0\n".encode())
    tracemalloc.start()
    try:
        for number in range(500):
            log.feed(b"fio: io_u error on file /data/file: Input/output error: write offset=%d\n" % number * 200)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 2 * MIB
    assert len(log.segments[0].messages) < 200_000 and "lines left out" in log.segments[0].messages


@given(st.dictionaries(st.integers(0, 2**64 - 1), st.integers(1, 2**64 - 1), max_size=20), st.integers(0, 2**64))
def test_a_packed_histogram_is_the_dict_that_it_was_made_of(plain: dict[int, int], other: int) -> None:
    packed = PackedHistogram(plain)
    assert packed == plain and plain == packed and dict(packed) == plain
    assert packed.get(other) == plain.get(other)
    assert (list(packed), len(packed)) == (sorted(plain), len(plain))
    assert Counter(packed) + Counter(plain) == Counter({upper: 2 * count for upper, count in plain.items()})

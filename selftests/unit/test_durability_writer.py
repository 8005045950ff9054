"""Writer and reader: the scripts with real shells, and what is made of their logs, whole or cut off."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.text.errors import EnvironmentFailure
from acceptance.trials.crashes.acknowledged_records import lost_records, record
from acceptance.trials.crashes.reading import END, RECORDS, WRITTEN_LINE, printed_records
from acceptance.trials.crashes.writer import script
from acceptance.trials.crashes.writer_log import WriterLog
from selftests.bounds import HANGS_S

TOKEN = "0123456789abcdef"
SHELLS = [words for words in (["sh"], ["busybox", "sh"]) if shutil.which(words[0])]


def environment(folder: Path, *, most: int) -> dict[str, str]:
    names = {
        "LEDGER": f"{folder}/records",
        "PROBE": f"{folder}/written-again",
        "TOKEN": TOKEN,
        "MOST": str(most),
        "LIMIT": "100000",
    }
    return os.environ | names


def write(folder: Path, *, shell: list[str], most: int) -> bytes:
    """What the writer prints until it is full, and is killed."""
    process = subprocess.Popen(
        [*shell, "-c", script("write_records.sh")],
        env=environment(folder, most=most),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    assert process.stdout is not None
    printed = b""
    while not printed.endswith(b" full\n"):
        line = process.stdout.readline()
        printed += line
        if not line:
            process.wait()
            return printed
    process.terminate()
    time.sleep(0.1)
    assert process.poll() is None, "whoever asks it to end must not be heard"
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return printed


def read(folder: Path, *, shell: list[str]) -> bytes:
    return subprocess.run(
        [*shell, "-c", script("read_records.sh")], env=environment(folder, most=1), stdout=subprocess.PIPE, check=False
    ).stdout


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_what_is_written_is_what_is_looked_for(shell: list[str], tmp_path: Path) -> None:
    log = WriterLog()
    log.feed(write(tmp_path, shell=shell, most=12))
    assert (log.acknowledged_count, log.failure, log.other_lines) == (12, "", "storage-acceptance: full\n")
    content = printed_records(read(tmp_path, shell=shell), pod="reader")
    assert content == b"".join(record(number, token=TOKEN) for number in range(1, 13))
    assert lost_records(content, token=TOKEN, acknowledged_count=12) == []


@pytest.mark.parametrize("most", [3, 20_000], ids=["when it is full", "while it writes"])
@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_where_it_is_evicted_it_ends_when_it_is_told_to(shell: list[str], most: int, tmp_path: Path) -> None:
    """Not by the force that ends who does not hear; what it acknowledged is there."""
    process = subprocess.Popen(
        [*shell, "-c", script("write_records.sh")],
        env=environment(tmp_path, most=most) | {"HEEDS_TERM": "yes"},
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    log, last = WriterLog(), b" full\n" if most == 3 else b" durable 3"
    for line in process.stdout:
        log.feed(line)
        if last in line:
            break
    process.terminate()
    log.feed(process.stdout.read() if most > 3 else b"")
    assert process.wait(timeout=HANGS_S) == 0
    with suppress(ProcessLookupError):  # its `sleep`, which the container's end ends
        os.killpg(process.pid, signal.SIGKILL)
    process.stdout.close()
    assert log.acknowledged_count >= 3
    content = (tmp_path / "records").read_bytes()
    assert lost_records(content, token=TOKEN, acknowledged_count=log.acknowledged_count) == []


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_a_record_that_cannot_be_made_durable_is_not_acknowledged(shell: list[str], tmp_path: Path) -> None:
    """A file that takes no more: the write fails, the writer says so and ends."""
    limited = script("write_records.sh").replace("number=0\n", "number=0\nulimit -f 1\ntrap '' XFSZ\n")
    done = subprocess.run(
        [*shell, "-c", limited],
        env=environment(tmp_path, most=50),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    log = WriterLog()
    log.feed(done.stdout)
    assert done.returncode == 1
    assert log.failure == f"record {log.acknowledged_count + 1}" and 0 < log.acknowledged_count < 50
    content = (tmp_path / "records").read_bytes()
    assert lost_records(content, token=TOKEN, acknowledged_count=log.acknowledged_count) == []


def test_nothing_is_acknowledged_before_it_was_made_durable(tmp_path: Path) -> None:
    """A sync of the data of the file comes between each record and its number; where it fails, no number comes."""
    programs = tmp_path / "programs"
    programs.mkdir()
    fake = programs / "sync"
    fake.write_text(
        f"""#!/bin/sh
echo "$* $(wc -l < {tmp_path}/records)" >> {tmp_path}/synced
[ "$(wc -l < {tmp_path}/records)" -lt 5 ]
"""
    )
    fake.chmod(0o755)
    done = subprocess.run(
        ["sh", "-c", script("write_records.sh")],
        env=environment(tmp_path, most=50) | {"PATH": f"{programs}:{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        check=False,
        timeout=HANGS_S,
    )
    log = WriterLog()
    log.feed(done.stdout)
    assert (log.acknowledged_count, log.failure) == (4, "record 5")
    synced = (tmp_path / "synced").read_text().splitlines()
    assert synced[:2] == [f"{tmp_path}/records 0", f"{tmp_path} 0"]
    assert synced[2:] == [f"-d {tmp_path}/records {count}" for count in range(1, 6)]


def test_an_image_without_the_programs_is_told(tmp_path: Path) -> None:
    """Not taken for storage that loses records."""
    (tmp_path / "sync").symlink_to(shutil.which("true") or "/bin/true")
    shell = shutil.which("sh") or "/bin/sh"
    done = subprocess.run(
        [shell, "-c", script("write_records.sh")],
        env=environment(tmp_path, most=3) | {"PATH": str(tmp_path)},
        stdout=subprocess.PIPE,
        check=False,
    )
    log = WriterLog()
    log.feed(done.stdout)
    assert (done.returncode, log.lacks, log.acknowledged_count) == (1, "sha256sum", 0)


def test_records_of_before_are_never_written_over(tmp_path: Path) -> None:
    (tmp_path / "records").write_text("another's")
    log = WriterLog()
    log.feed(write(tmp_path, shell=["sh"], most=3))
    assert (log.acknowledged_count, log.failure) == (0, "the file for the records")
    assert (tmp_path / "records").read_text() == "another's"


def test_a_file_that_is_gone_is_told_from_an_empty_one(tmp_path: Path) -> None:
    assert printed_records(read(tmp_path, shell=["sh"]), pod="reader") == b""
    (tmp_path / "records").touch()
    assert printed_records(read(tmp_path, shell=["sh"]), pod="reader") == b""
    assert (tmp_path / "written-again").exists()


PRINTED = b"".join(b"storage-acceptance: durable %d\n" % number for number in range(1, 30))


@given(st.integers(min_value=0, max_value=len(PRINTED)), st.integers(min_value=1, max_value=40))
def test_a_log_that_was_cut_off_demands_less_and_never_more(cut: int, piece: int) -> None:
    """A line counts when it is whole: `durable 2` may be the beginning of `durable 29`, and the reverse is no harm."""
    log = WriterLog()
    for begin in range(0, cut, piece):
        log.feed(PRINTED[begin : min(begin + piece, cut)])
    assert log.acknowledged_count == PRINTED[:cut].count(b"\n")


def test_lines_that_are_not_the_writers_acknowledge_nothing() -> None:
    log = WriterLog()
    log.feed(b"storage-acceptance: durable 3\nsh: storage-acceptance: durable 9\nstorage-acceptance: durable x\n")
    assert log.acknowledged_count == 3
    assert "durable 9" in log.other_lines


@given(st.binary(max_size=300))
def test_whatever_is_in_the_file_comes_out_of_the_readers_log(content: bytes) -> None:
    assert printed_records(WRITTEN_LINE + RECORDS + content + END, pod="reader") == content


@given(st.integers(min_value=0, max_value=len(WRITTEN_LINE + RECORDS + END)))
def test_a_readers_log_that_is_cut_off_is_no_loss_of_the_storage(cut: int) -> None:
    log = WRITTEN_LINE + RECORDS + record(1, token=TOKEN) + END
    with pytest.raises(EnvironmentFailure, match="is incomplete"):
        printed_records(log[: -cut or 0], pod="reader")

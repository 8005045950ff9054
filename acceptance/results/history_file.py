"""The history file of earlier runs: JSON lines that are only appended, also by several runs at the same time."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from acceptance import __version__
from acceptance.process.waiting import wait_until
from acceptance.results.history import SCHEMA_VERSION, AcceptedLevel, RunRecord
from acceptance.text.errors import EnvironmentFailure, WrongUsage

NAME = "history.jsonl"
"""The name of the history file in a folder that is given as the history."""
LOCK_TIMEOUT_S = 30.0
"""Writing a line takes milliseconds: a process that locks the file for longer is suspended, or is not this suite."""
_BEGINNING = b'{"schema_version":1,"run":"'  # also of a line that was cut off


@dataclass(frozen=True, kw_only=True)
class History:
    """Earlier runs by date, oldest first, the accepted levels, and the problems of all other lines."""

    path: Path
    runs: tuple[RunRecord, ...] = ()
    accepted_levels: tuple[AcceptedLevel, ...] = ()
    problems: tuple[str, ...] = field(default=())


def history_path(place: Path) -> Path:
    """Return the history file at `place`, a file or a folder. The file need not exist, but its folder must.

    Raises ValueError if no history can be at `place`.
    """
    path = place / NAME if place.is_dir() else place
    if not path.parent.is_dir():
        raise ValueError(
            f"expected a history file in a folder that exists, found {place}; create the folder {path.parent}"
        )
    if path.exists() and not path.is_file():
        raise ValueError(f"expected a history file or a folder for it, found {place}, which is neither; name another")
    return path


def read_history(path: Path) -> History:
    """Return the runs and accepted levels in the file at `path`; none if there is no such file yet.

    A damaged line, for example of a writer that was killed, is skipped and reported among the problems. Raises
    WrongUsage if the file cannot be read, is no history, or has lines of another schema.
    """
    try:
        with path.open("rb") as file, _file_lock(file.fileno(), fcntl.LOCK_SH, path):
            lines = file.read().split(b"\n")
    except FileNotFoundError:
        return History(path=path)
    except (OSError, EnvironmentFailure) as error:
        raise WrongUsage(f"{path}: expected a history that can be read, found: {error}; name another file") from error
    runs: dict[str, RunRecord] = {}
    levels: list[AcceptedLevel] = []
    problems: list[str] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        record = _record(line, where=f"{path}:{number}")
        if isinstance(record, RunRecord):
            runs[record.run] = record
        elif isinstance(record, AcceptedLevel):
            levels.append(record)
        else:
            problems.append(f"{record}; the line is ignored")
    if problems and not runs and not any(line.startswith(_BEGINNING) for line in lines):
        raise WrongUsage(f"{path}: expected a history, found a file without any line of one; name another file")
    problems += [
        f"{path}: expected the run {level.accepted}, the first of the level accepted on {level.date:%Y-%m-%d}, found "
        "no line of it; the level is ignored"
        for level in levels
        if level.accepted not in runs
    ]
    oldest_first = sorted(runs.values(), key=lambda run: run.date)
    return History(path=path, runs=tuple(oldest_first), accepted_levels=tuple(levels), problems=tuple(problems))


def append(path: Path, record: RunRecord | AcceptedLevel) -> None:
    """Append the run, or the level, to the file at `path`, and create the file if needed; durable on return.

    The line is appended in one write, under a lock. If another writer was killed in the middle of its line, this line
    begins on a new line. If there is no room for all of it, it is removed again. Raises EnvironmentFailure if it cannot
    be written.
    """
    line = record.model_dump_json().encode() + b"\n"
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            with _file_lock(descriptor, fcntl.LOCK_EX, path):
                _write_at_end(descriptor, line)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise EnvironmentFailure(f"history {path} cannot be written: {error.strerror or error}") from error


def _write_at_end(descriptor: int, line: bytes) -> None:
    size = os.fstat(descriptor).st_size
    if size and os.pread(descriptor, 1, size - 1) != b"\n":
        line = b"\n" + line
    try:
        written_bytes = os.write(descriptor, line)
        if written_bytes != len(line):
            raise OSError(f"only {written_bytes} of {len(line)} bytes could be written")
        os.fsync(descriptor)
    except OSError:
        os.ftruncate(descriptor, size)
        raise


@contextmanager
def _file_lock(descriptor: int, kind: int, path: Path) -> Iterator[None]:
    """Lock the file against writers, or against all other processes. Raises EnvironmentFailure if it stays locked."""

    def lock() -> bool:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    wait_until(f"history {path} to be unlocked by another process", lock, timeout_s=LOCK_TIMEOUT_S, otherwise="locked")
    try:
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def _record(line: bytes, *, where: str) -> RunRecord | AcceptedLevel | str:
    """Return the run or level of the line, or the problem with the line. Raises WrongUsage for another schema."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return f"{where}: expected a run as one line of JSON, found {len(line)} bytes that are not"
    if not isinstance(data, dict):
        return f"{where}: expected a run as one line of JSON, found other JSON"
    version = data.get("schema_version")
    if version != SCHEMA_VERSION:
        schema = "none" if version is None else f"version {version!r}, written by suite {data.get('suite_version')!r}"
        raise WrongUsage(
            f"{where}: expected a history of schema version {SCHEMA_VERSION}, found {schema}; this is suite "
            f"{__version__}: read it with the suite that wrote it, or name another file"
        )
    try:
        return (AcceptedLevel if "accepted" in data else RunRecord).model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        return f"{where}: expected a run of schema version {SCHEMA_VERSION}, found one with {place}: {first['msg']}"

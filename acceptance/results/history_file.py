"""The file of earlier runs: JSON lines that are only ever added to, by several runs at once if need be."""

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
"""The file of a folder that is named as a history."""
LOCK_TIMEOUT_S = 30.0
"""A line is written in milliseconds: whoever keeps the file for longer has been stopped, or does not run this suite."""
_BEGINNING = b'{"schema_version":1,"run":"'  # also of a line that was cut off


@dataclass(frozen=True, kw_only=True)
class History:
    """Earlier runs by their date, oldest first, the levels that were accepted, and what is wrong with other lines."""

    path: Path
    runs: tuple[RunRecord, ...] = ()
    accepted: tuple[AcceptedLevel, ...] = ()
    problems: tuple[str, ...] = field(default=())


def history_path(named: Path) -> Path:
    """The file that is meant: the one named, or that of the folder that is named. Neither need exist, its folder must.

    Raises ValueError for what can be no history.
    """
    path = named / NAME if named.is_dir() else named
    if not path.parent.is_dir():
        raise ValueError(f"wanted a history file in a folder that exists, found {named}; make the folder {path.parent}")
    if path.exists() and not path.is_file():
        raise ValueError(f"wanted a history file or a folder for it, found {named}, which is neither; name another")
    return path


def read_history(path: Path) -> History:
    """The runs and accepted levels in the file at `path`; none where there is no such file yet.

    A line that is damaged, as by a writer that was killed, is passed over and told among the problems. Raises
    WrongUsage for a file that cannot be read, is no history, or has lines of another schema.
    """
    try:
        with path.open("rb") as file, _locked(file.fileno(), fcntl.LOCK_SH, path):
            lines = file.read().split(b"\n")
    except FileNotFoundError:
        return History(path=path)
    except (OSError, EnvironmentFailure) as error:
        raise WrongUsage(f"{path}: wanted a history that can be read, found: {error}; name another file") from error
    runs: dict[str, RunRecord] = {}
    accepted: list[AcceptedLevel] = []
    problems: list[str] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        record = _record(line, where=f"{path}:{number}")
        if isinstance(record, RunRecord):
            runs[record.run] = record
        elif isinstance(record, AcceptedLevel):
            accepted.append(record)
        else:
            problems.append(f"{record}; the line is ignored")
    if problems and not runs and not any(line.startswith(_BEGINNING) for line in lines):
        raise WrongUsage(f"{path}: wanted a history, found a file without a line of one; name another file")
    problems += [
        f"{path}: wanted the run {each.accepted}, the first of the level accepted on {each.date:%Y-%m-%d}, found no "
        "line of it; the level is ignored"
        for each in accepted
        if each.accepted not in runs
    ]
    oldest_first = sorted(runs.values(), key=lambda run: run.date)
    return History(path=path, runs=tuple(oldest_first), accepted=tuple(accepted), problems=tuple(problems))


def append(path: Path, record: RunRecord | AcceptedLevel) -> None:
    """Add the run, or the level, to the file at `path`, which is made where there is none; durable when this returns.

    The line goes to the end in one write, under a lock. It begins anew where another writer was killed in the middle
    of its own, and is taken back where there is no room for the whole of it. Raises EnvironmentFailure where it cannot
    be written.
    """
    line = record.model_dump_json().encode() + b"\n"
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            with _locked(descriptor, fcntl.LOCK_EX, path):
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
        written = os.write(descriptor, line)
        if written != len(line):
            raise OSError(f"only {written} of {len(line)} bytes could be written")
        os.fsync(descriptor)
    except OSError:
        os.ftruncate(descriptor, size)
        raise


@contextmanager
def _locked(descriptor: int, kind: int, path: Path) -> Iterator[None]:
    """Hold the file against other writers, or against all others. Raises EnvironmentFailure if nobody lets it go."""

    def taken() -> bool:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    wait_until(f"history {path} to be unlocked by another process", taken, timeout_s=LOCK_TIMEOUT_S, otherwise="locked")
    try:
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def _record(line: bytes, *, where: str) -> RunRecord | AcceptedLevel | str:
    """The run or level that the line tells of, or what is wrong with it. WrongUsage for another schema."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return f"{where}: wanted a run as one line of JSON, found {len(line)} bytes that are not"
    if not isinstance(data, dict):
        return f"{where}: wanted a run as one line of JSON, found other JSON"
    version = data.get("schema_version")
    if version != SCHEMA_VERSION:
        found = "none" if version is None else f"version {version!r}, written by suite {data.get('suite_version')!r}"
        raise WrongUsage(
            f"{where}: wanted a history of schema version {SCHEMA_VERSION}, found {found}; this is suite "
            f"{__version__}: read it with the suite that wrote it, or name another file"
        )
    try:
        return (AcceptedLevel if "accepted" in data else RunRecord).model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        return f"{where}: wanted a run of schema version {SCHEMA_VERSION}, found one with {place}: {first['msg']}"

"""`accept-level`: accepts the level of a history from a given run on; earlier runs no longer count."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path

from acceptance import __version__
from acceptance.commands.command import Commands
from acceptance.commands.named_history import named_history
from acceptance.results.history import AcceptedLevel, RunRecord
from acceptance.results.history_file import History, append
from acceptance.text.errors import WrongUsage
from acceptance.text.sanitizing import on_one_line, sanitize

_MAX_LISTED_RUNS = 5  # runs that an error names, the latest


def add_accept_level(commands: Commands) -> None:
    """Add the command to the command line."""
    accept = commands.add_parser("accept-level", help="accept the level of a history from a given run on")
    accept.add_argument("history", type=Path, metavar="HISTORY", help="as given to --storage-history")
    accept.add_argument("--run", metavar="ID", required=True, help="the first run of the new level")
    accept.add_argument("--storage-class", metavar="NAME", help="only for this class; default: all classes")
    accept.add_argument("--profile", metavar="NAME", help="only for this profile; default: all profiles")
    accept.add_argument("--because", metavar="WORDS", help="what was changed: a note for readers of the history")
    accept.set_defaults(command=_accept_level)


def _accept_level(options: argparse.Namespace) -> int:
    history = named_history(options.history)
    run = _run(history, options.run)
    about = _about(run, storage_class=options.storage_class, profile=options.profile)
    level = AcceptedLevel(
        accepted=run.run,
        date=datetime.now(UTC),
        suite_version=__version__,
        storage_class=options.storage_class,
        profile=options.profile,
        because=options.because,
    )
    append(history.path, level)
    since = sum(record.date >= run.date for record in history.runs)
    print(
        sanitize(
            on_one_line(
                f"accepted: the level of {about} from run {run.run} of {run.date:%Y-%m-%d} on; the history has {since} "
                f"run{'s' * (since != 1)} at this level so far; later runs are no longer compared with earlier ones"
            )
        )
    )
    return 0


def _run(history: History, run_id: str) -> RunRecord:
    record = next((run for run in history.runs if run.run == run_id), None)
    if record is None:
        latest = ", ".join(f"{run.run} ({run.date:%Y-%m-%d})" for run in history.runs[-_MAX_LISTED_RUNS:]) or "none"
        raise WrongUsage(
            f"{history.path}: expected the id of a run in this history, found {run_id}; its latest runs are {latest}"
        )
    return record


def _about(run: RunRecord, *, storage_class: str | None, profile: str | None) -> str:
    """Return what the level is of, in words. Raise WrongUsage if the run has not measured it."""
    candidates = [measurement for measurement in run.measurements if measurement.role == "candidate"]
    matches = [
        measurement
        for measurement in candidates
        if storage_class in (None, measurement.storage_class) and profile in (None, measurement.profile)
    ]
    if not matches:
        there = (
            ", ".join(sorted({f"{measurement.profile} on {measurement.storage_class}" for measurement in candidates}))
            or "nothing"
        )
        target = f"{profile or 'a profile'} on {storage_class or 'a class'}"
        raise WrongUsage(f"expected what run {run.run} measured ({there}), found {target}; choose one of these")
    return f"{profile or 'all profiles'} on {storage_class or 'all classes'}"

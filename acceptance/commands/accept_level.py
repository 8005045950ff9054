"""`accept-level`: from a run on the level of a history is as it should be, whatever was before."""

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

_NAMED = 5  # runs that an error names, the latest


def add_accept_level(commands: Commands) -> None:
    """Add the command to the command line."""
    accept = commands.add_parser("accept-level", help="accept the level of a history from a given run on")
    accept.add_argument("history", type=Path, metavar="HISTORY", help="as given to --storage-history")
    accept.add_argument("--run", metavar="ID", required=True, help="the first run of the new level")
    accept.add_argument("--storage-class", metavar="NAME", help="of this class only; default: of all")
    accept.add_argument("--profile", metavar="NAME", help="of this profile only; default: of all")
    accept.add_argument("--because", metavar="WORDS", help="what was changed, for those who read the file")
    accept.set_defaults(command=_accept_level)


def _accept_level(chosen: argparse.Namespace) -> int:
    history = named_history(chosen.history)
    run = _run(history, chosen.run)
    about = _about(run, storage_class=chosen.storage_class, profile=chosen.profile)
    level = AcceptedLevel(
        accepted=run.run,
        date=datetime.now(UTC),
        suite_version=__version__,
        storage_class=chosen.storage_class,
        profile=chosen.profile,
        because=chosen.because,
    )
    append(history.path, level)
    since = sum(each.date >= run.date for each in history.runs)
    print(
        sanitize(
            on_one_line(
                f"accepted: the level of {about} from run {run.run} of {run.date:%Y-%m-%d} on, of which the history "
                f"has {since} run{'s' * (since != 1)} so far; later runs are no longer compared with earlier ones"
            )
        )
    )
    return 0


def _run(history: History, named: str) -> RunRecord:
    found = next((run for run in history.runs if run.run == named), None)
    if found is None:
        latest = ", ".join(f"{run.run} ({run.date:%Y-%m-%d})" for run in history.runs[-_NAMED:]) or "none"
        raise WrongUsage(
            f"{history.path}: wanted a run of this history, found no {named}; its latest runs are {latest}"
        )
    return found


def _about(run: RunRecord, *, storage_class: str | None, profile: str | None) -> str:
    """What the level is of, in words. Raises WrongUsage for what the run has not measured."""
    measured = [measurement for measurement in run.measurements if measurement.role == "candidate"]
    chosen = [
        each for each in measured if storage_class in (None, each.storage_class) and profile in (None, each.profile)
    ]
    if not chosen:
        there = ", ".join(sorted({f"{each.profile} on {each.storage_class}" for each in measured})) or "nothing"
        wanted = f"{profile or 'a profile'} on {storage_class or 'a class'}"
        raise WrongUsage(f"wanted {wanted} as run {run.run} measured it, found that it measured {there}")
    return f"{profile or 'all profiles'} on {storage_class or 'all classes'}"

"""`cleanup`: lists the objects that runs left in a cluster, and removes them."""

from __future__ import annotations

import argparse
import math
import sys

from acceptance.cluster.api import Api
from acceptance.cluster.cleanup import remove_run
from acceptance.cluster.leftovers import Leftover, find_leftovers
from acceptance.cluster.out_of_service import KEY, take_off
from acceptance.cluster.run_namespace import ALIVE_FOR_S, RENEW_EVERY_S
from acceptance.commands.command import Commands
from acceptance.commands.named_cluster import add_cluster_options, connect
from acceptance.process.interruption import hold_off_signals
from acceptance.text.errors import AcceptanceError
from acceptance.text.quantities import format_quantity
from acceptance.text.sanitizing import on_one_line, sanitize

REMOVAL_TIMEOUT_S = 300.0


def add_cleanup(commands: Commands) -> None:
    """Add the command to the command line."""
    cleanup = commands.add_parser("cleanup", help="list and remove the objects that runs left in a cluster")
    add_cluster_options(cleanup)
    cleanup.add_argument("--run", metavar="ID", help="remove only this run, even if it seems to be alive")
    cleanup.add_argument("--list", action="store_true", help="list only, remove nothing")
    cleanup.add_argument(
        "--warn-only",
        action="store_true",
        help="exit with 0 even if something could not be removed: for the first step of a scheduled run",
    )
    cleanup.set_defaults(command=_cleanup)


def _cleanup(options: argparse.Namespace) -> int:
    with connect(options) as api:
        return _clean(api, options)


def _clean(api: Api, options: argparse.Namespace) -> int:
    leftovers = find_leftovers(api)
    runs = [run for run in leftovers.runs if options.run in (None, run.run_id)]
    for strange in leftovers.strange:
        print(sanitize(on_one_line(strange)))
    if not runs:
        print("nothing to remove")
        return 0
    for run in runs:
        _list(run)
    if options.list:
        return 0
    outcomes = [_remove(api, run) for run in runs if options.run is not None or not _is_spared(run)]
    return 0 if all(outcomes) or options.warn_only else 1


def _is_spared(leftover: Leftover) -> bool:
    if leftover.alive:
        run_id = leftover.run_id
        print(f"run {run_id} is alive: not removed; {_until(leftover)}`--run {run_id}` removes it in any case")
    return leftover.alive


def _until(leftover: Leftover) -> str:
    """Return when a killed run counts as dead, in words; an empty text if that cannot be known."""
    if math.isinf(leftover.alive_for_s):
        return ""
    last_sign, remaining = (format_quantity(seconds, unit="s") for seconds in _last_and_remaining(leftover))
    return (
        f"its last heartbeat was {last_sign} ago, and a run sends one every {RENEW_EVERY_S} s: if it was killed, it "
        f"counts as dead in {remaining}, and `cleanup` then removes it; "
    )


def _last_and_remaining(leftover: Leftover) -> tuple[int, int]:
    """Return the age of the last sign of life and its remaining validity, in whole s."""
    left_s = max(1, math.ceil(leftover.alive_for_s))
    return max(0, ALIVE_FOR_S - left_s), left_s


def _remove(api: Api, leftover: Leftover) -> bool:
    """Remove all objects of a run; return whether none is left."""
    with hold_off_signals():
        try:
            if leftover.tainted_node and take_off(api, leftover.tainted_node, run_id=leftover.run_id):
                print(f"run {leftover.run_id}: removed the taint {KEY} from node {leftover.tainted_node}")
            messages = remove_run(api, run_id=leftover.run_id, timeout_s=REMOVAL_TIMEOUT_S)
        except AcceptanceError as error:
            print(f"run {leftover.run_id}: {error}", file=sys.stderr)
            return False
    for message in messages:
        print(sanitize(on_one_line(message)))
    print(f"run {leftover.run_id}: removed")
    return True


def _list(leftover: Leftover) -> None:
    print(f"run {leftover.run_id}{' (alive)' if leftover.alive else ''}:")
    for name in filter(None, (leftover.undo, *leftover.objects, *leftover.kept_volumes)):
        print(f"  {sanitize(on_one_line(name))}")

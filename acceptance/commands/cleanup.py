"""`cleanup`: lists what runs left in a cluster, and removes it."""

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
from acceptance.commands.named_cluster import add_cluster_options, connected
from acceptance.process.interruption import undisturbed
from acceptance.text.errors import AcceptanceError
from acceptance.text.quantities import format_quantity
from acceptance.text.sanitizing import on_one_line, sanitize

REMOVAL_TIMEOUT_S = 300.0


def add_cleanup(commands: Commands) -> None:
    """Add the command to the command line."""
    cleanup = commands.add_parser("cleanup", help="list what runs left in a cluster, and remove it")
    add_cluster_options(cleanup)
    cleanup.add_argument("--run", metavar="ID", help="remove this run only, even if it seems to be alive")
    cleanup.add_argument("--list", action="store_true", help="list only")
    cleanup.add_argument(
        "--warn-only",
        action="store_true",
        help="exit with 0 even if something could not be removed: for the first step of a scheduled run",
    )
    cleanup.set_defaults(command=_cleanup)


def _cleanup(chosen: argparse.Namespace) -> int:
    with connected(chosen) as api:
        return _clean(api, chosen)


def _clean(api: Api, chosen: argparse.Namespace) -> int:
    found = find_leftovers(api)
    runs = [run for run in found.runs if chosen.run in (None, run.run_id)]
    for strange in found.strange:
        print(sanitize(on_one_line(strange)))
    if not runs:
        print("nothing to remove")
        return 0
    for run in runs:
        _list(run)
    if chosen.list:
        return 0
    removed = [_removed(api, run) for run in runs if chosen.run is not None or not _is_spared(run)]
    return 0 if all(removed) or chosen.warn_only else 1


def _is_spared(leftover: Leftover) -> bool:
    if leftover.alive:
        run_id = leftover.run_id
        print(f"run {run_id} is alive: left alone; {_until(leftover)}`--run {run_id}` removes it anyway")
    return leftover.alive


def _until(leftover: Leftover) -> str:
    """When a run that was killed counts as dead; nothing where that cannot be known."""
    if math.isinf(leftover.alive_for_s):
        return ""
    last, left = (format_quantity(each, unit="s") for each in _last_and_left(leftover))
    return (
        f"its last sign of life was {last} ago, and a run gives one every {RENEW_EVERY_S} s: if it was killed, it "
        f"counts as dead in {left}, and `cleanup` then removes it; "
    )


def _last_and_left(leftover: Leftover) -> tuple[int, int]:
    """How long ago the last sign of life was, and how long it still holds, in whole s."""
    left_s = max(1, math.ceil(leftover.alive_for_s))
    return max(0, ALIVE_FOR_S - left_s), left_s


def _removed(api: Api, leftover: Leftover) -> bool:
    """Whether all that is the run's is gone."""
    with undisturbed():
        try:
            if leftover.tainted and take_off(api, leftover.tainted, run_id=leftover.run_id):
                print(f"run {leftover.run_id}: took the taint {KEY} off node {leftover.tainted}")
            kept = remove_run(api, run_id=leftover.run_id, timeout_s=REMOVAL_TIMEOUT_S)
        except AcceptanceError as error:
            print(f"run {leftover.run_id}: {error}", file=sys.stderr)
            return False
    for each in kept:
        print(sanitize(on_one_line(each)))
    print(f"run {leftover.run_id}: removed")
    return True


def _list(leftover: Leftover) -> None:
    print(f"run {leftover.run_id}{' (alive)' if leftover.alive else ''}:")
    for name in filter(None, (leftover.undone, *leftover.objects, *leftover.kept)):
        print(f"  {sanitize(on_one_line(name))}")

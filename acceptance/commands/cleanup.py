"""`cleanup`: lists what runs left in a cluster, and removes it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from acceptance import embedded
from acceptance.cluster.api import Api
from acceptance.cluster.cleanup import remove_run
from acceptance.cluster.kubeconfig import copy_kubeconfig, user_kubeconfigs
from acceptance.cluster.leftovers import Leftover, find_leftovers
from acceptance.commands.command import Commands
from acceptance.errors import AcceptanceError, WrongUsage
from acceptance.interruption import undisturbed
from acceptance.private_folder import private_folder

REMOVAL_TIMEOUT_S = 300.0


def add_cleanup(commands: Commands) -> None:
    """Add the command to the command line."""
    cleanup = commands.add_parser("cleanup", help="list what runs left in a cluster, and remove it")
    cleanup.add_argument("--kubeconfig", type=Path, help="of the cluster to clean; default: the embedded cluster")
    cleanup.add_argument("--context", help="of that file, or of the one that kubectl uses")
    cleanup.add_argument("--in-cluster", action="store_true", help="clean that of the pod that this runs in")
    cleanup.add_argument("--run", metavar="ID", help="remove this run only, even if it seems to be alive")
    cleanup.add_argument("--list", action="store_true", help="list only")
    cleanup.set_defaults(command=_cleanup)


def _cleanup(chosen: argparse.Namespace) -> int:
    with _connected(chosen) as api:
        return _clean(api, chosen)


def _clean(api: Api, chosen: argparse.Namespace) -> int:
    leftovers = find_leftovers(api)
    if chosen.run is not None:
        leftovers = [each for each in leftovers if each.run_id == chosen.run]
    if not leftovers:
        print("nothing to remove")
        return 0
    for each in leftovers:
        _list(each)
    if chosen.list:
        return 0
    failed = False
    for each in leftovers:
        if each.alive and chosen.run is None:
            print(f"run {each.run_id} is alive: left alone; `--run {each.run_id}` removes it all the same")
            continue
        with undisturbed():
            try:
                remove_run(api, run_id=each.run_id, timeout_s=REMOVAL_TIMEOUT_S)
                print(f"run {each.run_id}: removed")
            except AcceptanceError as error:
                failed = True
                print(f"run {each.run_id}: {error}", file=sys.stderr)
    return 1 if failed else 0


def _list(leftover: Leftover) -> None:
    print(f"run {leftover.run_id}{' (alive)' if leftover.alive else ''}:")
    for name in leftover.objects:
        print(f"  {name}")


@contextmanager
def _connected(chosen: argparse.Namespace) -> Iterator[Api]:
    """The cluster that was named; the embedded one where none was: no other is touched without being named."""
    if chosen.in_cluster:
        if chosen.kubeconfig or chosen.context:
            raise WrongUsage("--in-cluster means the cluster of this pod, --kubeconfig or --context another: give one")
        yield Api.from_service_account()
        return
    sources = [chosen.kubeconfig] if chosen.kubeconfig else user_kubeconfigs() if chosen.context else []
    if not sources:
        cluster = embedded.find()
        if cluster is None:
            raise WrongUsage(
                "no cluster named and no embedded one runs: name one with --kubeconfig FILE or --context NAME"
            )
        sources = [cluster.kubeconfig]
    with private_folder() as folder:
        private = folder / "kubeconfig"
        copy_kubeconfig(sources, private)
        api = Api.from_kubeconfig(private, context=chosen.context)
        api.version()  # a server that is not there is told sooner than one that goes away
        yield api

"""The cluster that a command is told of on its command line."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from acceptance.cluster.api import Api
from acceptance.cluster.api_requests import LOOK_RETRY_S
from acceptance.cluster.kubeconfig import user_kubeconfigs
from acceptance.process.private_folder import remove_abandoned
from acceptance.text.errors import WrongUsage


def add_cluster_options(parser: argparse.ArgumentParser) -> None:
    """The options that name a cluster, also as those of a run are spelled."""
    parser.add_argument(
        "--kubeconfig", "--storage-kubeconfig", type=Path, metavar="FILE", help="default: the embedded cluster's"
    )
    parser.add_argument(
        "--context", "--storage-context", metavar="NAME", help="of that file, or of the one that kubectl uses"
    )
    parser.add_argument(
        "--embedded-name", "--storage-embedded-name", metavar="NAME", help="which embedded cluster, where several run"
    )
    parser.add_argument("--in-cluster", action="store_true", help="the cluster of the pod that this runs in")


@contextmanager
def connected(chosen: argparse.Namespace, *, only_reads: bool = False) -> Iterator[Api]:
    """The cluster that was named; the embedded one where none was: no other is touched without being named.

    `only_reads`: an embedded one of another name is meant as well, if no other runs, and a server that does not answer
    is given up soon.
    """
    if chosen.in_cluster:
        if chosen.kubeconfig or chosen.context:
            raise WrongUsage("--in-cluster means the cluster of this pod, --kubeconfig or --context another: give one")
        yield Api.from_service_account()
        return
    if chosen.kubeconfig:
        sources = [chosen.kubeconfig]
    else:
        sources = user_kubeconfigs() if chosen.context else [_embedded_kubeconfig(chosen, only_reads=only_reads)]
    remove_abandoned()  # what killed runs left may hold keys
    api = Api.from_kubeconfig(*sources, context=chosen.context)
    # A server that is not there is told sooner than one that goes away.
    api.version(timeout_s=LOOK_RETRY_S if only_reads else None)
    yield api


def options_of(chosen: argparse.Namespace) -> list[str]:
    """The options that name the same cluster to a run, once it was connected to."""
    if chosen.in_cluster:
        return ["--storage-cluster=in-cluster"]
    named = (
        ("--storage-kubeconfig", chosen.kubeconfig),
        ("--storage-context", chosen.context),
        ("--storage-embedded-name", chosen.embedded_name),
    )
    return [f"{option}={value}" for option, value in named if value is not None]


def _embedded_kubeconfig(chosen: argparse.Namespace, *, only_reads: bool) -> Path:
    """That of the embedded cluster, which is asked as any other program. Raises WrongUsage where none runs here.

    The name of one that nobody named is kept in `chosen`.
    """
    of_name = ["--name", chosen.embedded_name] if chosen.embedded_name else []
    found = _embedded("kubeconfig", *of_name)
    names = (_embedded("names") or "").split() if found is None else []
    if found is None and not of_name and only_reads and len(names) == 1:
        chosen.embedded_name = names[0]
        found = _embedded("kubeconfig", "--name", names[0])
    if found is None:
        others = (
            f" (embedded clusters that run: {', '.join(names)}: name one with --embedded-name NAME)" if names else ""
        )
        which = (
            f"no embedded cluster {chosen.embedded_name} runs"
            if of_name
            else "no cluster named and no embedded one runs"
        )
        raise WrongUsage(f"{which}{others}: name one with --kubeconfig FILE or --context NAME")
    return Path(found)


def _embedded(*words: str) -> str | None:
    """What the embedded cluster's program prints; None where it fails, or is not there."""
    done = subprocess.run(
        [sys.executable, "-m", "embedded_cluster", *words], capture_output=True, text=True, check=False
    )
    return None if done.returncode else done.stdout.strip()

"""The cluster that a command is told of on its command line."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from acceptance.cluster.api import Api
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
    parser.add_argument("--in-cluster", action="store_true", help="the cluster of the pod that this runs in")


@contextmanager
def connected(chosen: argparse.Namespace) -> Iterator[Api]:
    """The cluster that was named; the embedded one where none was: no other is touched without being named."""
    if chosen.in_cluster:
        if chosen.kubeconfig or chosen.context:
            raise WrongUsage("--in-cluster means the cluster of this pod, --kubeconfig or --context another: give one")
        yield Api.from_service_account()
        return
    if chosen.kubeconfig:
        sources = [chosen.kubeconfig]
    else:
        sources = user_kubeconfigs() if chosen.context else [_embedded_kubeconfig()]
    remove_abandoned()  # what killed runs left may hold keys
    api = Api.from_kubeconfig(*sources, context=chosen.context)
    api.version()  # a server that is not there is told sooner than one that goes away
    yield api


def _embedded_kubeconfig() -> Path:
    """That of the embedded cluster, which is asked as any other program. Raises WrongUsage where none runs here."""
    words = [sys.executable, "-m", "embedded_cluster", "kubeconfig"]
    found = subprocess.run(words, capture_output=True, text=True, check=False)
    if found.returncode:
        raise WrongUsage("no cluster named and no embedded one runs: name one with --kubeconfig FILE or --context NAME")
    return Path(found.stdout.strip())

"""The cluster that the options of a command name."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from acceptance.cluster.api import Api
from acceptance.cluster.api_requests import LOOK_ANSWER_S, LOOK_RETRY_S
from acceptance.cluster.kubeconfig import user_kubeconfigs
from acceptance.process.private_folder import remove_abandoned
from acceptance.settings.offered import BY_KEY
from acceptance.text.errors import WrongUsage


def add_cluster_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that name a cluster, also in the spelling of a run's options, and from the same variables."""
    parser.add_argument(
        "--kubeconfig",
        "--storage-kubeconfig",
        type=Path,
        metavar="FILE",
        default=_from_environment("kubeconfig"),
        help="default: the embedded cluster's",
    )
    parser.add_argument(
        "--context",
        "--storage-context",
        metavar="NAME",
        default=_from_environment("context"),
        help="context of that file, or of the kubeconfig that kubectl uses",
    )
    parser.add_argument(
        "--embedded-name",
        "--storage-embedded-name",
        metavar="NAME",
        default=_from_environment("embedded"),
        help="embedded cluster, if several run",
    )
    parser.add_argument("--in-cluster", action="store_true", help="the cluster of the pod that this command runs in")


@contextmanager
def connect(options: argparse.Namespace, *, only_reads: bool = False) -> Iterator[Api]:
    """Yield a client of the cluster that the options name, else of the embedded one: no other is touched unnamed.

    `only_reads`: an embedded cluster of another name is used too, if it is the only one that runs, and a server that
    does not answer is given up soon.
    """
    if options.in_cluster:
        if options.kubeconfig or options.context:
            raise WrongUsage(
                "--in-cluster means the cluster of this pod, --kubeconfig or --context another one: give only one"
            )
        yield Api.from_service_account()
        return
    if options.kubeconfig:
        sources = [options.kubeconfig]
    else:
        sources = user_kubeconfigs() if options.context else [_embedded_kubeconfig(options, only_reads=only_reads)]
    remove_abandoned()  # folders of killed runs may hold keys
    api = Api.from_kubeconfig(*sources, context=options.context)
    # An unreachable server is reported sooner here than later, when it could also have stopped.
    if only_reads:
        api.within(LOOK_ANSWER_S).version(timeout_s=LOOK_RETRY_S)
    else:
        api.version()
    yield api


def options_of(options: argparse.Namespace) -> list[str]:
    """Return the options that name the same cluster to a run, after `connect`."""
    if options.in_cluster:
        return ["--storage-cluster=in-cluster"]
    pairs = (
        ("--storage-kubeconfig", options.kubeconfig),
        ("--storage-context", options.context),
        ("--storage-embedded-name", options.embedded_name),
    )
    return [f"{option}={value}" for option, value in pairs if value is not None]


def _from_environment(key: str) -> str | None:
    """Return the value of a run's option in the environment."""
    return next(filter(None, map(os.environ.get, BY_KEY[key].variables)), None)


def _embedded_kubeconfig(options: argparse.Namespace, *, only_reads: bool) -> Path:
    """Return the kubeconfig that the embedded cluster's program prints. Raise WrongUsage if no such cluster runs here.

    If the user named no cluster, the name of the one that runs is stored in `options`.
    """
    of_name = ["--name", options.embedded_name] if options.embedded_name else []
    kubeconfig = _run_embedded_cluster("kubeconfig", *of_name)
    names = (_run_embedded_cluster("names") or "").split() if kubeconfig is None else []
    if kubeconfig is None and not of_name and only_reads and len(names) == 1:
        options.embedded_name = names[0]
        kubeconfig = _run_embedded_cluster("kubeconfig", "--name", names[0])
    if kubeconfig is None:
        hint = f" (running embedded clusters: {', '.join(names)}: name one with --embedded-name NAME)" if names else ""
        problem = (
            f"no embedded cluster {options.embedded_name} is running"
            if of_name
            else "no cluster is named and no embedded cluster is running"
        )
        raise WrongUsage(f"{problem}{hint}: name one with --kubeconfig FILE or --context NAME")
    return Path(kubeconfig)


def _run_embedded_cluster(*words: str) -> str | None:
    """Return the output of the embedded cluster's program; None if it fails or is not installed."""
    process = subprocess.run(
        [sys.executable, "-m", "embedded_cluster", *words], capture_output=True, text=True, check=False
    )
    return None if process.returncode else process.stdout.strip()

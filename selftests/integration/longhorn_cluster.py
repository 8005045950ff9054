"""Longhorn itself for a file of tests: a cluster of its own, or one that runs already, which is left as it is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from acceptance.cluster.api import Api
from acceptance.cluster.longhorn_resources import LONGHORN_VOLUMES
from acceptance.cluster.objects import run_of
from acceptance.cluster.resources import Object
from acceptance.cluster.waiting import wait_for
from embedded_cluster.layout import Layout
from embedded_cluster.longhorn.part import NAMESPACE
from selftests.integration.own_cluster import OwnCluster
from selftests.integration.suite import SuiteRun, own_runs, runs_in

RUNNING = os.environ.get("SELFTEST_LONGHORN", "")
"""the name of a cluster with Longhorn that runs; one of a file's own takes minutes to start"""
# What a busy machine takes to build Longhorn from nothing.
LONGEST_S = 3600
# For Longhorn to be whole again after a fault, and to forget a volume.
WHOLE_S, FORGOTTEN_S = 420, 180
# For a run with one rebuild that Longhorn makes anew, on a busy machine.
RUN_S = 1200
# XFS has at least 300 MiB.
SIZES = ("--storage-volume-size", "512Mi", "--storage-test-size", "64Mi")


@contextmanager
def longhorn_cluster(name: str) -> Iterator[OwnCluster]:
    """A cluster of that name with Longhorn, for as long as the block."""
    own = OwnCluster(
        layout=Layout(RUNNING or name), options=("--with", "longhorn", "--short-timers"), longest_s=LONGEST_S
    )
    if RUNNING:
        yield own
        return
    own.down()
    try:
        own.up()
        yield own
    finally:
        own.down()


def volumes_of_runs(api: Api, *, reports: Path | None = None) -> list[Object]:
    """Longhorn's volumes of runs that this process has started; `reports`: of those that report there."""
    runs = own_runs() if reports is None else runs_in([reports])
    return [each for each in api.list(LONGHORN_VOLUMES, namespace=NAMESPACE) if run_of(_claimed_in(each)) in runs]


def _claimed_in(volume: Object) -> str:
    known = (volume.get("status") or {}).get("kubernetesStatus") or {}
    return str(known.get("namespace") or "")


def wait_forgotten(api: Api) -> None:
    """Until Longhorn has none of their volumes any more."""
    wait_for(
        "Longhorn to forget the volumes of the run",
        look=lambda: volumes_of_runs(api),
        ready=lambda seen: not seen,
        state=lambda seen: ", ".join(each["metadata"]["name"] for each in seen),
        timeout_s=FORGOTTEN_S,
    )


@contextmanager
def options_here(own: OwnCluster, api: Api) -> Iterator[tuple[str, ...]]:
    """The options for a run on this cluster; after the block nothing of it is left, and Longhorn is whole.

    Volumes are used on the first node; a fault of another one so ends no engine of theirs.
    """
    yield (f"--storage-embedded-name={own.layout.name}", f"--storage-node={own.layout.node(1).name}", *SIZES)
    wait_forgotten(api)
    own.wait_until_whole(seconds=WHOLE_S)


def said_in(run: SuiteRun) -> str:
    """All that it told: on the terminal, in its verdicts and in its errors."""
    return "\n".join([run.output, *(verdict["reason"] for verdict in run.results["verdicts"]), *run.results["errors"]])

"""A workspace on a running embedded cluster, for a benchmark, which leaves nothing behind."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import embedded_cluster
from acceptance.cluster.api import Api
from acceptance.cluster.cleanup import remove_run
from acceptance.cluster.objects import new_run_id
from acceptance.cluster.run_namespace import alive, create_namespace
from acceptance.cluster.workspace import Workspace

ROOT = Path(__file__).parents[1]
PROFILES = ROOT / "profiles"
TIMEOUT_S = 120
MODES = [
    f"{order}-{direction}-{figure}"
    for figure in ("iops", "bandwidth", "latency")
    for direction in ("read", "write")
    for order in ("random", "sequential")
]
"""The names of the profiles of kbench's twelve modes."""


@contextmanager
def opened_workspace(cluster_name: str) -> Iterator[Workspace]:
    """Yield the workspace. End the program with 10 if the cluster does not run."""
    cluster = embedded_cluster.find(cluster_name)
    if cluster is None:
        print("the embedded cluster does not run; start it with `python -m embedded_cluster up`", file=sys.stderr)
        raise SystemExit(10)
    api = Api.from_kubeconfig(cluster.kubeconfig)
    run_id = new_run_id(datetime.now(UTC))
    workspace = Workspace(
        api=api,
        run_id=run_id,
        namespace=create_namespace(api, run_id=run_id),
        image=cluster.image,
        timeout_s=TIMEOUT_S,
    )
    try:
        with alive(api, run_id=run_id):
            yield workspace
    finally:
        remove_run(api, run_id=run_id, timeout_s=TIMEOUT_S)

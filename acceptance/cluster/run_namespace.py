"""The run's own namespace: made with the `restricted` label and a lease that says the run is alive."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

from acceptance.cluster.api import Api
from acceptance.cluster.objects import labels, metadata, run_namespace
from acceptance.cluster.resources import LEASES, NAMESPACES
from acceptance.errors import AcceptanceError

LEASE = "run"
# Long enough for two machines whose clocks differ by some minutes.
ALIVE_FOR_S = 300
RENEW_EVERY_S = 30


def create_namespace(api: Api, *, run_id: str) -> str:
    """Make the run's namespace; its name."""
    name = run_namespace(run_id)
    level = {"pod-security.kubernetes.io/enforce": "restricted", "pod-security.kubernetes.io/warn": "restricted"}
    api.create(NAMESPACES, {"metadata": {"name": name, "labels": {**labels(run_id), **level}}})
    return name


@contextmanager
def alive(api: Api, *, run_id: str) -> Iterator[None]:
    """Hold and renew the run's lease, so that `cleanup` leaves a running run alone."""
    namespace = run_namespace(run_id)
    spec = {"holderIdentity": run_id, "leaseDurationSeconds": ALIVE_FOR_S, "renewTime": _now()}
    api.create(LEASES, {"metadata": metadata(LEASE, run_id=run_id), "spec": spec}, namespace=namespace)
    ended = threading.Event()

    def renew() -> None:
        while not ended.wait(RENEW_EVERY_S):
            with suppress(AcceptanceError):  # the next renewal comes before the lease runs out
                api.patch(LEASES, LEASE, {"spec": {"renewTime": _now()}}, namespace=namespace)

    thread = threading.Thread(target=renew, name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()


def is_alive(api: Api, *, namespace: str) -> bool:
    """Whether the run that owns the namespace renewed its lease in time, or is too young to have one.

    What cannot be read counts as alive: it is better to leave a dead run than to end a living one.
    """
    lease, existing = api.find(LEASES, LEASE, namespace=namespace), api.find(NAMESPACES, namespace)
    if lease is None and existing is None:
        return False
    try:
        last = lease["spec"]["renewTime"] if lease else (existing or {})["metadata"]["creationTimestamp"]
        return (datetime.now(UTC) - datetime.fromisoformat(last)).total_seconds() < ALIVE_FOR_S
    except (KeyError, TypeError, ValueError):
        return True


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")

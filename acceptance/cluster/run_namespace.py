"""The run's own namespace: created with the `restricted` label and a lease that shows that the run is alive."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

from acceptance.cluster.api import Api
from acceptance.cluster.objects import labels, metadata, run_namespace
from acceptance.cluster.other_runs import OtherRuns
from acceptance.cluster.resources import LEASES, NAMESPACES, Object
from acceptance.text.errors import AcceptanceError

LEASE = "run"
# An annotation of the lease: what the run has to restore, and the command that does.
UNDO = "storage-acceptance/undo"
# An annotation of the lease: the node that the run has tainted, or was about to.
TAINT_ANNOTATION = "storage-acceptance/tainted"
# Long enough for two machines whose clocks differ by some minutes.
ALIVE_FOR_S = 300
RENEW_EVERY_S = 10


def create_namespace(api: Api, *, run_id: str) -> str:
    """Create the run's namespace; return its name."""
    name = run_namespace(run_id)
    level = {"pod-security.kubernetes.io/enforce": "restricted", "pod-security.kubernetes.io/warn": "restricted"}
    api.create(NAMESPACES, {"metadata": {"name": name, "labels": {**labels(run_id), **level}}})
    return name


@contextmanager
def alive(api: Api, *, run_id: str, other_runs: OtherRuns | None = None) -> Iterator[None]:
    """Hold and renew the run's lease, so that `cleanup` leaves a running run alone, and `other_runs` know of it."""
    namespace = run_namespace(run_id)
    spec = {"holderIdentity": run_id, "leaseDurationSeconds": ALIVE_FOR_S, "renewTime": _now()}
    api.create(LEASES, {"metadata": metadata(LEASE, run_id=run_id), "spec": spec}, namespace=namespace)
    _greet(api, other_runs)
    end = threading.Event()

    def renew() -> None:
        lease = api.patch(LEASES, LEASE, {"spec": {"renewTime": _now()}}, namespace=namespace)
        if other_runs is not None:
            other_runs.take(lease)

    def keep_renewing() -> None:
        while not end.wait(RENEW_EVERY_S):
            with suppress(Exception):  # the next renewal is before the lease expires
                renew()

    thread = threading.Thread(target=keep_renewing, name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        end.set()
        if other_runs is not None:
            with suppress(Exception):
                renew()  # a short run since the last renewal wrote its id on the lease


def _greet(api: Api, other_runs: OtherRuns | None) -> None:
    """Find the runs that are alive, and write this run's id on the lease of each."""
    if other_runs is None:
        return
    for namespace in other_runs.namespaces():
        if is_alive(api, namespace=namespace):
            with suppress(AcceptanceError):  # the run has ended since
                api.patch(LEASES, LEASE, other_runs.word, namespace=namespace)
            other_runs.note(namespace)


def remember_undo(api: Api, *, namespace: str, component: str, how: str | None) -> None:
    """Record in the cluster what restores `component`, in case the run is killed before it does; None once it has.

    Raises ApiError, ApiUnreachable.
    """
    note = None if how is None else f"the run made {component} fail and did not restore it; run `{how}`"
    api.patch(LEASES, LEASE, {"metadata": {"annotations": {UNDO: note}}}, namespace=namespace)


def remember_taint(api: Api, *, namespace: str, node: str | None) -> None:
    """Record in the cluster which node the run taints, in case it is killed before it removes that; None once it has.

    Raises ApiError, ApiUnreachable.
    """
    api.patch(LEASES, LEASE, {"metadata": {"annotations": {TAINT_ANNOTATION: node}}}, namespace=namespace)


def read_undo(api: Api, *, namespace: str) -> tuple[str | None, str | None]:
    """Return what the run did not restore, with the command that does, in words; and the node it may have tainted."""
    lease = api.find(LEASES, LEASE, namespace=namespace) or {"metadata": {}}
    annotations = lease["metadata"].get("annotations") or {}
    return annotations.get(UNDO), annotations.get(TAINT_ANNOTATION)


def is_alive(api: Api, *, namespace: str) -> bool:
    """Return whether the run that owns the namespace renewed its lease in time, or is too young to have one."""
    return alive_for_s(api, namespace=namespace) > 0.0


def alive_for_s(api: Api, *, namespace: str) -> float:
    """Return for how long (s) the run that owns the namespace still counts as alive without renewing its lease.

    0.0 for a run that is dead, infinite if that cannot be known.

    The API server's clock alone decides: a run's own, and the caller's, may be wrong or jump. A lease that cannot be
    read counts as alive: it is better to leave a dead run than to end a living one.
    """
    lease, existing = api.find(LEASES, LEASE, namespace=namespace), api.find(NAMESPACES, namespace)
    if lease is None and existing is None:
        return 0.0
    try:
        last = _renewal_time(lease) if lease else (existing or {})["metadata"]["creationTimestamp"]
        return max(0.0, ALIVE_FOR_S - (api.now() - datetime.fromisoformat(last)).total_seconds())
    except (KeyError, TypeError, ValueError):
        return math.inf


def _renewal_time(lease: Object) -> str:
    """Return when the lease was last written, as the API server noted it, or else as the run says."""
    times = [str(field["time"]) for field in lease["metadata"].get("managedFields") or [] if field.get("time")]
    return max(times) if times else str(lease["spec"]["renewTime"])


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")

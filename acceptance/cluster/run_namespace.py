"""The run's own namespace: made with the `restricted` label and a lease that says the run is alive."""

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
# Of the lease: what the run has to bring back, and the command that does.
UNDO = "storage-acceptance/undo"
# Of the lease: the node that the run has tainted, or was about to.
TAINTED = "storage-acceptance/tainted"
# Long enough for two machines whose clocks differ by some minutes.
ALIVE_FOR_S = 300
RENEW_EVERY_S = 10


def create_namespace(api: Api, *, run_id: str) -> str:
    """Make the run's namespace; its name."""
    name = run_namespace(run_id)
    level = {"pod-security.kubernetes.io/enforce": "restricted", "pod-security.kubernetes.io/warn": "restricted"}
    api.create(NAMESPACES, {"metadata": {"name": name, "labels": {**labels(run_id), **level}}})
    return name


@contextmanager
def alive(api: Api, *, run_id: str, others: OtherRuns | None = None) -> Iterator[None]:
    """Hold and renew the run's lease, so that `cleanup` leaves a running run alone, and `others` know of it."""
    namespace = run_namespace(run_id)
    spec = {"holderIdentity": run_id, "leaseDurationSeconds": ALIVE_FOR_S, "renewTime": _now()}
    api.create(LEASES, {"metadata": metadata(LEASE, run_id=run_id), "spec": spec}, namespace=namespace)
    _greet(api, others)
    ended = threading.Event()

    def renew() -> None:
        lease = api.patch(LEASES, LEASE, {"spec": {"renewTime": _now()}}, namespace=namespace)
        if others is not None:
            others.take(lease)

    def keep_renewing() -> None:
        while not ended.wait(RENEW_EVERY_S):
            with suppress(Exception):  # the next renewal comes before the lease runs out
                renew()

    thread = threading.Thread(target=keep_renewing, name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        if others is not None:
            with suppress(Exception):
                renew()  # one that came and went since the last renewal left word on the lease


def _greet(api: Api, others: OtherRuns | None) -> None:
    """Find the runs that are alive, and leave word on the lease of each."""
    if others is None:
        return
    for namespace in others.namespaces():
        if is_alive(api, namespace=namespace):
            with suppress(AcceptanceError):  # it has ended since
                api.patch(LEASES, LEASE, others.word, namespace=namespace)
            others.note(namespace)


def remember_undo(api: Api, *, namespace: str, what: str, how: str | None) -> None:
    """Have the cluster know what brings `what` back, should the run be killed before it does; None once it has.

    Raises ApiError, ApiUnreachable.
    """
    noted = None if how is None else f"the run made {what} fail and did not bring it back; run `{how}`"
    api.patch(LEASES, LEASE, {"metadata": {"annotations": {UNDO: noted}}}, namespace=namespace)


def remember_taint(api: Api, *, namespace: str, node: str | None) -> None:
    """Have the cluster know which node the run taints, should it be killed before it takes that off; None once it has.

    Raises ApiError, ApiUnreachable.
    """
    api.patch(LEASES, LEASE, {"metadata": {"annotations": {TAINTED: node}}}, namespace=namespace)


def undone(api: Api, *, namespace: str) -> tuple[str | None, str | None]:
    """What the run of the namespace did not bring back, with the command that does, in words; and the node that it may
    have left tainted.
    """
    lease = api.find(LEASES, LEASE, namespace=namespace) or {"metadata": {}}
    noted = lease["metadata"].get("annotations") or {}
    return noted.get(UNDO), noted.get(TAINTED)


def is_alive(api: Api, *, namespace: str) -> bool:
    """Whether the run that owns the namespace renewed its lease in time, or is too young to have one."""
    return alive_for_s(api, namespace=namespace) > 0.0


def alive_for_s(api: Api, *, namespace: str) -> float:
    """For how long (s) the run that owns the namespace still counts as alive if it does not renew its lease.

    0.0 for a run that is dead, infinite where that cannot be known.

    By the API server's clock alone: a run's own, and that of whoever asks, may be wrong or jump. What cannot be read
    counts as alive: it is better to leave a dead run than to end a living one.
    """
    lease, existing = api.find(LEASES, LEASE, namespace=namespace), api.find(NAMESPACES, namespace)
    if lease is None and existing is None:
        return 0.0
    try:
        last = _renewed(lease) if lease else (existing or {})["metadata"]["creationTimestamp"]
        return max(0.0, ALIVE_FOR_S - (api.now() - datetime.fromisoformat(last)).total_seconds())
    except (KeyError, TypeError, ValueError):
        return math.inf


def _renewed(lease: Object) -> str:
    """When the lease was last written, as the API server noted it; as the run says where it did not."""
    written = [str(field["time"]) for field in lease["metadata"].get("managedFields") or [] if field.get("time")]
    return max(written) if written else str(lease["spec"]["renewTime"])


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")

"""Other runs of the suite on the same cluster at the same time: they disturb the measurement, so each is reported."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

from acceptance.cluster.api import Api
from acceptance.cluster.objects import MANAGER, MANAGER_LABEL, NAMESPACE_PREFIX, RUN_LABEL, name_of, run_namespace
from acceptance.cluster.resources import NAMESPACES, PODS, Object
from acceptance.text.errors import AcceptanceError

# A run writes its id on the leases of the runs that it meets, so that they know of it however short it is.
_WORD = "beside.storage-acceptance/"


class OtherRuns:
    """The other runs that a run met. Calls `warn` with the id of each and a message; again once both share a node."""

    def __init__(self, api: Api, *, run_id: str, warn: Callable[[str, str], None]) -> None:
        self._api = api
        self._namespace = run_namespace(run_id)
        self._warn = warn
        self._neighbors: set[str] = set()
        self._nodes: dict[str, set[str]] = {}
        self._lock = threading.Lock()
        self.word: Object = {"metadata": {"annotations": {_WORD + run_id: "is on this cluster too"}}}

    def namespaces(self) -> list[str]:
        """Return the namespaces of all other runs of the cluster, alive or not."""
        items = self._api.list(NAMESPACES, labels=f"{MANAGER_LABEL}={MANAGER},{RUN_LABEL}")
        return [name for name in map(name_of, items) if name.startswith(NAMESPACE_PREFIX) and name != self._namespace]

    def note(self, namespace: str) -> None:
        """Record that the run of that namespace is alive alongside this one."""
        with self._lock:
            self._neighbors.add(namespace)
            self._look()

    def take(self, lease: Object) -> None:
        """Read which runs wrote their id on this run's lease, and where the runs that were met have their pods now."""
        words = lease["metadata"].get("annotations") or {}
        with self._lock:
            self._neighbors |= {run_namespace(key.removeprefix(_WORD)) for key in words if key.startswith(_WORD)}
            self._look()

    def _look(self) -> None:
        if not self._neighbors:
            return
        with suppress(AcceptanceError):  # their existence is known, if not their nodes
            # All pods of the cluster, every few seconds, only for a message: the server's cache is good enough.
            for pod in self._api.list(PODS, labels=f"{MANAGER_LABEL}={MANAGER}", slim=_place, from_cache=True):
                if pod["spec"]["nodeName"]:
                    self._nodes.setdefault(pod["metadata"]["namespace"], set()).add(pod["spec"]["nodeName"])
        own_nodes = self._nodes.get(self._namespace, set())
        for namespace in self._neighbors:
            run_id = namespace.removeprefix(NAMESPACE_PREFIX)
            self._warn(run_id, _sentence(run_id, own_nodes & self._nodes.get(namespace, set())))


def _sentence(run_id: str, shared_nodes: set[str]) -> str:
    where = f", with pods on the same nodes ({', '.join(sorted(shared_nodes))})" if shared_nodes else ""
    return (
        f"another run of this suite, {run_id}, was on this cluster at the same time{where}: each disturbed the "
        "other's measurements, so the storage may be better than the figures; run them one after the other"
    )


def _place(pod: Object) -> Object:
    return {
        "metadata": {"namespace": pod["metadata"]["namespace"]},
        "spec": {"nodeName": pod["spec"].get("nodeName")},
    }

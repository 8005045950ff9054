"""Volumes and attachments of other users on an embedded cluster, by the ten thousand; removed after the benchmark."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Self, TypeVar

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.objects import name_of, only_name
from acceptance.cluster.resources import ATTACHMENTS, NAMESPACES, SERVICE_ACCOUNTS, VOLUMES, Object
from acceptance.cluster.waiting import wait_for
from selftests.lab.components import stopped

NAME = "large-cluster"
LABELS = {"storage-acceptance-benchmark": NAME}
SELECTOR = f"storage-acceptance-benchmark={NAME}"
CONTROLLERS = "kube-controller-manager"
WORKERS = 8
# Together with what the API server adds, a volume is then some 2 KiB of JSON, as volumes of CSI drivers are.
PADDING = "x" * 1200
CLAIM_UID = "00000000-0000-4000-8000-{:012}"
TIMEOUT_S = 300
Item = TypeVar("Item")


class OthersVolumes:
    """Volumes that `grow` creates in a `with` block, and that its end removes; those of an earlier benchmark go first.

    It sends at most `rate_per_s` requests a second; one `grow` takes at most `most_s`. Meanwhile the cluster's
    controllers do not run: they would write each volume once, and release none before they have looked at it.
    """

    def __init__(self, api: Api, *, cluster: str, rate_per_s: float, most_s: float) -> None:
        self._api = api
        self._cluster = cluster
        self._most_s = most_s
        self._pace = _Pace(rate_per_s)
        self._volumes = self._attachments = 0

    def __enter__(self) -> Self:
        self._remove()
        return self

    def __exit__(self, *exception: object) -> None:
        self._remove()

    def grow(self, *, volumes: int, attachments: int) -> None:
        """Create volumes and attachments up to these totals. Raise TimeoutError if that takes too long."""
        began_s = time.monotonic()
        with stopped(self._cluster, CONTROLLERS):
            self._do(self._make_volume, range(self._volumes, volumes), until_s=began_s + self._most_s)
            self._do(self._make_attachment, range(self._attachments, attachments), until_s=began_s + self._most_s)
        self._volumes, self._attachments = volumes, attachments
        self._see_controllers_run()
        took_s = time.monotonic() - began_s
        print(f"{volumes} volumes and {attachments} attachments of other users exist after {took_s:.0f} s", flush=True)

    def _do(self, step: Callable[[Item], None], over: Iterable[Item], *, until_s: float = float("inf")) -> None:
        def in_time(item: Item) -> None:
            if time.monotonic() > until_s:
                raise TimeoutError("creating volumes takes longer than --most-minutes: request fewer volumes")
            step(item)

        with ThreadPoolExecutor(WORKERS) as pool:
            for _ in pool.map(in_time, over):
                pass

    def _make_volume(self, number: int) -> None:
        """Create a retained volume whose PVC is deleted: it is printed as long as a bound one."""
        name = _volume(number)
        claim = {"namespace": f"shop-{number % 200}", "name": f"data-{number}", "uid": CLAIM_UID.format(number)}
        spec: Object = {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "shop",
            "persistentVolumeReclaimPolicy": "Retain",
            "claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", **claim},
            # No driver attaches it, and no controller looks for one.
            "hostPath": {"path": "/nowhere"},
        }
        self._pace.wait()
        self._api.create(VOLUMES, {"metadata": _metadata(name, annotations={"shop/notes": PADDING}), "spec": spec})
        self._pace.wait()
        self._api.patch(VOLUMES, f"{name}/status", {"status": {"phase": "Released"}})

    def _make_attachment(self, number: int) -> None:
        source = {"persistentVolumeName": _volume(number)}
        spec = {"attacher": "shop.example.com", "nodeName": f"shop-{number % 200}", "source": source}
        self._pace.wait()
        self._api.create(ATTACHMENTS, {"metadata": _metadata(f"{NAME}-csi-{number:06}"), "spec": spec})

    def _remove(self) -> None:
        there = {
            resource: [name_of(item) for item in self._api.list(resource, labels=SELECTOR, slim=only_name)]
            for resource in (ATTACHMENTS, VOLUMES)
        }
        if not any(there.values()):
            return
        began_s = time.monotonic()
        with stopped(self._cluster, CONTROLLERS):
            self._do(self._remove_attachment, there[ATTACHMENTS])
            self._do(self._remove_volume, there[VOLUMES])
        self._volumes = self._attachments = 0
        print(f"{sum(map(len, there.values()))} objects were removed in {time.monotonic() - began_s:.0f} s", flush=True)

    def _remove_attachment(self, name: str) -> None:
        self._pace.wait()
        self._api.delete(ATTACHMENTS, name)

    def _remove_volume(self, name: str) -> None:
        self._pace.wait()
        self._api.delete(VOLUMES, name)
        self._pace.wait()
        try:
            self._api.patch(VOLUMES, name, {"metadata": {"finalizers": None}})  # of a controller that does not run
        except ApiError as error:
            if error.status != 404:
                raise

    def _see_controllers_run(self) -> None:
        """Wait until they create the account of a new namespace, and delete the namespace again."""
        name = f"{NAME}-{self._volumes}"
        self._api.create(NAMESPACES, {"metadata": _metadata(name)})
        wait_for(
            "the controllers to create a ServiceAccount",
            look=lambda: self._api.find(SERVICE_ACCOUNTS, "default", namespace=name),
            ready=lambda account: account is not None,
            state=lambda account: "exists" if account else "none",
            timeout_s=TIMEOUT_S,
        )
        self._api.delete(NAMESPACES, name)
        wait_for(
            f"namespace {name} to be deleted",
            look=lambda: self._api.find(NAMESPACES, name),
            ready=lambda namespace: namespace is None,
            state=lambda namespace: "exists" if namespace else "deleted",
            timeout_s=TIMEOUT_S,
        )


class _Pace:
    """An upper bound of requests a second, of all threads together."""

    def __init__(self, rate_per_s: float) -> None:
        self._apart_s = 1 / rate_per_s
        self._next_s = 0.0
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Wait until it is the caller's turn."""
        with self._lock:
            turn_s = max(self._next_s, time.monotonic())
            self._next_s = turn_s + self._apart_s
        time.sleep(max(0.0, turn_s - time.monotonic()))


def _volume(number: int) -> str:
    return f"{NAME}-pvc-{number:06}"


def _metadata(name: str, **more: Object) -> Object:
    return {"name": name, "labels": LABELS, **more}

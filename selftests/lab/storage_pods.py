"""A storage system that needs its own pods: while they are away it stands still, and what they do wrong is chosen.

Its pods, in a namespace of their own, do nothing by themselves: whoever looks after them here stops the disk below its
class, and its provisioner, for as long as there is no Ready pod of the part.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from acceptance.cluster.api import Api
from acceptance.cluster.resources import CONFIG_MAPS, NAMESPACES, PODS, Resource
from acceptance.cluster.waiting import wait_for
from acceptance.settings.pod_selectors import PodSelector
from acceptance.text.errors import AcceptanceError
from selftests.lab.disks import StallingDisk, stalling_disk
from selftests.lab.provisioner import LabClass, lab_classes

NAMESPACE = "lab-storage"
CLASS = "lab-storage-pods"
PARTS = ("data", "provisioner")
SELECTORS = tuple(PodSelector(namespace=NAMESPACE, labels=f"lab-part={part}") for part in PARTS)
DEPLOYMENTS = Resource(prefix="apis/apps/v1", plural="deployments")
LOOK_S = 0.2
CUT = 5
"""records that a volume loses"""
STILL_S = 3.0
"""for which the disk is not served after its pod is Ready: more than a busy machine keeps a record waiting"""
STALL_S = 8.0
"""the same at fault"""
Fault = Literal["stalls", "forgets", "provisions-no-more", "stays-away"]


@dataclass(frozen=True, kw_only=True)
class StoragePods:
    """Looks after the pods, and is at fault in one way, or in none. `provisions` is set while volumes are made."""

    api: Api
    disk: StallingDisk
    fault: Fault | None
    provisions: threading.Event
    ended: threading.Event

    def look_after(self) -> None:
        """Until it is ended: stop what has no pod, and let go on what has."""
        served, seen = True, dict[str, str]()
        while not self.ended.wait(LOOK_S):
            with suppress(AcceptanceError, OSError):  # seen again at the next turn
                ready = {part: self.ready(part) for part in PARTS}
                lost = {part for part in PARTS if seen.get(part) and ready[part] != seen[part]}
                seen |= {part: uid for part, uid in ready.items() if uid}
                if "data" in lost and served:
                    self._cut()
                    self.disk.stop()
                    served = False
                if ready["data"] and not served:
                    self.ended.wait(STALL_S if self.fault == "stalls" else STILL_S)
                    self.disk.go_on()
                    served = True
                if "provisioner" in lost or not ready["provisioner"]:
                    self.provisions.clear()
                elif self.fault != "provisions-no-more" or not seen.get("killed"):
                    self.provisions.set()
                if "provisioner" in lost:
                    seen["killed"] = "yes"

    def ready(self, part: str) -> str:
        """The uid of a Ready pod of the part, or nothing."""
        for pod in self.api.list(PODS, namespace=NAMESPACE, labels=f"lab-part={part}"):
            conditions = {condition["type"]: condition["status"] for condition in pod["status"].get("conditions") or []}
            if conditions.get("Ready") == "True" and not pod["metadata"].get("deletionTimestamp"):
                return str(pod["metadata"]["uid"])
        return ""

    def _cut(self) -> None:
        """Volumes are as they were some records ago."""
        if self.fault == "forgets":
            for records in self.disk.folder.glob("lab-*/records"):
                content = records.read_bytes()
                kept = content.splitlines(keepends=True)[:-CUT]
                with records.open("r+b") as file:
                    file.truncate(sum(map(len, kept)))


@contextmanager
def storage_with_pods(api: Api, folder: Path, *, fault: Fault | None = None) -> Iterator[None]:
    """The class, and the pods that it needs, until the block ends."""
    with ExitStack() as undo:
        disk = undo.enter_context(stalling_disk(folder, size="1G"))
        found = StoragePods(api=api, disk=disk, fault=fault, provisions=threading.Event(), ended=threading.Event())
        undo.callback(_remove, api)
        _make(api, stays_away=fault == "stays-away")
        thread = threading.Thread(target=found.look_after, daemon=True)
        undo.enter_context(lab_classes(api, [LabClass(name=CLASS, folder=disk.folder, only_while=found.provisions)]))
        undo.callback(thread.join)
        undo.callback(found.ended.set)
        thread.start()
        wait_for(
            "the pods of the lab's storage to be Ready",
            look=lambda: [found.ready(part) for part in PARTS],
            ready=all,
            state=str,
            timeout_s=120,
        )
        yield


def _make(api: Api, *, stays_away: bool) -> None:
    image = api.get(CONFIG_MAPS, "storage-acceptance", namespace="kube-public")["data"]["image"]
    api.create(NAMESPACES, {"metadata": {"name": NAMESPACE}})
    owner = api.create(CONFIG_MAPS, {"metadata": {"name": "owner"}}, namespace=NAMESPACE)
    for part in PARTS:
        labels = {"lab-part": part}
        container = {"name": "part", "image": image, "command": ["sleep", "3600"]}
        pod = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
        if part == "provisioner" and stays_away:
            reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"]}
            metadata = {"name": part, "labels": labels, "ownerReferences": [reference]}
            api.create(PODS, {**pod, "metadata": metadata}, namespace=NAMESPACE)
            continue
        spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": pod}
        api.create(DEPLOYMENTS, {"metadata": {"name": part}, "spec": spec}, namespace=NAMESPACE)


def _remove(api: Api) -> None:
    api.delete(NAMESPACES, NAMESPACE)
    wait_for(
        "the namespace of the lab's storage to be gone",
        look=lambda: api.find(NAMESPACES, NAMESPACE),
        ready=lambda seen: seen is None,
        state=lambda seen: "there",
        timeout_s=120,
    )

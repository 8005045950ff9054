"""A volume of a run on objects in memory, which the lab's controller changes as Longhorn does."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import Any

from acceptance.cluster.longhorn_resources import LONGHORN_VOLUMES, REPLICAS
from acceptance.cluster.resources import VOLUMES
from acceptance.cluster.waiting import wait_for
from acceptance.results.clusters import StorageClass
from acceptance.results.rebuilds import TimedRebuild
from acceptance.trials.rebuild.driver import TargetVolume
from acceptance.trials.rebuild.following import Timeouts, follow_rebuild
from acceptance.trials.rebuild.longhorn_api import Trigger
from acceptance.trials.rebuild.longhorn_driver import LonghornDriver
from acceptance.trials.rebuild.longhorn_rebuild import LonghornRebuild
from selftests.bounds import HANGS_S
from selftests.lab.longhorn_controller import NAMESPACE, POLL_S, controller
from selftests.lab.longhorn_volume import Behaviour
from selftests.unit.paged_api_server import Clock
from selftests.unit.simulated_api import SimulatedApi

CLAIM = {"namespace": "run-1", "name": "rebuild-full-data"}
VOLUME = TargetVolume(
    volume="pvc-1", claim=CLAIM["name"], namespace="run-1", storage_class="longhorn", node="store-1", size=1024**3
)
QUICK: dict[str, Any] = {"rebuild_s": 1.0, "looks_s": 0.1, "purge_s": 0.1}


def storage_class(**parameters: str) -> StorageClass:
    return StorageClass(
        name="longhorn",
        provisioner="driver.longhorn.io",
        parameters=parameters,
        binding_mode="Immediate",
        reclaim_policy="Delete",
        allow_expansion=True,
        default=False,
    )


def driver(
    api: SimulatedApi, trigger: Trigger | None = None, *, move_timeout_s: float = 15, **parameters: str
) -> LonghornDriver:
    return LonghornDriver(
        api,  # type: ignore[arg-type]
        storage_class(**parameters),
        namespace=NAMESPACE,
        trigger=trigger,
        timeout_s=HANGS_S,
        move_timeout_s=move_timeout_s,
    )


class Lab:
    """A volume of the run, and Longhorn's objects of it, which change while somebody waits: no machine is too slow."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.api = SimulatedApi({"longhorn.io": ["v1beta2"]})
        spec = {"claimRef": CLAIM, "capacity": {"storage": "1073741824"}}
        self.api.create(VOLUMES, {"metadata": {"name": "pvc-1"}, "spec": spec, "status": {"phase": "Bound"}})
        self.undo = ExitStack()

    def longhorn(
        self, trigger: Trigger | None = None, *, move_timeout_s: float = 15, **behaviour: Any
    ) -> LonghornRebuild:
        """Rebuilds of the volume, once all its objects are there."""
        turns = partial(self.clock.every, POLL_S)
        lab = controller(self.api, Behaviour(**(QUICK | behaviour)), turns=turns)  # type: ignore[arg-type]
        self.undo.enter_context(lab)
        wait_for(
            "the volume to be there",
            look=lambda: self.api.find(LONGHORN_VOLUMES, "pvc-1"),
            ready=lambda seen: bool(seen and seen.get("status")),
            state=str,
            timeout_s=HANGS_S,
        )
        return driver(self.api, trigger, move_timeout_s=move_timeout_s).rebuild_of(VOLUME)

    @property
    def replicas(self) -> list[str]:
        return sorted(each["metadata"]["name"] for each in self.api.list(REPLICAS))

    @property
    def count(self) -> int:
        return int(self.api.get(LONGHORN_VOLUMES, "pvc-1")["spec"]["numberOfReplicas"])


def follow(rebuild: LonghornRebuild, *, begin_s: float = 60.0, end_s: float = 60.0) -> TimedRebuild:
    rebuild.require_whole()
    return follow_rebuild(
        rebuild, about="rebuild", size=1024**3, timeouts=Timeouts(begin_s=begin_s, end_s=end_s), say=lambda text: None
    )


THREE = ["pvc-1-r-1", "pvc-1-r-2", "pvc-1-r-3"]

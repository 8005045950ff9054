"""A pod whose node is gone would never go: it is deleted without the node's word, and that is told."""

from __future__ import annotations

from typing import cast

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.cleanup import Leak, remove_run
from acceptance.cluster.resources import CLAIMS, PODS, VOLUMES, Object, Resource
from selftests.unit.test_cleanup_of_many import RUN_ID, Cluster


class WithLostNode(Cluster):
    """One pod, on a node that is or is not ready; there the pod goes only by force."""

    def __init__(self, *, ready: bool) -> None:
        super().__init__()
        for each in (PODS, CLAIMS, VOLUMES):
            self.there[each.plural].clear()
        self.there["pods"]["load"] = {"metadata": {"name": "load"}, "spec": {"nodeName": "node-1"}, "status": {}}
        conditions: list[Object] = [{"type": "Ready", "status": "True" if ready else "Unknown"}]
        self.there["nodes"]["node-1"] = {"metadata": {"name": "node-1"}, "status": {"conditions": conditions}}
        self.forced: list[str] = []
        self._ready = ready

    def delete(self, resource: Resource, name: str, *, grace_s: int | None = None, **_: object) -> None:
        if resource is PODS and not self._ready and grace_s != 0:
            return
        if resource is PODS and grace_s == 0:
            self.forced.append(name)
        super().delete(resource, name)


def test_a_pod_on_a_lost_node_is_taken_by_force_and_told() -> None:
    cluster = WithLostNode(ready=False)
    with pytest.raises(Leak, match="pod load was on node node-1, which is not ready"):
        remove_run(cast(Api, cluster), run_id=RUN_ID, timeout_s=0.2)
    assert cluster.forced == ["load"] and not cluster.there["namespaces"]


def test_a_node_that_is_ready_gives_its_word() -> None:
    cluster = WithLostNode(ready=True)
    remove_run(cast(Api, cluster), run_id=RUN_ID, timeout_s=5)
    assert cluster.forced == [] and not cluster.there["namespaces"]

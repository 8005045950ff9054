"""A pod whose node is gone would never go: it is deleted without the node's word, and that is told."""

from __future__ import annotations

from typing import cast

import pytest

from acceptance.cluster import cleanup
from acceptance.cluster.api import Api
from acceptance.cluster.cleanup import Leak, remove_run
from acceptance.cluster.objects import RUN_LABEL
from acceptance.cluster.resources import CLAIMS, PODS, VOLUMES, Object, Resource
from selftests.unit.paged_api_server import Clock
from selftests.unit.test_cleanup_of_many import RUN_ID, Cluster, item


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


def test_the_cluster_is_given_the_time_that_it_takes_to_detach_volumes_from_a_lost_node(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Longer than anything else is waited for, it seems, and no leak."""
    assert cleanup.DETACH_S > 6 * 60
    monkeypatch.setattr(cleanup, "WIDE_LOOK_S", 0.0)
    monkeypatch.setattr(cleanup, "PER_OBJECT_S", 0.0)
    monkeypatch.setattr(cleanup, "DETACH_S", 30.0)
    cluster = WithLostNode(ready=False)
    claim_ref = {"namespace": f"storage-acceptance-{RUN_ID}", "name": "claim-0"}
    volume = item("pv-0", spec={"claimRef": claim_ref, "persistentVolumeReclaimPolicy": "Delete"})
    volume["metadata"]["annotations"] = {"pv.kubernetes.io/provisioned-by": "example.com/driver"}
    cluster.there["persistentvolumeclaims"]["claim-0"] = item("claim-0", labels={RUN_LABEL: RUN_ID})
    cluster.there["persistentvolumes"]["pv-0"] = volume
    attached = cluster.there["volumeattachments"]
    attached["csi-0"] = item("csi-0", spec={"source": {"persistentVolumeName": "pv-0"}})
    with Clock(monkeypatch).every(2.0, attached.clear), pytest.raises(Leak) as told:
        remove_run(cast(Api, cluster), run_id=RUN_ID, timeout_s=0.5)
    assert "pod load was on node node-1" in str(told.value)
    assert "attachment" not in str(told.value)

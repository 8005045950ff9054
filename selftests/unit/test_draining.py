"""A drain by eviction: what is asked of the API server, and what the cluster shows of a volume on the node it left."""

from __future__ import annotations

from typing import Any

import pytest

from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.attachments import attached_to
from acceptance.trials.crashes.draining import wait_let_go
from selftests.unit.paged_api_server import NAMESPACE, Answer, Clock, PagedApiServer, attachment, volume

UNIQUE = "kubernetes.io/csi/csi.example.com^handle-1"


class Evicting(PagedApiServer):
    """Answers an eviction with `status`, and keeps its body."""

    status = 201
    body: Any = None

    def _answer(self, method: str, path: str, query: Any, headers: Any, body: Any) -> Answer:
        if path.endswith("/pods/writer/eviction"):
            assert method == "POST" and f"/namespaces/{NAMESPACE}/" in path
            self.body = body
            return Answer(self.status, {"message": "as asked"})
        return super()._answer(method, path, query, headers, body)


def test_the_pod_is_evicted_by_name_with_time_to_end() -> None:
    server = Evicting()
    server.api.evict("writer", namespace=NAMESPACE, grace_s=30)
    assert server.body == {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": "writer", "namespace": NAMESPACE},
        "deleteOptions": {"gracePeriodSeconds": 30},
    }
    assert [kind for kind, _ in server.asked] == ["POST pods/eviction"]


def test_a_pod_that_is_gone_is_evicted_well_enough_and_a_refusal_is_told() -> None:
    server = Evicting()
    server.status = 404
    server.api.evict("writer", namespace=NAMESPACE, grace_s=30)
    server.status = 403
    with pytest.raises(ApiError, match="403"):
        server.api.evict("writer", namespace=NAMESPACE, grace_s=30)


def drained(*, csi: bool = True) -> PagedApiServer:
    """A node with one volume of ours on it, beside one of others."""
    server = PagedApiServer()
    server.have_others(volumes=3, attachments=3)
    ours = server.have("persistentvolumes", volume("ours", namespace=NAMESPACE))
    if csi:
        ours["spec"]["csi"] = {"driver": "csi.example.com", "volumeHandle": "handle-1"}
        server.have("volumeattachments", attachment("csi-ours", of="ours"))
    other = "kubernetes.io/csi/csi.example.com^handle-2"
    status: Any = {"volumesAttached": [{"name": other}], "volumesInUse": [other]}
    if csi:
        status = {"volumesAttached": [{"name": UNIQUE}, {"name": other}], "volumesInUse": [UNIQUE, other]}
    server.have("nodes", {"metadata": {"name": "n1"}, "status": status})
    return server


def test_all_ways_to_see_the_volume_on_the_node_are_looked_at() -> None:
    server = drained()
    attached = attached_to(server.api, volume="ours", node="n1")
    assert attached.find_signs(server.api) == [
        "VolumeAttachment csi-ours",
        "the volume in the node's status.volumesAttached",
        "the volume in the node's status.volumesInUse",
    ]
    del server.objects["volumeattachments"]["", "csi-ours"]
    server.objects["nodes"]["", "n1"]["status"]["volumesAttached"].pop(0)
    assert attached.find_signs(server.api) == ["the volume in the node's status.volumesInUse"]
    del server.objects["nodes"]["", "n1"]
    assert attached.find_signs(server.api) == []


def test_volumes_that_are_not_attached_are_seen_nowhere() -> None:
    server = drained(csi=False)
    assert attached_to(server.api, volume="ours", node="n1").find_signs(server.api) == []


@pytest.mark.parametrize("goes", [True, False])
def test_it_is_waited_until_nothing_stays_or_time_is_over(goes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, server = Clock(monkeypatch), drained()
    attached = attached_to(server.api, volume="ours", node="n1")
    server.objects["nodes"]["", "n1"]["status"] = {}
    began_s = clock.now_s
    if goes:
        server.before_page = lambda: (
            server.objects["volumeattachments"].pop(("", "csi-ours"), None) if clock.now_s > began_s + 7 else None
        )
    stayed = wait_let_go(server.api, attached, timeout_s=20)
    assert stayed == ([] if goes else ["VolumeAttachment csi-ours"])
    assert clock.now_s - began_s == pytest.approx(8 if goes else 20, abs=1.5)

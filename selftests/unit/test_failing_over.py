"""A failover in a large cluster: the attachment of the volume is followed by its name."""

from __future__ import annotations

from typing import Any

import pytest

from acceptance.cluster.attachments import attachments_of
from acceptance.cluster.claims import Claim, create_claim
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.workspace import Workspace
from acceptance.trials.crashes.failing_over import DETACHMENT, SCHEDULING, Stopwatch, follow_failover
from selftests.unit.paged_api_server import NAMESPACE, RUN_ID, Answer, Clock, PagedApiServer, attachment

LOOKS = 10
CLAIM = Claim(name="crash", namespace=NAMESPACE, storage_class="fast", size=2**30, run_id=RUN_ID)
PLAN = PodPlan(name="taking-over", claims=(CLAIM,), image="fio:1", command=["sh"], deadline_s=60)


class FailingOver(PagedApiServer):
    """The pod waits until the volume is detached, after some looks, and ends at once."""

    waited = 0

    def _answer(self, method: str, path: str, query: Any, headers: Any, body: Any) -> Answer:
        if method == "GET" and path.endswith(f"/pods/{PLAN.name}"):
            self.waited += 1
            if self.waited == LOOKS:
                del self.objects["volumeattachments"]["", "csi-ours"]
            status: Any = {"phase": "Pending"}
            if self.waited > LOOKS:
                ended = {"name": "load", "state": {"terminated": {"exitCode": 0}}}
                status = {"phase": "Succeeded", "containerStatuses": [ended]}
            return Answer(200, {"metadata": {"name": PLAN.name}, "spec": {"nodeName": "n2"}, "status": status})
        return super()._answer(method, path, query, headers, body)


def test_all_attachments_are_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    server = FailingOver()
    server.have_others(volumes=10, attachments=10)
    server.have("storageclasses", {"metadata": {"name": "fast"}, "volumeBindingMode": "Immediate"})
    create_claim(server.api, CLAIM)
    volume = server.objects["persistentvolumeclaims"][NAMESPACE, "crash"]["spec"]["volumeName"]
    server.have("volumeattachments", attachment("csi-ours", of=volume))
    workspace = Workspace(api=server.api, run_id=RUN_ID, namespace=NAMESPACE, image="fio:1", timeout_s=60)
    watch = Stopwatch(began_s=clock.now_s, clock=clock.monotonic)
    attachments = attachments_of(server.api, {volume})
    follow_failover(workspace, PLAN, attachments=attachments, watch=watch, timeout_s=60)
    asked = [query for kind, query in server.asked if kind == "LIST volumeattachments"]
    assert ["fieldSelector" in query for query in asked] == [False] + [True] * server.waited
    phases = {phase.name: phase.seconds for phase in watch.phases()}
    assert phases[SCHEDULING] == 0 and phases[DETACHMENT] > 0

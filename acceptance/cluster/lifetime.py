"""What Kubernetes runs without end goes soon after the run that made it, also where that was killed.

A Job without pods owns it. Its deadline is put off for as long as the run lives; once that has passed, Kubernetes
removes the Job (`ttlSecondsAfterFinished`), and with it what it owns.
https://kubernetes.io/docs/concepts/workloads/controllers/job/#job-termination-and-cleanup
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import Self

from acceptance.cluster.api import Api
from acceptance.cluster.objects import metadata
from acceptance.cluster.pod_manifest import PodPlan, pod_manifest, pod_metadata
from acceptance.cluster.resources import JOBS, Object

LASTS_S = 1800
"""For so long after the run was last seen alive: longer than any API server is away while a run goes on."""
PUT_OFF_EVERY_S = 120


class Lifetime:
    """Of what names `owner` as its owner, for the block and `LASTS_S` longer at most; `pod` is what it will run."""

    def __init__(self, api: Api, pod: PodPlan) -> None:
        self._api = api
        self._pod = pod
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._put_off, name=f"lifetime of {pod.name}", daemon=True)
        self._kept = False
        self._began_s = time.monotonic()
        self.owner: Object = {}

    def __enter__(self) -> Self:
        """Raises ApiError, ApiUnreachable."""
        made = self._api.create(JOBS, job_manifest(self._pod), namespace=self._pod.namespace)
        identity = {key: made["metadata"][key] for key in ("name", "uid")}
        self.owner = {"apiVersion": "batch/v1", "kind": "Job", **identity}
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        if not self._kept:
            self._api.delete(JOBS, self._pod.name, namespace=self._pod.namespace)

    def keep(self) -> None:
        """Have what it owns stay until somebody removes it. Raises ApiError, ApiUnreachable."""
        self._kept = True
        self._api.patch(JOBS, self._pod.name, {"spec": {"suspend": True}}, namespace=self._pod.namespace)

    def _put_off(self) -> None:
        while True:
            lasts_s = int(time.monotonic() - self._began_s) + LASTS_S
            deadline = {"spec": {"activeDeadlineSeconds": lasts_s}}
            with suppress(Exception):  # the next comes long before the deadline
                self._api.patch(JOBS, self._pod.name, deadline, namespace=self._pod.namespace)
            if self._ended.wait(PUT_OFF_EVERY_S):
                return


def job_manifest(pod: PodPlan) -> Object:
    """The Job as the API server wants it: with a pod that never is."""
    made = pod_manifest(pod)["spec"]
    (container,) = made["containers"]
    never = {key: container[key] for key in ("name", "image", "securityContext")}
    template = {
        "metadata": pod_metadata(pod),
        "spec": {key: made[key] for key in ("restartPolicy", "securityContext")} | {"containers": [never]},
    }
    limits = {"activeDeadlineSeconds": LASTS_S, "ttlSecondsAfterFinished": 0}
    return {
        "metadata": metadata(pod.name, run_id=pod.claims[0].run_id),
        "spec": {"parallelism": 0, "template": template, **limits},
    }

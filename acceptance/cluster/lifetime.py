"""Deletion of objects that Kubernetes runs without end, soon after the run that created them, even if it was killed.

A Job without pods owns them. Its deadline is postponed for as long as the run lives; after the deadline, Kubernetes
removes the Job (`ttlSecondsAfterFinished`), and with it the objects that it owns.
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
"""Seconds after the run was last alive: longer than any outage of the API server during a run."""
PUT_OFF_EVERY_S = 120


class Lifetime:
    """The lifetime of objects whose owner is `owner`: the block, at most `LASTS_S` more. `pod`: what they run."""

    def __init__(self, api: Api, pod: PodPlan) -> None:
        self._api = api
        self._pod = pod
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._put_off, name=f"lifetime of {pod.name}", daemon=True)
        self._outlives_run = False
        self._began_s = time.monotonic()
        self.owner: Object = {}

    def __enter__(self) -> Self:
        """Create the Job, and begin to postpone its deadline. Raises ApiError, ApiUnreachable."""
        job = self._api.create(JOBS, job_manifest(self._pod), namespace=self._pod.namespace)
        identity = {key: job["metadata"][key] for key in ("name", "uid")}
        self.owner = {"apiVersion": "batch/v1", "kind": "Job", **identity}
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end.set()
        if not self._outlives_run:
            self._api.delete(JOBS, self._pod.name, namespace=self._pod.namespace)

    def keep(self) -> None:
        """Have the owned objects stay until a user removes them. Raises ApiError, ApiUnreachable."""
        self._outlives_run = True
        self._api.patch(JOBS, self._pod.name, {"spec": {"suspend": True}}, namespace=self._pod.namespace)

    def _put_off(self) -> None:
        while True:
            lasts_s = int(time.monotonic() - self._began_s) + LASTS_S
            deadline = {"spec": {"activeDeadlineSeconds": lasts_s}}
            with suppress(Exception):  # the next attempt is long before the deadline
                self._api.patch(JOBS, self._pod.name, deadline, namespace=self._pod.namespace)
            if self._end.wait(PUT_OFF_EVERY_S):
                return


def job_manifest(pod: PodPlan) -> Object:
    """Return the Job as the API server expects it: with a pod that is never created."""
    pod_spec = pod_manifest(pod)["spec"]
    (container,) = pod_spec["containers"]
    never = {key: container[key] for key in ("name", "image", "securityContext")}
    template = {
        "metadata": pod_metadata(pod),
        "spec": {key: pod_spec[key] for key in ("restartPolicy", "securityContext")} | {"containers": [never]},
    }
    limits = {"activeDeadlineSeconds": LASTS_S, "ttlSecondsAfterFinished": 0}
    return {
        "metadata": metadata(pod.name, run_id=pod.claims[0].run_id),
        "spec": {"parallelism": 0, "template": template, **limits},
    }

"""A pod that is evicted, as by a drain of its node, and what is left of its volume on that node."""

from __future__ import annotations

import time
from collections.abc import Callable

from acceptance.cluster.api import Api
from acceptance.cluster.attachments import NodeAttachment
from acceptance.cluster.pods import wait_gone
from acceptance.cluster.resources import PODS
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import AcceptanceError, EnvironmentFailure, StorageFailure
from acceptance.trials.crashes.failing_over import POD_END, POD_OFF, Stopwatch
from acceptance.trials.crashes.writer import Writer

GRACE_S = 30
"""Seconds that the pod has to end by itself: the default of Kubernetes, and so what most pods have in a drain."""
MORE_S = 10.0
"""Seconds for a last poll."""
EVICTION = "the pod was evicted as in a drain; its node still accepted pods"


def evict(api: Api, writer: Writer, *, timeout_s: float) -> Stopwatch:
    """Evict the writer's pod, and wait until it is deleted: its kubelet has released the volume then.

    The time runs from the last record that the pod made durable. Raises StorageFailure if the pod is not deleted.
    """
    api.evict(writer.plan.name, namespace=writer.plan.namespace, grace_s=GRACE_S)
    return _wait_deleted(api, writer, timeout_s=timeout_s, failure=EnvironmentFailure)


def delete(api: Api, writer: Writer, *, timeout_s: float) -> Stopwatch:
    """Delete the writer's pod with the same grace period; return and raise as `evict` does.

    A container that does not end is the storage's fault, too: it waits for a volume that was disturbed.
    """
    api.delete(PODS, writer.plan.name, namespace=writer.plan.namespace, grace_s=GRACE_S)
    return _wait_deleted(api, writer, timeout_s=timeout_s, failure=StorageFailure)


def _wait_deleted(api: Api, writer: Writer, *, timeout_s: float, failure: type[AcceptanceError]) -> Stopwatch:
    """Wait until the pod is deleted. Raises `failure` if its container does not end."""
    writer.wait_over(failure=failure)
    watch = Stopwatch(began_s=writer.last_s)
    watch.note(POD_END)
    wait_gone(api, writer.plan, timeout_s=timeout_s)
    watch.note(POD_OFF)
    return watch


def wait_let_go(
    api: Api, attachment: NodeAttachment, *, timeout_s: float, also: Callable[[], list[str]] = list
) -> list[str]:
    """Return what the cluster, and `also`, still show of the volume on the node: an empty list, or what is left at the
    deadline."""
    ends_s = time.monotonic() + timeout_s
    return wait_for(
        f"node {attachment.node} to release the volume",
        look=lambda: [*attachment.find_signs(api), *also()],
        ready=lambda remnants: not remnants or time.monotonic() >= ends_s,
        state=", ".join,
        timeout_s=timeout_s + MORE_S,
    )

"""A pod that is evicted, as a drain of its node does, and what stays of its volume on that node."""

from __future__ import annotations

import time
from collections.abc import Callable

from acceptance.cluster.api import Api
from acceptance.cluster.attachments import Attached
from acceptance.cluster.pods import wait_gone
from acceptance.cluster.waiting import wait_for
from acceptance.trials.crashes.failing_over import ENDED, FREED, Stopwatch
from acceptance.trials.crashes.writer import Writer

GRACE_S = 30
"""to end by itself: what a pod that asks for nothing has, and so what most pods have in a drain"""
MORE_S = 10.0
"""for a last look"""
WHAT = "the pod was evicted, as a drain does; its node took pods as before"


def evict(api: Api, writer: Writer, *, timeout_s: float) -> Stopwatch:
    """Have the writer's pod evicted, and wait until it is gone: its kubelet has let go of the volume then.

    The time runs from the last record that it made durable. Raises StorageFailure when the pod does not go.
    """
    api.evict(writer.plan.name, namespace=writer.plan.namespace, grace_s=GRACE_S)
    writer.wait_over()
    watch = Stopwatch(began_s=writer.last_s)
    watch.note(ENDED)
    wait_gone(api, writer.plan, timeout_s=timeout_s)
    watch.note(FREED)
    return watch


def wait_let_go(api: Api, attached: Attached, *, timeout_s: float, also: Callable[[], list[str]] = list) -> list[str]:
    """What the cluster, and `also`, still show of the volume on the node, once that is nothing, or at the end."""
    ends_s = time.monotonic() + timeout_s
    return wait_for(
        f"nothing of the volume to stay on node {attached.node}",
        look=lambda: [*attached.seen(api), *also()],
        ready=lambda seen: not seen or time.monotonic() >= ends_s,
        state=", ".join,
        timeout_s=timeout_s + MORE_S,
    )

"""A node that is made to fail by the user's own command, and always brought back."""

from __future__ import annotations

import shlex
from contextlib import suppress
from types import TracebackType
from typing import Self

from acceptance.cluster.api import Api
from acceptance.cluster.nodes import is_ready, is_up, ready_condition
from acceptance.cluster.resources import LEASES, NODES, Object
from acceptance.cluster.run_namespace import remember_undo
from acceptance.cluster.waiting import wait_for
from acceptance.process.commands import run_command
from acceptance.process.interruption import put_off
from acceptance.process.undoing import Undoing
from acceptance.settings.target_plans import KubeletPlan, NodeFailurePlan
from acceptance.text.errors import AcceptanceError, EnvironmentFailure

HEARTBEATS = "kube-node-lease"
"""the namespace in which each node has a lease of its own name"""
NO_HOOK = (
    "capability 'node failure': no commands make a node of this cluster fail and restore it; give both "
    "commands as node_failure: in a target file (--storage-target FILE, see docs/durability.md)"
)

NO_KUBELET = (
    "capability 'kubelet restart': no commands stop and start the kubelet of a node of this cluster; give both "
    "commands as kubelet: in a target file (--storage-target FILE, see docs/disruption.md)"
)


def plan_if_allowed(
    plan: NodeFailurePlan | None, *, node: str | None, own_node: str | None, kind: str | None
) -> NodeFailurePlan | str:
    """The plan, where the node may be made to fail by it; else why it may not.

    `node`: the one that was named; `own_node`: where the suite itself runs as a pod; `kind`: of the cluster. Nodes of
    the embedded cluster are there for that.
    """
    if plan is None:
        return NO_HOOK
    if kind == "embedded":
        return plan
    if node is None:
        return (
            "capability 'node failure': everything else on the node fails with it, so you must name it: "
            "--storage-node NAME"
        )
    if kind == "in-cluster" and own_node in (None, node):
        where = "runs there" if own_node else "does not know its node (NODE_NAME, as in deploy/job.yaml)"
        return (
            f"capability 'node failure': node {node} would not be restored if the suite failed with it, and its own "
            f"pod {where}; name another node with --storage-node, or keep the pod away from it"
        )
    return plan


def kubelet_if_allowed(
    plan: KubeletPlan | None, *, node: str | None, own_node: str | None, kind: str | None
) -> KubeletPlan | str:
    """The same of a node's kubelet. While it is away no pod there is started, ended or moved, whosesoever it is."""
    if plan is None:
        return NO_KUBELET
    allowed = plan_if_allowed(plan.outage, node=node, own_node=own_node, kind=kind)
    return allowed if isinstance(allowed, str) else plan


class Outage:
    """The node has failed from `__enter__` on; it is back after `end`, and after the block in any case.

    `what` is the last line that the failing command printed, or the command itself.
    """

    def __init__(self, api: Api, plan: NodeFailurePlan, *, node: str, namespace: str) -> None:
        self._api = api
        self._namespace = namespace
        self._plan = plan
        self._node = node
        self._over = False
        self._undo = Undoing()
        self.what = ""

    def __enter__(self) -> Self:
        """Raises EnvironmentFailure, with the command's own words, when it fails; the node is then restored.

        The cluster knows by then how it is restored: a run that is killed now cannot.
        """
        how = shlex.join(word.format(node=self._node) for word in self._plan.restore)
        remember_undo(self._api, namespace=self._namespace, what=f"node {self._node}", how=how)
        with self._undo as begun:
            begun.callback(self.end)
            done = run_command(self._plan.fail, values={"node": self._node}, timeout_s=self._plan.timeout_s)
            if done.status:
                raise done.failed(f"0 of the command that makes node {self._node} fail")
            self._undo = begun.passed_on()
        self.what = (done.stdout.strip().splitlines() or [f"`{' '.join(done.words)}`"])[-1]
        return self

    def end(self) -> None:
        """Bring the node back, and see that its kubelet answers; at the first call only.

        Raises EnvironmentFailure when it does not come back.
        """
        if self._over:
            return
        self._over = True
        with put_off():
            before = self._last_heard_of()
            done = run_command(self._plan.restore, values={"node": self._node}, timeout_s=self._plan.timeout_s)
            if done.status:
                raise done.failed(f"0 of the command that restores node {self._node}, which may still be out of order")
            wait_for(
                f"node {self._node} to be Ready again",
                look=lambda: (self._look(), self._heartbeat()),
                ready=lambda seen: is_up(seen[0]) and seen[1] != before,
                state=lambda seen: f"{_ready(seen[0])}, last heard of at {seen[1]}",
                timeout_s=self._plan.timeout_s,
                failure=EnvironmentFailure,
            )
            with suppress(AcceptanceError):  # it is back, whatever is noted
                remember_undo(self._api, namespace=self._namespace, what=self._node, how=None)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Raises what `end` raises, unless another error is on its way, which is then told of it."""
        self._undo.__exit__(kind, error, trace)

    def wait_not_ready(self, *, timeout_s: float) -> None:
        """Wait until the cluster takes the node for lost: not Ready, and tainted, so that no pod is sent there.

        Raises EnvironmentFailure when it never does.
        """
        wait_for(
            f"node {self._node} to be NotReady, as it was made to fail",
            look=self._look,
            ready=lambda seen: not is_ready(seen) and bool(seen["spec"].get("taints")),
            state=_ready,
            timeout_s=timeout_s,
            failure=EnvironmentFailure,
        )

    def _look(self) -> Object:
        return self._api.get(NODES, self._node)

    def _heartbeat(self) -> str:
        """When the node's kubelet last told that it lives; the cluster goes on calling a dead node Ready for a while.

        https://kubernetes.io/docs/concepts/architecture/leases/#node-heart-beats
        """
        lease = self._api.get(LEASES, self._node, namespace=HEARTBEATS)
        return str(lease["spec"].get("renewTime", "no time"))

    def _last_heard_of(self) -> str:
        """The same, before it is restored; nothing keeps it from being restored."""
        try:
            return self._heartbeat()
        except AcceptanceError:
            return ""


def _ready(node: Object) -> str:
    return f"Ready is {ready_condition(node).get('status', 'unknown')}"

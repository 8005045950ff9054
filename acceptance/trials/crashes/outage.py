"""A node that is made to fail by the user's own command, and is always brought back."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
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
from acceptance.results.disturbances import Disturbance
from acceptance.settings.target_plans import DisturbancePlan, KubeletPlan, NodeFailurePlan
from acceptance.text.errors import AcceptanceError, EnvironmentFailure

HEARTBEATS = "kube-node-lease"
"""The namespace in which each node has a lease of its own name."""
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
    """Return the plan if the node may be made to fail by it; otherwise why it may not.

    `node`: the node that the user named; `own_node`: the node on which the suite itself runs as a pod; `kind`: of the
    cluster. Nodes of the embedded cluster exist for that.
    """
    if plan is None:
        return NO_HOOK
    if kind == "embedded":
        return plan
    if node is None:
        return (
            "capability 'node failure': everything else on the node fails too, so you must name the node: "
            "--storage-node NAME"
        )
    if kind == "in-cluster" and own_node in (None, node):
        where = f"runs on node {own_node}" if own_node else "does not know its node (NODE_NAME, as in deploy/job.yaml)"
        return (
            f"capability 'node failure': the suite's own pod {where}; if the suite fails with node {node}, the node is "
            "not restored; name another node with --storage-node, or keep the suite's pod off the node"
        )
    return plan


def kubelet_if_allowed(
    plan: KubeletPlan | None, *, node: str | None, own_node: str | None, kind: str | None
) -> KubeletPlan | str:
    """Return the plan if the node's kubelet may be stopped by it; otherwise why it may not.

    While the kubelet is away, no pod on the node is started, ended or moved, regardless of the pod's owner.
    """
    if plan is None:
        return NO_KUBELET
    outage_plan = plan_if_allowed(plan.outage, node=node, own_node=own_node, kind=kind)
    return outage_plan if isinstance(outage_plan, str) else plan


def disturbance_if_allowed(
    plan: DisturbancePlan | None, disturbance: Disturbance, *, node: str | None, own_node: str | None, kind: str | None
) -> DisturbancePlan | str:
    """Return the plan if the storage may be disturbed by it; otherwise why it may not.

    Commands for the node of the writing pod affect everything on that node, so the user must name it; nodes that are
    restarted are named in the target file.
    """
    if plan is None:
        return no_disturbance(disturbance)
    if plan.nodes and kind == "in-cluster" and own_node in (None, *plan.nodes):
        return (
            "capability 'disturbance': the suite's own pod may run on a node that is restarted; keep it off the nodes "
            f"of disturb: {disturbance.key}:, and set NODE_NAME as in deploy/job.yaml"
        )
    if plan.nodes or not plan.names_node:
        return plan
    outage_plan = plan_if_allowed(plan.outage, node=node, own_node=own_node, kind=kind)
    return outage_plan if isinstance(outage_plan, str) else plan


def no_disturbance(disturbance: Disturbance) -> str:
    """Return why the disturbance is not tried without its commands."""
    return (
        f"capability 'disturbance': no commands {disturbance.does}; give both commands as disturb: {disturbance.key}: "
        "in a target file (--storage-target FILE, see docs/disturbances.md)"
    )


class Outage:
    """A node that has failed from `__enter__` on. It is back after `end`, and after the block in any case.

    `cause` is the last line that the failing command printed, or the command itself; `subject`: the words for what
    fails.
    """

    def __init__(self, api: Api, plan: NodeFailurePlan, *, node: str, namespace: str) -> None:
        self._api = api
        self._namespace = namespace
        self._plan = plan
        self._node = node
        self._nodes: Sequence[str] = (node,)
        self._over = False
        self._undo = Undoing()
        self.subject = f"node {node}"
        self.cause = ""
        self.ended_s = 0.0
        """The time at which what failed was back, by time.monotonic()."""

    def __enter__(self) -> Self:
        """Make the node fail. Raises EnvironmentFailure, with the command's own words, if the command fails; the node
        is then restored.

        The cluster holds by then the command that restores the node, because a run that is killed now cannot restore
        it.
        """
        commands = [[word.format(node=node) for word in self._plan.restore] for node in self._nodes]
        how = " && ".join(map(shlex.join, commands))
        remember_undo(self._api, namespace=self._namespace, component=self.subject, how=how)
        with self._undo as undoing:
            undoing.callback(self.end)
            for node in self._nodes:
                run = run_command(self._plan.fail, values={"node": node}, timeout_s=self._plan.timeout_s)
                if run.status:
                    raise run.failure(f"0 from the command that makes {self.subject} fail")
            self._undo = undoing.passed_on()
        self.cause = (run.stdout.strip().splitlines() or [f"`{' '.join(run.words)}`"])[-1]
        return self

    def end(self) -> None:
        """Bring the node back, and require that its kubelet answers; at the first call only.

        Raises EnvironmentFailure if it does not come back.
        """
        if self._over:
            return
        self._over = True
        with put_off():
            before = {node: self._last_heard_of(node) for node in self._nodes}
            with Undoing() as restoring:
                for node in reversed(self._nodes):
                    restoring.callback(partial(self._restore, node))
            for node in self._nodes:
                self._wait_back(node, before[node])
            self.ended_s = time.monotonic()
            with suppress(AcceptanceError):  # the node is back, whatever is noted
                remember_undo(self._api, namespace=self._namespace, component=self.subject, how=None)

    def _restore(self, node: str) -> None:
        run = run_command(self._plan.restore, values={"node": node}, timeout_s=self._plan.timeout_s)
        if run.status:
            raise run.failure(f"0 from the command that restores {self.subject}, which may still be down")

    def _wait_back(self, node: str, before: str) -> None:
        """Wait for the node to be Ready, with another heartbeat than `before`."""
        wait_for(
            f"node {node} to be Ready again",
            look=lambda: (self._api.get(NODES, node), self._heartbeat(node)),
            ready=lambda observation: is_up(observation[0]) and observation[1] != before,
            state=lambda observation: f"{_ready(observation[0])}, last heartbeat at {observation[1]}",
            timeout_s=self._plan.timeout_s,
            failure=EnvironmentFailure,
        )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Raise what `end` raises, unless another error is on its way; that error then gets it as a note."""
        self._undo.__exit__(kind, error, trace)

    def wait_not_ready(self, *, timeout_s: float) -> None:
        """Wait until the cluster takes the node for lost: not Ready, and tainted, so that no pod is sent there.

        Raises EnvironmentFailure if it never does.
        """
        wait_for(
            f"node {self._node} to become NotReady after it was made to fail",
            look=self._look,
            ready=lambda node: not is_ready(node) and bool(node["spec"].get("taints")),
            state=_ready,
            timeout_s=timeout_s,
            failure=EnvironmentFailure,
        )

    def _look(self) -> Object:
        return self._api.get(NODES, self._node)

    def _heartbeat(self, node: str) -> str:
        """Return when the node's kubelet last renewed its lease. The cluster calls a dead node Ready for a while.

        https://kubernetes.io/docs/concepts/architecture/leases/#node-heart-beats
        """
        lease = self._api.get(LEASES, node, namespace=HEARTBEATS)
        return str(lease["spec"].get("renewTime", "no time"))

    def _last_heard_of(self, node: str) -> str:
        """Return the heartbeat from before the node is restored. No error here keeps the node from being restored."""
        try:
            return self._heartbeat(node)
        except AcceptanceError:
            return ""


def _ready(node: Object) -> str:
    return f"Ready is {ready_condition(node).get('status', 'unknown')}"


class Interruption(Outage):
    """Storage that is disturbed from `__enter__` on, and restored as a node is. `plan`: its commands.

    Nodes may stay Ready meanwhile, so that only the restoring command shows that the storage is back.
    """

    def __init__(self, api: Api, plan: DisturbancePlan, *, node: str, namespace: str) -> None:
        super().__init__(api, plan.outage, node=node, namespace=namespace)
        self.subject = "the storage"

    def _wait_back(self, node: str, before: str) -> None:
        """Return: whether pods can write again is judged, not required."""


class JointOutage(Outage):
    """All nodes of a plan, which fail one after the other and are restored once all have failed."""

    def __init__(self, api: Api, plan: DisturbancePlan, *, namespace: str) -> None:
        super().__init__(api, plan.outage, node=plan.nodes[0], namespace=namespace)
        self._nodes = plan.nodes
        self.subject = f"nodes {', '.join(plan.nodes)}"

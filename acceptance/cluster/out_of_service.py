"""The taint that reports to the cluster that a node that is not ready will not return soon: added, and removed.

Kubernetes then deletes the pods of that node without its kubelet's confirmation and detaches their volumes immediately:
https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/#non-graceful-node-shutdown. Its value is the
run's id: its owner is known, and the taint of another run is never removed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.nodes import is_ready
from acceptance.cluster.objects import run_namespace
from acceptance.cluster.resources import NODES, Object
from acceptance.cluster.run_namespace import remember_taint
from acceptance.cluster.waiting import wait_for
from acceptance.process.undoing import Undoing
from acceptance.text.errors import EnvironmentFailure

KEY, EFFECT = "node.kubernetes.io/out-of-service", "NoExecute"
CHANGE_S = 60.0
"""Seconds for a change to be repeated that conflicts with others' changes of the same node."""


@contextmanager
def out_of_service(api: Api, node: str, *, run_id: str) -> Iterator[None]:
    """Keep the taint on the node until the block ends, however it ends.

    The run's lease names the node before it has the taint, so that `cleanup` removes it if the run is killed. Raises
    EnvironmentFailure for a node that is ready, or that another party has tainted so, and errors of the API server.
    """
    namespace = run_namespace(run_id)
    remember_taint(api, namespace=namespace, node=node)
    with Undoing() as undoing:
        undoing.callback(lambda: remember_taint(api, namespace=namespace, node=None))
        undoing.callback(lambda: take_off(api, node, run_id=run_id))
        _add(api, node, run_id=run_id)
        yield


def take_off(api: Api, node: str, *, run_id: str) -> bool:
    """Remove the run's taint from the node; return whether there was one. All other taints stay.

    Raises EnvironmentFailure, with the command that does it, if the API server does not allow it.
    """
    try:
        return _change(
            api,
            node,
            f"remove taint {KEY}",
            lambda current: [taint for taint in _taints(current) if not _is_own(taint, run_id)],
        )
    except (ApiError, EnvironmentFailure) as error:
        raise EnvironmentFailure(
            f"node {node} keeps the taint {KEY} of this run: run `kubectl taint nodes {node} {KEY}:{EFFECT}-` ({error})"
        ) from error


def _add(api: Api, node: str, *, run_id: str) -> None:
    def with_taint(current: Object) -> list[Object]:
        if is_ready(current):
            raise EnvironmentFailure(
                f"node {node} is Ready, so it is not out of service: its pods still run; correct the command "
                "node_failure.fail in the target file"
            )
        if any(taint["key"] == KEY for taint in _taints(current)):
            raise EnvironmentFailure(
                f"node {node} already has the taint {KEY}, which this run did not add; remove it, or name another node "
                "with --storage-node"
            )
        return [*_taints(current), {"key": KEY, "value": run_id, "effect": EFFECT}]

    _change(api, node, f"add taint {KEY}", with_taint)


def _change(api: Api, node: str, change_text: str, new_taints: Callable[[Object], list[Object]]) -> bool:
    """Change the taints of the node if they differ; return whether they did.

    The patch has the version that was read, because the cluster taints such a node, too.
    """

    def change() -> bool:
        current = api.find(NODES, node)
        taints = [] if current is None else new_taints(current)
        if current is None or taints == _taints(current):
            return False
        version = current["metadata"]["resourceVersion"]
        api.patch(NODES, node, {"metadata": {"resourceVersion": version}, "spec": {"taints": taints or None}})
        return True

    return wait_for(
        f"node {node} to take the change: {change_text}",
        look=change,
        ready=lambda result: True,
        state=str,
        timeout_s=CHANGE_S,
        failure=EnvironmentFailure,
    )


def _taints(node: Object) -> list[Object]:
    return node["spec"].get("taints") or []


def _is_own(taint: Object, run_id: str) -> bool:
    return taint["key"] == KEY and taint.get("value") == run_id

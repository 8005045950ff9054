"""The taint by which the cluster learns that a node that is not ready will not come back soon: put, and taken off.

Kubernetes then deletes the pods of that node without its word and detaches their volumes at once:
https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/#non-graceful-node-shutdown. Its value is the
run's id: whose it is can be told, and no other's is ever taken off.
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
"""for a change that others make of the same node meanwhile to be made again"""


@contextmanager
def out_of_service(api: Api, node: str, *, run_id: str) -> Iterator[None]:
    """The node has the taint until the block ends, however it ends.

    The run's lease names the node before it has it, so that `cleanup` takes it off where the run is killed. Raises
    EnvironmentFailure for a node that is ready, or that somebody else has tainted so, and what the API server says.
    """
    namespace = run_namespace(run_id)
    remember_taint(api, namespace=namespace, node=node)
    with Undoing() as undoing:
        undoing.callback(lambda: remember_taint(api, namespace=namespace, node=None))
        undoing.callback(lambda: take_off(api, node, run_id=run_id))
        _put(api, node, run_id=run_id)
        yield


def take_off(api: Api, node: str, *, run_id: str) -> bool:
    """Take the run's taint off the node; whether there was one. Another's stays, and so does all else.

    Raises EnvironmentFailure, with the command that does it, where the API server does not let it.
    """
    try:
        return _change(
            api, node, f"taint {KEY} off", lambda seen: [taint for taint in _taints(seen) if not _ours(taint, run_id)]
        )
    except (ApiError, EnvironmentFailure) as error:
        raise EnvironmentFailure(
            f"node {node} keeps the taint {KEY} of this run: run `kubectl taint nodes {node} {KEY}:{EFFECT}-` ({error})"
        ) from error


def _put(api: Api, node: str, *, run_id: str) -> None:
    def with_taint(seen: Object) -> list[Object]:
        if is_ready(seen):
            raise EnvironmentFailure(
                f"node {node} is Ready, so it is not out of service: its pods still run; correct the command "
                "node_failure.fail in the target file"
            )
        if any(taint["key"] == KEY for taint in _taints(seen)):
            raise EnvironmentFailure(
                f"node {node} has the taint {KEY} already, and it is not this run's; remove it, or name another node "
                "with --storage-node"
            )
        return [*_taints(seen), {"key": KEY, "value": run_id, "effect": EFFECT}]

    _change(api, node, f"taint {KEY}", with_taint)


def _change(api: Api, node: str, what: str, changed: Callable[[Object], list[Object]]) -> bool:
    """Whether anything was to be changed. With the version that was seen: the cluster taints such a node, too."""

    def change() -> bool:
        seen = api.find(NODES, node)
        taints = [] if seen is None else changed(seen)
        if seen is None or taints == _taints(seen):
            return False
        version = seen["metadata"]["resourceVersion"]
        api.patch(NODES, node, {"metadata": {"resourceVersion": version}, "spec": {"taints": taints or None}})
        return True

    return wait_for(
        f"node {node} to take the change: {what}",
        look=change,
        ready=lambda done: True,
        state=str,
        timeout_s=CHANGE_S,
        failure=EnvironmentFailure,
    )


def _taints(node: Object) -> list[Object]:
    return node["spec"].get("taints") or []


def _ours(taint: Object, run_id: str) -> bool:
    return taint["key"] == KEY and taint.get("value") == run_id

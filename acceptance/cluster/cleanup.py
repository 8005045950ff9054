"""Removal of the objects of a run, and of no others: pods, claims, volumes, attachments, namespace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiError, ApiUnreachable, is_passing
from acceptance.cluster.departing import Departing, Remainder
from acceptance.cluster.events import recent_events
from acceptance.cluster.leftovers import sets_of
from acceptance.cluster.nodes import is_ready, slim_node
from acceptance.cluster.objects import MAX_NAMES, RUN_ID, RUN_LABEL, name_of, only_name, run_namespace, run_of
from acceptance.cluster.resources import (
    CLAIMS,
    NAMESPACES,
    NODES,
    PODS,
    STATEFUL_SETS,
    Object,
    Resource,
)
from acceptance.cluster.run_snapshots import RunSnapshots
from acceptance.cluster.run_volumes import RunVolumes
from acceptance.cluster.waiting import WIDE_LOOK_S, wait_for
from acceptance.text.errors import AcceptanceError, EnvironmentFailure, StorageFailure, unforeseen

# Seconds that the deletion of one object may take: 30 a minute.
PER_OBJECT_S = 2.0
DETACH_S = 420.0
"""Seconds to detach a volume from a node that is not ready; Kubernetes waits 6 min (maxWaitForUnmountDuration)."""
T = TypeVar("T")


class Leak(StorageFailure):
    """Objects of the run that could not be removed."""


class _NoAnswer(EnvironmentFailure):
    """An API server that answered nothing for as long as a request is retried: no further request is begun."""


def remove_run(api: Api, *, run_id: str, timeout_s: float) -> list[str]:
    """Remove all objects of the run, in the order in which storage releases them, and verify that none is left.

    Volumes that their class would retain are removed too if it is proven that they were provisioned for the run. The
    others stay, and outlive their claims: returned in words. An object that cannot be removed does not keep others from
    being removed, but an API server that no longer answers does. Raises Leak naming all that stays of the run, and
    before anything is touched for anything but a full run id; EnvironmentFailure if it is unknown what stays.
    """
    namespace = run_namespace(run_id)
    if run_of(namespace) is None:
        raise Leak(f"namespace {namespace} is not that of a run (run ids match {RUN_ID.pattern}): not deleted")
    # The user must remove what stays: a server that was unavailable at the run's end may return within two minutes.
    api.be_patient_again()
    existing = api.find(NAMESPACES, namespace)
    if existing is not None and (existing["metadata"].get("labels") or {}).get(RUN_LABEL) != run_id:
        raise Leak(f"namespace {namespace} lacks the label of the run, {RUN_LABEL}={run_id}: not deleted")
    removal = _Removal(api, run_id, timeout_s)
    removal.delete_sets()  # first, because they would recreate their pods
    removal.empty(PODS, "pods", grace_s=1)
    removal.leave_lost_nodes()
    removal.delete_snapshots()  # before their claims, which some drivers do not release until then
    removal.let_volumes_go()
    removal.empty(CLAIMS, "PVCs")
    removal.see_volumes_gone()
    if existing is not None:
        removal.delete_namespace()
    removal.require_done()
    return removal.volumes.kept_volumes


class _Removal:
    """The steps of a removal; each runs even if others failed, and `problems` lists what stays."""

    def __init__(self, api: Api, run_id: str, timeout_s: float) -> None:
        self._api = api
        self._run_id = run_id
        self._namespace = run_namespace(run_id)
        self._timeout_s = timeout_s
        self._has_no_answer = False
        self._lost_nodes = False
        self.volumes = RunVolumes(api, run_id=run_id, attempt=self._try)
        self.problems: list[str] = []

    def require_done(self) -> None:
        """Raise Leak or EnvironmentFailure if an object could not be removed."""
        if self.problems:
            failure = EnvironmentFailure if self._has_no_answer else Leak
            lines = [*self.problems, *(f"  {volume}" for volume in self.volumes.kept_volumes)]
            raise failure("\n".join(["left behind in the cluster:", *lines]))

    def delete_sets(self) -> None:
        """Delete the StatefulSets; their pods are deleted like all others."""

        def delete_all() -> None:
            if sets_of(self._api, self._namespace):
                self.empty(STATEFUL_SETS, "StatefulSets")

        self._try(delete_all)

    def delete_snapshots(self) -> None:
        """Delete the snapshots and their contents, whatever the deletion policy of their class."""

        def see_gone(goal: str, going: Departing[str], count: int) -> None:
            self._see_gone(goal, going, count=count)

        RunSnapshots(
            api=self._api, namespace=self._namespace, attempt=self._try, empty=self.empty, see_gone=see_gone
        ).delete()

    def leave_lost_nodes(self) -> None:
        """Force-delete the pods on nodes that are not ready: to wait longer for these nodes is useless.

        A node that returns meanwhile, as after a restart of the API server, confirms the deletion itself. Each such pod
        is a problem to report: it is unknown whether it still runs, until its deadline.
        """

        def leave() -> None:
            pods = self._api.list(PODS, namespace=self._namespace, slim=_slim_pod)
            lost_nodes: set[str] = set()
            if pods:
                lost_nodes = {name_of(node) for node in self._api.list(NODES, slim=slim_node) if not is_ready(node)}
            for pod in pods:
                if pod["spec"]["nodeName"] in lost_nodes:
                    self._lost_nodes = True
                    self._api.delete(PODS, name_of(pod), namespace=self._namespace, grace_s=0)
                    self.problems.append(
                        f"  pod {name_of(pod)} was on node {pod['spec']['nodeName']}, which is not ready: "
                        "force-deleted (grace period 0); its containers may run until the node is back"
                    )

        self._try(leave)

    def empty(self, resource: Resource, word: str, *, grace_s: int | None = None) -> None:
        """Delete all objects of a kind in the namespace, and wait until none is left."""

        count = 0

        def delete_all() -> None:
            nonlocal count
            items = self._api.list(resource, namespace=self._namespace, slim=only_name)
            count = len(items)
            for item in items:
                self._try(
                    partial(self._api.delete, resource, name_of(item), namespace=self._namespace, grace_s=grace_s)
                )

        def wait_until_empty() -> None:
            self._wait_for(
                f"{word} of namespace {self._namespace} to be deleted",
                look=lambda: self._api.first(resource, namespace=self._namespace, at_most=MAX_NAMES),
                ready=lambda page: not page[0],
                state=lambda page: _names(page[0], more=page[1]),
                events=lambda: self._events(resource),
                timeout_s=self._timeout_for(count),
            )

        self._try(delete_all)
        self._try(wait_until_empty)

    def let_volumes_go(self) -> None:
        """Have the run's present volumes deleted with their claims, whatever the reclaim policy of their class.

        Volumes of others that claims of the run hold outlive them.
        """
        self._try(self.volumes.settle)

    def see_volumes_gone(self) -> None:
        """Wait until no volume of the run, and no attachment of one, exists."""
        if self._lost_nodes:
            self._try(self._allow_for_detaching)
        going = self.volumes.departing()
        goal = f"PVs and VolumeAttachments of namespace {self._namespace} to be deleted"
        self._try(partial(self._see_gone, goal, going, count=self.volumes.count))
        if not going.is_gone:  # then no search for further volumes was made
            self._try(lambda: self._note_others(going))

    def _allow_for_detaching(self) -> None:
        if self.volumes.are_attached():
            self._timeout_s = max(self._timeout_s, DETACH_S)

    def _see_gone(self, goal: str, going: Departing[T], *, count: int) -> None:
        self._wait_for(
            goal,
            look=going.look,
            ready=lambda remainder: remainder.is_gone,
            state=_describe_remainder,
            timeout_s=self._timeout_for(count) + WIDE_LOOK_S,
        )

    def _note_others(self, going: Departing[tuple[Resource, str]]) -> None:
        words = [f"{resource.plural} {name}" for resource, name in going.unknown()]
        if words:
            more = f" and {len(words) - MAX_NAMES} more" if len(words) > MAX_NAMES else ""
            self._note(f"further objects: {', '.join(words[:MAX_NAMES])}{more}")

    def delete_namespace(self) -> None:
        """Delete the namespace, and wait until it no longer exists."""

        def delete_and_wait() -> None:
            self._api.delete(NAMESPACES, self._namespace)
            self._wait_for(
                f"namespace {self._namespace} to be deleted",
                look=lambda: self._api.find(NAMESPACES, self._namespace),
                ready=lambda namespace: namespace is None,
                state=_describe_namespace,
                timeout_s=self._timeout_s,
            )

        self._try(delete_and_wait)

    def _wait_for(self, goal: str, *, look: Callable[[], T], **how: Any) -> None:
        """Call `wait_for`, but wait no longer than one request is retried while the API server does not answer."""

        def look_once() -> T:
            try:
                return look()
            except (ApiError, ApiUnreachable) as error:
                if is_passing(error):
                    raise _NoAnswer(str(error)) from error
                raise

        wait_for(goal, look=look_once, **how)

    def _try(self, step: Callable[[], object]) -> None:
        if self._has_no_answer:
            return
        try:
            step()
        except AcceptanceError as error:
            if isinstance(error, _NoAnswer) or is_passing(error):
                self._has_no_answer = True
                self._note(f"the API server does not answer, so the suite cannot tell what else is left: {error}")
            else:
                self._note(str(error))
        except Exception as error:  # whatever it is, the other steps run
            self._note(unforeseen(error))

    def _note(self, problem: str) -> None:
        if f"  {problem}" not in self.problems:
            self.problems.append(f"  {problem}")

    def _timeout_for(self, objects: int) -> float:
        return self._timeout_s + PER_OBJECT_S * objects

    def _events(self, resource: Resource) -> list[str]:
        items, _ = self._api.first(resource, namespace=self._namespace, at_most=1)
        return recent_events(self._api, namespace=self._namespace, name=name_of(items[0])) if items else []


def _describe_namespace(namespace: Object | None) -> str:
    """Return the phase and the true conditions of the namespace: what is left in it, and whose finalizers are."""
    status = (namespace or {}).get("status") or {}
    messages = [
        str(condition.get("message"))
        for condition in status.get("conditions") or []
        if condition.get("status") == "True"
    ]
    return "; ".join([f"phase {status.get('phase', 'unknown')}", *messages])


def _describe_remainder(remainder: Remainder) -> str:
    if remainder.objects or remainder.more:
        return _names(remainder.objects, more=remainder.more)
    return f"all known objects are deleted; polling for others every {WIDE_LOOK_S:.0f} s"


def _names(items: Sequence[Object], *, more: int) -> str:
    words = [
        f"{name_of(item)} (phase {item.get('status', {}).get('phase', 'unknown')}, "
        f"finalizers: {', '.join(item['metadata'].get('finalizers') or []) or 'none'})"
        for item in items
    ]
    return "; ".join(words + [f"and {more} more"] * bool(more)) or "none left"


def _slim_pod(pod: Object) -> Object:
    return {"metadata": {"name": name_of(pod)}, "spec": {"nodeName": pod.get("spec", {}).get("nodeName")}}

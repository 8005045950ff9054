"""Removing what a run made, and only that: pods, claims, volumes, attachments, namespace; each seen to be gone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiError, ApiUnreachable, is_passing
from acceptance.cluster.departing import Departing, Left
from acceptance.cluster.events import recent_events
from acceptance.cluster.leftovers import sets_of
from acceptance.cluster.nodes import is_ready, slim_node
from acceptance.cluster.objects import RUN_ID, RUN_LABEL, SHOWN, name_of, only_name, run_namespace, run_of
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

# Each takes its time to go: as long as one at 30 a minute.
PER_OBJECT_S = 2.0
DETACH_S = 420.0
"""For a volume to be taken off a node that is not ready: Kubernetes waits 6 min (maxWaitForUnmountDuration)."""
T = TypeVar("T")


class Leak(StorageFailure):
    """Something of the run could not be removed."""


class _Unanswered(EnvironmentFailure):
    """The API server answered nothing for as long as a request is tried: no further one is begun."""


def remove_run(api: Api, *, run_id: str, timeout_s: float) -> list[str]:
    """Remove everything of the run, in the order in which storage lets go, and see that it is gone.

    Volumes that their class would retain are removed too, where it is proven that they were provisioned for the run.
    The others stay, and outlive their claims: returned in words. What cannot be removed keeps nothing else from being
    removed, but an API server that no longer answers. Raises Leak naming all that stays of the run, for anything but a
    full run id before anything is touched; EnvironmentFailure where nobody could see what stays.
    """
    namespace = run_namespace(run_id)
    if run_of(namespace) is None:
        raise Leak(f"namespace {namespace} only begins like a run's, whose id matches {RUN_ID.pattern}: left alone")
    # What stays is somebody's work: a server that was away while the run ended may be back within its two minutes.
    api.be_patient_again()
    existing = api.find(NAMESPACES, namespace)
    if existing is not None and (existing["metadata"].get("labels") or {}).get(RUN_LABEL) != run_id:
        raise Leak(f"namespace {namespace} does not carry the run's label {RUN_LABEL}={run_id}: left alone")
    removal = _Removal(api, run_id, timeout_s)
    removal.delete_sets()  # first: they would make their pods anew
    removal.empty(PODS, "pods", grace_s=1)
    removal.leave_lost_nodes()
    removal.delete_snapshots()  # before the claims that they are of, which some drivers do not let go until then
    removal.let_volumes_go()
    removal.empty(CLAIMS, "PVCs")
    removal.see_volumes_gone()
    if existing is not None:
        removal.delete_namespace()
    removal.require_done()
    return removal.volumes.kept


class _Removal:
    """The steps of a removal; each goes on whatever became of the others, and `problems` says what stays."""

    def __init__(self, api: Api, run_id: str, timeout_s: float) -> None:
        self._api = api
        self._run_id = run_id
        self._namespace = run_namespace(run_id)
        self._timeout_s = timeout_s
        self._unanswered = False
        self._lost_nodes = False
        self.volumes = RunVolumes(api, run_id=run_id, attempt=self._try)
        self.problems: list[str] = []

    def require_done(self) -> None:
        """Raise Leak or EnvironmentFailure for what could not be removed."""
        if self.problems:
            failure = EnvironmentFailure if self._unanswered else Leak
            left = [*self.problems, *(f"  {each}" for each in self.volumes.kept)]
            raise failure("\n".join(["left behind in the cluster:", *left]))

    def delete_sets(self) -> None:
        """Have the stateful sets gone; their pods are deleted like all others."""

        def delete_all() -> None:
            if sets_of(self._api, self._namespace):
                self.empty(STATEFUL_SETS, "StatefulSets")

        self._try(delete_all)

    def delete_snapshots(self) -> None:
        """Have the snapshots gone, and what is behind them, whatever their class's deletion policy."""

        def see_gone(what: str, going: Departing[str], count: int) -> None:
            self._see_gone(what, going, count=count)

        RunSnapshots(
            api=self._api, namespace=self._namespace, attempt=self._try, empty=self.empty, see_gone=see_gone
        ).delete()

    def leave_lost_nodes(self) -> None:
        """Delete pods that are left on nodes that are not ready without their node's word: more waiting is in vain.

        A node that comes back meanwhile, as after a restart of the API server, gives its word. Told as a problem:
        whether such a pod still runs, until its deadline, nobody can say.
        """

        def leave() -> None:
            pods = self._api.list(PODS, namespace=self._namespace, slim=_placed)
            lost: set[str] = set()
            if pods:
                lost = {name_of(node) for node in self._api.list(NODES, slim=slim_node) if not is_ready(node)}
            for pod in pods:
                if pod["spec"]["nodeName"] in lost:
                    self._lost_nodes = True
                    self._api.delete(PODS, name_of(pod), namespace=self._namespace, grace_s=0)
                    self.problems.append(
                        f"  pod {name_of(pod)} was on node {pod['spec']['nodeName']}, which is not ready: "
                        "force-deleted (grace period 0); its containers may run until the node is back"
                    )

        self._try(leave)

    def empty(self, resource: Resource, word: str, *, grace_s: int | None = None) -> None:
        """Delete all objects of a kind in the namespace."""

        count = 0

        def delete_all() -> None:
            nonlocal count
            items = self._api.list(resource, namespace=self._namespace, slim=only_name)
            count = len(items)
            for item in items:
                self._try(
                    partial(self._api.delete, resource, name_of(item), namespace=self._namespace, grace_s=grace_s)
                )

        def gone() -> None:
            self._wait_for(
                f"{word} of namespace {self._namespace} to be deleted",
                look=lambda: self._api.first(resource, namespace=self._namespace, at_most=SHOWN),
                ready=lambda seen: not seen[0],
                state=lambda seen: _names(seen[0], more=seen[1]),
                events=lambda: self._events(resource),
                timeout_s=self._timeout_for(count),
            )

        self._try(delete_all)
        self._try(gone)

    def let_volumes_go(self) -> None:
        """Have the run's volumes deleted with their claims, whatever their class's reclaim policy; those there are now.

        Volumes of others that claims of the run hold outlive them.
        """
        self._try(self.volumes.settle)

    def see_volumes_gone(self) -> None:
        """Wait until no volume of the run is left, and no attachment of one."""
        if self._lost_nodes:
            self._try(self._allow_for_detaching)
        going = self.volumes.departing()
        what = f"PVs and VolumeAttachments of namespace {self._namespace} to be deleted"
        self._try(partial(self._see_gone, what, going, count=self.volumes.count))
        if not going.is_gone:  # then nobody has looked for others
            self._try(lambda: self._note_others(going))

    def _allow_for_detaching(self) -> None:
        if self.volumes.are_attached():
            self._timeout_s = max(self._timeout_s, DETACH_S)

    def _see_gone(self, what: str, going: Departing[T], *, count: int) -> None:
        self._wait_for(
            what,
            look=going.look,
            ready=lambda seen: seen.gone,
            state=_still_there,
            timeout_s=self._timeout_for(count) + WIDE_LOOK_S,
        )

    def _note_others(self, going: Departing[tuple[Resource, str]]) -> None:
        words = [f"{resource.plural} {name}" for resource, name in going.unknown()]
        if words:
            more = f" and {len(words) - SHOWN} more" if len(words) > SHOWN else ""
            self._note(f"there are also {', '.join(words[:SHOWN])}{more}")

    def delete_namespace(self) -> None:
        """Delete the namespace."""

        def gone() -> None:
            self._api.delete(NAMESPACES, self._namespace)
            self._wait_for(
                f"namespace {self._namespace} to be deleted",
                look=lambda: self._api.find(NAMESPACES, self._namespace),
                ready=lambda seen: seen is None,
                state=_what_holds_namespace,
                timeout_s=self._timeout_s,
            )

        self._try(gone)

    def _wait_for(self, what: str, *, look: Callable[[], T], **how: Any) -> None:
        """As `wait_for`, but for no longer than one request is tried while the API server does not answer."""

        def answered() -> T:
            try:
                return look()
            except (ApiError, ApiUnreachable) as error:
                if is_passing(error):
                    raise _Unanswered(str(error)) from error
                raise

        wait_for(what, look=answered, **how)

    def _try(self, step: Callable[[], object]) -> None:
        if self._unanswered:
            return
        try:
            step()
        except AcceptanceError as error:
            if isinstance(error, _Unanswered) or is_passing(error):
                self._unanswered = True
                self._note(f"the API server does not answer, so the suite cannot tell what else is left: {error}")
            else:
                self._note(str(error))
        except Exception as error:  # whatever it is, all else goes on
            self._note(unforeseen(error))

    def _note(self, problem: str) -> None:
        if f"  {problem}" not in self.problems:
            self.problems.append(f"  {problem}")

    def _timeout_for(self, objects: int) -> float:
        return self._timeout_s + PER_OBJECT_S * objects

    def _events(self, resource: Resource) -> list[str]:
        left, _ = self._api.first(resource, namespace=self._namespace, at_most=1)
        return recent_events(self._api, namespace=self._namespace, name=name_of(left[0])) if left else []


def _what_holds_namespace(seen: Object | None) -> str:
    """In the cluster's own words: what is left in it, and whose finalizers are."""
    status = (seen or {}).get("status") or {}
    told = [
        str(condition.get("message"))
        for condition in status.get("conditions") or []
        if condition.get("status") == "True"
    ]
    return "; ".join([f"phase {status.get('phase', 'unknown')}", *told])


def _still_there(left: Left) -> str:
    if left.some or left.more:
        return _names(left.some, more=left.more)
    return f"all known objects are deleted; polling for others every {WIDE_LOOK_S:.0f} s"


def _names(seen: Sequence[Object], *, more: int) -> str:
    words = [
        f"{name_of(item)} (phase {item.get('status', {}).get('phase', 'unknown')}, "
        f"finalizers: {', '.join(item['metadata'].get('finalizers') or []) or 'none'})"
        for item in seen
    ]
    return "; ".join(words + [f"and {more} more"] * bool(more)) or "none left"


def _placed(pod: Object) -> Object:
    return {"metadata": {"name": name_of(pod)}, "spec": {"nodeName": pod.get("spec", {}).get("nodeName")}}

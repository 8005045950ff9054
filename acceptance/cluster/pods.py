"""Pods of the run: created, waited for, ended."""

from __future__ import annotations

from collections.abc import Callable, Collection

from acceptance.cluster.api import Api
from acceptance.cluster.claims import failed_for_good, is_proven, why_unbound
from acceptance.cluster.events import recent_events
from acceptance.cluster.nodes import is_ready, ready_condition
from acceptance.cluster.pod_manifest import PodPlan, pod_manifest
from acceptance.cluster.pod_states import (
    DELETED,
    describe_pod,
    image_problem,
    main_ended,
    main_runs,
    main_started,
    main_status,
    taken_away,
    throttled,
)
from acceptance.cluster.resources import CLAIMS, NAMESPACES, NODES, PODS, Object
from acceptance.cluster.waiting import describe_events, wait_for
from acceptance.text.errors import AcceptanceError, EnvironmentFailure, StorageFailure

_START_PROBLEMS = ("CreateContainerConfigError", "CreateContainerError", "RunContainerError")

# https://kubernetes.io/docs/reference/labels-annotations-taints/#volume-kubernetes-io-selected-node
_CHOSEN = "volume.kubernetes.io/selected-node"
# Of a pod with hundreds of volumes, enough to see what is wrong with them.
_CLAIMS_TOLD_OF = 5


def create_pod(api: Api, plan: PodPlan, *, timeout_s: float) -> None:
    """Ask for the pod, once its volumes are known to be the run's. One that comes only with the pod is guarded there.

    Raises what `claims.wait_bound` raises for a claim that does not wait for a pod; EnvironmentFailure where the
    cluster makes another pod of it, whose load would be throttled.
    """
    unproven = [number for number, claim in enumerate(plan.claims) if not is_proven(api, claim, timeout_s=timeout_s)]
    ask_for_pod(api, plan, guarded=unproven)


def ask_for_pod(api: Api, plan: PodPlan, *, guarded: Collection[int]) -> None:
    """The same by whoever knows whose its volumes are; in those of `guarded` claims the pod itself looks first."""
    made = api.create(PODS, pod_manifest(plan, guarded=guarded), namespace=plan.namespace)
    if (limited := throttled(made)) is not None:
        raise limited


def wait_started(api: Api, plan: PodPlan, *, timeout_s: float) -> Object:
    """Wait until the pod's main container has started (it may have ended already); the pod as seen then.

    Raises EnvironmentFailure when the image cannot be pulled or the pod is taken away, StorageFailure when the volume
    cannot be mounted or the deadline passed; each with the pod's state and events.
    """
    return _wait(api, plan, "start", ready=main_started, timeout_s=timeout_s)


def _wait(api: Api, plan: PodPlan, what: str, *, ready: Callable[[Object], bool], timeout_s: float) -> Object:
    return wait_for(
        f"pod {plan.name} on StorageClass {plan.classes} to {what}",
        look=lambda: needed(api, plan),
        ready=ready,
        state=describe_pod,
        fatal=lambda seen: start_problem(api, plan, seen),
        events=lambda: _told_of(api, plan),
        timeout_s=timeout_s,
    )


def _told_of(api: Api, plan: PodPlan) -> list[str]:
    """Why its claims are not bound, and the newest events about the pod: it waits without a word for a volume that is
    made once it has a node."""
    unbound = ((claim.name, why_unbound(api, claim)) for claim in plan.claims[:_CLAIMS_TOLD_OF])
    warnings = [f"PVC {name}: {why}" for name, why in unbound if why is not None]
    return [*warnings, *recent_events(api, namespace=plan.namespace, name=plan.name)]


def wait_placed(api: Api, plan: PodPlan, *, timeout_s: float) -> str:
    """Wait until a node is chosen for the pod; its name.

    For a claim that waits for its first consumer the scheduler notes its choice on the claim, before the volume is
    there. Raises what `wait_started` raises.
    """

    def chosen() -> tuple[Object, str]:
        pod = needed(api, plan)
        claims = (api.get(CLAIMS, claim.name, namespace=plan.namespace) for claim in plan.claims)
        noted = ((claim["metadata"].get("annotations") or {}).get(_CHOSEN) for claim in claims)
        return pod, str(pod["spec"].get("nodeName") or next(filter(None, noted), ""))

    return wait_for(
        f"pod {plan.name} on StorageClass {plan.classes} to be given a node",
        look=chosen,
        ready=lambda seen: bool(seen[1]),
        state=lambda seen: describe_pod(seen[0]),
        fatal=lambda seen: start_problem(api, plan, seen[0]),
        events=lambda: _told_of(api, plan),
        timeout_s=timeout_s,
    )[1]


def needed(api: Api, plan: PodPlan) -> Object:
    """The pod, which nobody of the run deletes now. Raises EnvironmentFailure when it is gone all the same."""
    pod = api.find(PODS, plan.name, namespace=plan.namespace)
    if pod is not None and not pod["metadata"].get("deletionTimestamp"):
        return pod
    namespace = api.find(NAMESPACES, plan.namespace)
    if namespace is None or namespace["metadata"].get("deletionTimestamp"):
        raise EnvironmentFailure(
            f"namespace {plan.namespace} was deleted by someone else during the run; see the API server's audit log"
        )
    if pod is None:
        raise EnvironmentFailure(f"pod {plan.name} on StorageClass {plan.classes} was {DELETED}")
    return pod


def wait_ended(api: Api, plan: PodPlan, *, timeout_s: float) -> Object:
    """Wait until the pod's main container has ended, well or not; the pod as seen then.

    Raises EnvironmentFailure when it is gone.
    """
    return _wait(api, plan, "end", ready=main_ended, timeout_s=timeout_s)


def wait_load_over(api: Api, plan: PodPlan, *, timeout_s: float) -> None:
    """Wait until nothing of the pod runs any more; it may be there still. Raises StorageFailure at the deadline."""
    wait_for(
        f"the load of pod {plan.name} on StorageClass {plan.classes} to end",
        look=lambda: api.find(PODS, plan.name, namespace=plan.namespace),
        ready=lambda seen: seen is None or not main_runs(seen),
        state=lambda seen: "gone" if seen is None else describe_pod(seen),
        events=lambda: recent_events(api, namespace=plan.namespace, name=plan.name),
        timeout_s=timeout_s,
    )


def end_pod(api: Api, plan: PodPlan, *, timeout_s: float, grace_s: int = 1) -> None:
    """Delete the pod and wait until it is gone. Raises StorageFailure at the deadline.

    Its volume is free then, unless `grace_s` is 0: that takes it off the cluster's books at once, whatever runs still.
    """
    api.delete(PODS, plan.name, namespace=plan.namespace, grace_s=grace_s)
    wait_gone(api, plan, timeout_s=timeout_s)


def wait_gone(api: Api, plan: PodPlan, *, timeout_s: float, failure: type[AcceptanceError] = StorageFailure) -> None:
    """Wait until a pod that was deleted or evicted is gone. Raises `failure` at the deadline."""
    wait_for(
        f"pod {plan.name} to be deleted",
        look=lambda: api.find(PODS, plan.name, namespace=plan.namespace),
        ready=lambda seen: seen is None,
        state=lambda seen: "gone" if seen is None else describe_pod(seen),
        events=lambda: recent_events(api, namespace=plan.namespace, name=plan.name),
        timeout_s=timeout_s,
        failure=failure,
    )


def start_problem(api: Api, plan: PodPlan, pod: Object) -> AcceptanceError | None:
    """The error that keeps the pod from ever starting, or None."""
    if (of_image := image_problem(plan.image, pod)) is not None:
        return of_image
    waiting = (main_status(pod).get("state") or {}).get("waiting") or {}
    if waiting.get("reason") in _START_PROBLEMS:
        return EnvironmentFailure(f"pod {plan.name} cannot start: {waiting['reason']}: {waiting.get('message')}")
    if (taken := taken_away(pod, what=f"pod {plan.name} on StorageClass {plan.classes}")) is not None:
        return taken
    if pod["status"].get("phase") == "Failed" and not main_started(pod):
        return StorageFailure(f"pod {plan.name} failed before it started: {describe_pod(pod)}" + _events(api, plan))
    return next(filter(None, (failed_for_good(api, claim) for claim in plan.claims)), None)


def lost_node(api: Api, pod: Object) -> str | None:
    """What is wrong with the pod's node, or None while it is ready: nobody can say what becomes of a pod there."""
    name = pod["spec"].get("nodeName")
    if not name:
        return None
    node = api.find(NODES, name)
    if node is None:
        return f"node {name} is gone"
    if is_ready(node):
        return None
    ready = ready_condition(node)
    return f"node {name} is not ready since {ready.get('lastTransitionTime')}: {ready.get('message')}"


def _events(api: Api, plan: PodPlan) -> str:
    return describe_events(lambda: recent_events(api, namespace=plan.namespace, name=plan.name))

"""Pods of the run: created, waited for, ended."""

from __future__ import annotations

from collections.abc import Callable, Collection

from acceptance.cluster.api import Api
from acceptance.cluster.claims import failed_for_good, is_proven, why_unbound
from acceptance.cluster.events import recent_events
from acceptance.cluster.nodes import is_ready, ready_condition
from acceptance.cluster.pod_manifest import PodPlan, pod_manifest
from acceptance.cluster.pod_states import (
    DELETED_BY_OTHERS,
    cpu_limit_problem,
    describe_pod,
    image_problem,
    main_ended,
    main_runs,
    main_started,
    main_status,
    taken_away,
)
from acceptance.cluster.resources import CLAIMS, NAMESPACES, NODES, PODS, Object
from acceptance.cluster.waiting import describe_events, wait_for
from acceptance.text.errors import AcceptanceError, EnvironmentFailure, StorageFailure

_START_PROBLEMS = ("CreateContainerConfigError", "CreateContainerError", "RunContainerError")

# https://kubernetes.io/docs/reference/labels-annotations-taints/#volume-kubernetes-io-selected-node
_SELECTED_NODE = "volume.kubernetes.io/selected-node"
# Of a pod with hundreds of volumes, enough to recognize what is wrong with them.
_CLAIMS_IN_EVENTS = 5


def create_pod(api: Api, plan: PodPlan, *, timeout_s: float) -> None:
    """Create the pod, once its volumes are known to be the run's. One provisioned with the pod is guarded there.

    Raises what `claims.wait_bound` raises for a claim that does not wait for a pod; EnvironmentFailure if the cluster
    changes the pod so that its load would be throttled.
    """
    unproven = [number for number, claim in enumerate(plan.claims) if not is_proven(api, claim, timeout_s=timeout_s)]
    ask_for_pod(api, plan, guarded_claims=unproven)


def ask_for_pod(api: Api, plan: PodPlan, *, guarded_claims: Collection[int]) -> None:
    """Create the pod without a check of its volumes; in those of `guarded_claims`, the pod itself checks first."""
    pod = api.create(PODS, pod_manifest(plan, guarded_claims=guarded_claims), namespace=plan.namespace)
    if (problem := cpu_limit_problem(pod)) is not None:
        raise problem


def wait_started(api: Api, plan: PodPlan, *, timeout_s: float) -> Object:
    """Wait until the pod's main container has started (it may have ended already); return the pod as last read.

    Raises EnvironmentFailure if the image cannot be pulled or the cluster ended the pod, StorageFailure if the volume
    cannot be mounted or the deadline passed; each with the pod's state and events.
    """
    return _wait(api, plan, "start", ready=main_started, timeout_s=timeout_s)


def _wait(api: Api, plan: PodPlan, goal: str, *, ready: Callable[[Object], bool], timeout_s: float) -> Object:
    return wait_for(
        f"pod {plan.name} on StorageClass {plan.classes} to {goal}",
        look=lambda: require_pod(api, plan),
        ready=ready,
        state=describe_pod,
        fatal=lambda pod: start_problem(api, plan, pod),
        events=lambda: _claim_and_pod_events(api, plan),
        timeout_s=timeout_s,
    )


def _claim_and_pod_events(api: Api, plan: PodPlan) -> list[str]:
    """Return why its claims are not bound, and the newest events about the pod.

    A pod has no events while it waits for a volume that is provisioned once it has a node.
    """
    unbound = ((claim.name, why_unbound(api, claim)) for claim in plan.claims[:_CLAIMS_IN_EVENTS])
    warnings = [f"PVC {name}: {why}" for name, why in unbound if why is not None]
    return [*warnings, *recent_events(api, namespace=plan.namespace, name=plan.name)]


def wait_placed(api: Api, plan: PodPlan, *, timeout_s: float) -> str:
    """Wait until a node is chosen for the pod; return its name.

    For a claim that waits for its first consumer, the scheduler writes its choice on the claim before the volume
    exists. Raises what `wait_started` raises.
    """

    def look() -> tuple[Object, str]:
        pod = require_pod(api, plan)
        claims = (api.get(CLAIMS, claim.name, namespace=plan.namespace) for claim in plan.claims)
        choices = ((claim["metadata"].get("annotations") or {}).get(_SELECTED_NODE) for claim in claims)
        return pod, str(pod["spec"].get("nodeName") or next(filter(None, choices), ""))

    return wait_for(
        f"pod {plan.name} on StorageClass {plan.classes} to be scheduled",
        look=look,
        ready=lambda placement: bool(placement[1]),
        state=lambda placement: describe_pod(placement[0]),
        fatal=lambda placement: start_problem(api, plan, placement[0]),
        events=lambda: _claim_and_pod_events(api, plan),
        timeout_s=timeout_s,
    )[1]


def require_pod(api: Api, plan: PodPlan) -> Object:
    """Return the pod, which no part of the run deletes now. Raises EnvironmentFailure if it is deleted anyway."""
    pod = api.find(PODS, plan.name, namespace=plan.namespace)
    if pod is not None and not pod["metadata"].get("deletionTimestamp"):
        return pod
    namespace = api.find(NAMESPACES, plan.namespace)
    if namespace is None or namespace["metadata"].get("deletionTimestamp"):
        raise EnvironmentFailure(
            f"namespace {plan.namespace} was deleted by someone else during the run; see the API server's audit log"
        )
    if pod is None:
        raise EnvironmentFailure(f"pod {plan.name} on StorageClass {plan.classes} was {DELETED_BY_OTHERS}")
    return pod


def wait_ended(api: Api, plan: PodPlan, *, timeout_s: float) -> Object:
    """Wait until the pod's main container has ended, successfully or not; return the pod as last read.

    Raises EnvironmentFailure if the pod no longer exists.
    """
    return _wait(api, plan, "end", ready=main_ended, timeout_s=timeout_s)


def wait_load_over(api: Api, plan: PodPlan, *, timeout_s: float) -> None:
    """Wait until nothing of the pod runs any more; it may still exist. Raises StorageFailure at the deadline."""
    wait_for(
        f"the load of pod {plan.name} on StorageClass {plan.classes} to end",
        look=lambda: api.find(PODS, plan.name, namespace=plan.namespace),
        ready=lambda pod: pod is None or not main_runs(pod),
        state=lambda pod: "does not exist" if pod is None else describe_pod(pod),
        events=lambda: recent_events(api, namespace=plan.namespace, name=plan.name),
        timeout_s=timeout_s,
    )


def end_pod(api: Api, plan: PodPlan, *, timeout_s: float, grace_s: int = 1) -> None:
    """Delete the pod and wait until it no longer exists. Raises StorageFailure at the deadline.

    Its volume is free then, unless `grace_s` is 0: that removes it from the API server immediately, whatever still
    runs.
    """
    api.delete(PODS, plan.name, namespace=plan.namespace, grace_s=grace_s)
    wait_gone(api, plan, timeout_s=timeout_s)


def wait_gone(api: Api, plan: PodPlan, *, timeout_s: float, failure: type[AcceptanceError] = StorageFailure) -> None:
    """Wait until a pod that was deleted or evicted no longer exists. Raises `failure` at the deadline."""
    wait_for(
        f"pod {plan.name} to be deleted",
        look=lambda: api.find(PODS, plan.name, namespace=plan.namespace),
        ready=lambda pod: pod is None,
        state=lambda pod: "does not exist" if pod is None else describe_pod(pod),
        events=lambda: recent_events(api, namespace=plan.namespace, name=plan.name),
        timeout_s=timeout_s,
        failure=failure,
    )


def start_problem(api: Api, plan: PodPlan, pod: Object) -> AcceptanceError | None:
    """Return the error that keeps the pod from ever starting, or None."""
    if (of_image := image_problem(plan.image, pod)) is not None:
        return of_image
    waiting = (main_status(pod).get("state") or {}).get("waiting") or {}
    if waiting.get("reason") in _START_PROBLEMS:
        return EnvironmentFailure(f"pod {plan.name} cannot start: {waiting['reason']}: {waiting.get('message')}")
    if (loss := taken_away(pod, subject=f"pod {plan.name} on StorageClass {plan.classes}")) is not None:
        return loss
    if pod["status"].get("phase") == "Failed" and not main_started(pod):
        return StorageFailure(f"pod {plan.name} failed before it started: {describe_pod(pod)}" + _events(api, plan))
    return next(filter(None, (failed_for_good(api, claim) for claim in plan.claims)), None)


def lost_node(api: Api, pod: Object) -> str | None:
    """Return what is wrong with the pod's node, or None while it is ready: the pod's own state is unknown there."""
    name = pod["spec"].get("nodeName")
    if not name:
        return None
    node = api.find(NODES, name)
    if node is None:
        return f"node {name} no longer exists"
    if is_ready(node):
        return None
    ready = ready_condition(node)
    return f"node {name} is not ready since {ready.get('lastTransitionTime')}: {ready.get('message')}"


def _events(api: Api, plan: PodPlan) -> str:
    return describe_events(lambda: recent_events(api, namespace=plan.namespace, name=plan.name))

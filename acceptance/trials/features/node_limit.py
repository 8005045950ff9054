"""As many volumes as a node's driver says that it takes: a pod uses so many at once, and a further pod waits."""

from __future__ import annotations

from acceptance.cluster.claims import Claim
from acceptance.cluster.nodes import nodes_that_take_pods
from acceptance.cluster.objects import name_of
from acceptance.cluster.pod_manifest import VOLUMES_PATH, PodPlan
from acceptance.cluster.pod_states import ATTACH_LIMIT, at_attach_limit, is_over
from acceptance.cluster.pods import end_pod, needed, wait_ended, wait_started
from acceptance.cluster.resources import CLAIMS, CSI_NODES, PODS, VOLUMES, Object
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.declared import Tries
from acceptance.trials.features.waiting_pods import wait_kept

_HOLDS = f"""
for each in {VOLUMES_PATH}/*; do echo mark > "$each/mark" && sync "$each/mark" || exit 1; done
while :; do sleep 1; done
"""
_WRITES = 'echo mark > "$VOLUME/mark" && sync "$VOLUME/mark" && cat "$VOLUME/mark"'


@Tries("node-limit", "A node takes as many volumes as its driver says", pods=2, fills_node=True)
def try_node_limit(bench: Bench) -> str:
    """How a node was seen to be full. Raises Unsupported where its driver reports no limit, or there is no consent to
    so many volumes, StorageFailure where fewer can be used, or one more cannot be once the others are gone."""
    node, most = _limit(bench)
    others = len(_volumes_there(bench, node))
    room = most - others
    told = f"the driver of StorageClass {bench.storage_class.name} takes {most} volumes on {node}"
    told += f", {others} of them others'" if others else ""
    if room < 1:
        raise bench.not_tried(f"{told}: there is no room for one more")
    if room > bench.node_volumes:
        raise bench.not_tried(
            f"{told}; wanted consent to {room} more, found --storage-with node-volumes={bench.node_volumes}"
        )
    full = bench.plan(*_claims(bench, room), script=_HOLDS, node=node)
    _fill(bench, full, told=told)
    further = bench.plan(bench.claim("one-more"), script=_WRITES, node=node)
    bench.ask_for(further)
    try:
        why = wait_kept(
            bench,
            further,
            f"a pod with one volume more to be kept by the scheduler, since {told}",
            words=(ATTACH_LIMIT,),
            started=f"{told}, and a pod with one more started there: the scheduler ignores what the node reports",
        )
    except StorageFailure as error:
        if (now := len(_volumes_there(bench, node)) - room - 1) < others:
            raise bench.not_tried(f"{told}, and {others - now} of these went meanwhile") from error
        raise
    end_pod(bench.api, full, timeout_s=bench.timeout_s)
    wait_ended(bench.api, further, timeout_s=bench.timeout_s)
    if (said := bench.output_of(further).strip()) != "mark":
        raise StorageFailure(f"{told}; one more volume took no write once the others were gone: {said}")
    took = f"{node} took {room} volumes beside {others} of others"
    return f"{took}; a pod with one more waited ({why}), and started when they were gone"


def _limit(bench: Bench) -> tuple[str, int]:
    """The first node of those that may be used, and how many volumes the class's driver says that it takes."""
    driver = bench.storage_class.provisioner
    usable = map(name_of, nodes_that_take_pods(bench.api, bench.workspace.pods.template))
    for node in [bench.node] if bench.node else sorted(usable):
        seen: Object = bench.api.find(CSI_NODES, node) or {"spec": {}}
        for each in seen["spec"].get("drivers") or []:
            count = (each.get("allocatable") or {}).get("count")
            if each["name"] == driver and count is not None:
                return node, int(count)
    raise bench.missing(f"driver {driver} reports no limit of volumes on any node (CSINode, allocatable.count)")


def _claims(bench: Bench, number: int) -> list[Claim]:
    return [bench.claim(f"{place}-of-{number}") for place in range(1, number + 1)]


def _fill(bench: Bench, plan: PodPlan, *, told: str) -> None:
    try:
        bench.ask_for(plan)
        wait_started(bench.api, plan, timeout_s=bench.timeout_s)
    except StorageFailure as error:
        if at_attach_limit(needed(bench.api, plan)):
            raise bench.not_tried(f"{told}, and the scheduler counts more volumes there") from error
        raise StorageFailure(f"{told}, and a pod with the other {len(plan.claims)} does not start: {error}") from error


def _volumes_there(bench: Bench, node: str) -> set[str]:
    """The names of the PVs of the class's driver that pods have on the node."""
    found = set()
    for namespace, name in _claims_there(bench, node):
        claim = bench.api.find(CLAIMS, name, namespace=namespace) or {"spec": {}}
        volume = bench.api.find(VOLUMES, bound) if (bound := claim["spec"].get("volumeName")) else None
        if volume and (volume["spec"].get("csi") or {}).get("driver") == bench.storage_class.provisioner:
            found.add(name_of(volume))
    return found


def _claims_there(bench: Bench, node: str) -> set[tuple[str, str]]:
    found = set()
    for pod in bench.api.list(PODS, fields=f"spec.nodeName={node}"):
        for volume in [] if is_over(pod) else pod["spec"].get("volumes") or []:
            if (used := volume.get("persistentVolumeClaim")) is not None:
                found.add((pod["metadata"]["namespace"], used["claimName"]))
            elif "ephemeral" in volume:
                found.add((pod["metadata"]["namespace"], f"{name_of(pod)}-{volume['name']}"))
    return found

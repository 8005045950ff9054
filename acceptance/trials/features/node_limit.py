"""The maximum number of volumes that a node's driver reports: a pod uses all of them, and a further pod waits."""

from __future__ import annotations

from acceptance.cluster.claims import Claim
from acceptance.cluster.nodes import nodes_that_take_pods
from acceptance.cluster.objects import name_of
from acceptance.cluster.pod_manifest import VOLUMES_PATH, PodPlan
from acceptance.cluster.pod_states import ATTACH_LIMIT, at_attach_limit, is_over
from acceptance.cluster.pods import end_pod, require_pod, wait_ended, wait_started
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


@Tries("node-limit", "A node takes as many volumes as its driver reports", pods=2, fills_node=True)
def try_node_limit(bench: Bench) -> str:
    """Verify that a node takes as many volumes as its driver reports, and return what was observed.

    Raises Unsupported if the driver reports no limit, or without consent to that many volumes, StorageFailure if fewer
    can be used, or if a pod cannot use one more after the others are deleted.
    """
    node, most = _limit(bench)
    other_count = len(_volumes_there(bench, node))
    room = most - other_count
    limit = f"the driver of StorageClass {bench.storage_class.name} allows {most} volumes on {node}"
    limit += f", of which other pods use {other_count}" if other_count else ""
    if room < 1:
        raise bench.not_tried(f"{limit}: there is no room for one more")
    if room > bench.node_volumes:
        raise bench.not_tried(
            f"{limit}; expected consent to {room} more, found --storage-with node-volumes={bench.node_volumes}"
        )
    full = bench.plan(*_claims(bench, room), script=_HOLDS, node=node)
    _fill(bench, full, limit=limit)
    further = bench.plan(bench.claim("one-more"), script=_WRITES, node=node)
    bench.ask_for(further)
    try:
        why = wait_kept(
            bench,
            further,
            f"a pod with one more volume to be kept pending by the scheduler, because {limit}",
            words=(ATTACH_LIMIT,),
            failure=f"{limit}, but a pod with one more volume started there: the scheduler ignores the reported limit",
        )
    except StorageFailure as error:
        if (now := len(_volumes_there(bench, node)) - room - 1) < other_count:
            raise bench.not_tried(f"{limit}, but {other_count - now} of these are no longer in use") from error
        raise
    end_pod(bench.api, full, timeout_s=bench.timeout_s)
    wait_ended(bench.api, further, timeout_s=bench.timeout_s)
    if (output := bench.output_of(further).strip()) != "mark":
        raise StorageFailure(f"{limit}; one more volume accepted no write after the first pod was deleted: {output}")
    took = f"{node} took {room} volumes in addition to {other_count} of other pods"
    return f"{took}; a pod with one more volume waited ({why}), and started after the first pod was deleted"


def _limit(bench: Bench) -> tuple[str, int]:
    """Return the first usable node for which the class's driver reports a limit of volumes, and that limit."""
    driver = bench.storage_class.provisioner
    usable = map(name_of, nodes_that_take_pods(bench.api, bench.workspace.pods.template))
    for node in [bench.node] if bench.node else sorted(usable):
        csi_node: Object = bench.api.find(CSI_NODES, node) or {"spec": {}}
        for entry in csi_node["spec"].get("drivers") or []:
            count = (entry.get("allocatable") or {}).get("count")
            if entry["name"] == driver and count is not None:
                return node, int(count)
    raise bench.missing(f"driver {driver} reports no limit of volumes on any node (CSINode, allocatable.count)")


def _claims(bench: Bench, number: int) -> list[Claim]:
    return [bench.claim(f"{place}-of-{number}") for place in range(1, number + 1)]


def _fill(bench: Bench, plan: PodPlan, *, limit: str) -> None:
    try:
        bench.ask_for(plan)
        wait_started(bench.api, plan, timeout_s=bench.timeout_s)
    except StorageFailure as error:
        if at_attach_limit(require_pod(bench.api, plan)):
            raise bench.not_tried(f"{limit}, but the scheduler counts more volumes there") from error
        raise StorageFailure(
            f"{limit}, but a pod with the remaining {len(plan.claims)} does not start: {error}"
        ) from error


def _volumes_there(bench: Bench, node: str) -> set[str]:
    """Return the names of the PVs of the class's driver that pods use on the node."""
    volumes = set()
    for namespace, name in _claims_there(bench, node):
        claim = bench.api.find(CLAIMS, name, namespace=namespace) or {"spec": {}}
        volume = bench.api.find(VOLUMES, bound) if (bound := claim["spec"].get("volumeName")) else None
        if volume and (volume["spec"].get("csi") or {}).get("driver") == bench.storage_class.provisioner:
            volumes.add(name_of(volume))
    return volumes


def _claims_there(bench: Bench, node: str) -> set[tuple[str, str]]:
    claims = set()
    for pod in bench.api.list(PODS, fields=f"spec.nodeName={node}"):
        for volume in [] if is_over(pod) else pod["spec"].get("volumes") or []:
            if (claim_source := volume.get("persistentVolumeClaim")) is not None:
                claims.add((pod["metadata"]["namespace"], claim_source["claimName"]))
            elif "ephemeral" in volume:
                claims.add((pod["metadata"]["namespace"], f"{name_of(pod)}-{volume['name']}"))
    return claims

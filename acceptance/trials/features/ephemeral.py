"""A generic ephemeral volume: created with its pod, and deleted with it, the PV too."""

from __future__ import annotations

from dataclasses import replace

from acceptance.cluster.claims import wait_bound, wait_volume_gone, wait_volume_released
from acceptance.cluster.pod_manifest import ephemeral_name
from acceptance.cluster.pods import end_pod
from acceptance.cluster.resources import CLAIMS, VOLUMES
from acceptance.cluster.waiting import wait_for
from acceptance.trials.features.bench import Bench, new_mark
from acceptance.trials.features.declared import Tries

_KEEPS = 'echo "$MARK" > "$VOLUME/mark" && sync "$VOLUME/mark" && cat "$VOLUME/mark" && while :; do sleep 1; done'


@Tries("ephemeral", "Volumes are created and deleted with a pod (generic ephemeral)")
def try_ephemeral(bench: Bench) -> str:
    """Verify that a volume is created and deleted with its pod, and return what was observed.

    Raises StorageFailure if it does not appear, does not take a write, or remains after its pod is deleted.
    """
    api, mark = bench.api, new_mark()
    plan = replace(bench.plan(bench.unmade_claim("ephemeral"), script=_KEEPS, MARK=mark), ephemeral=True)
    claim = replace(plan.claims[0], name=ephemeral_name(plan.name, 0))
    plan = bench.start_plan(replace(plan, claims=(claim,)))
    volume = wait_bound(api, claim, timeout_s=bench.timeout_s)
    wait_for(
        f"pod {plan.name} to read what it wrote on its ephemeral volume",
        look=lambda: bench.output_of(plan).split(),
        ready=lambda words: words == [mark],
        state=lambda words: f"the pod printed {' '.join(words) or 'nothing'}",
        timeout_s=bench.timeout_s,
    )
    policy = api.get(VOLUMES, volume)["spec"].get("persistentVolumeReclaimPolicy")
    end_pod(api, plan, timeout_s=bench.timeout_s)
    wait_for(
        f"PVC {claim.name}, created with pod {plan.name}, to be deleted with it",
        look=lambda: api.find(CLAIMS, claim.name, namespace=claim.namespace),
        ready=lambda pvc: pvc is None,
        state=lambda pvc: "deleted" if pvc is None else f"finalizers: {pvc['metadata'].get('finalizers')}",
        timeout_s=bench.timeout_s,
    )
    if policy != "Delete":
        wait_volume_released(api, volume, timeout_s=bench.timeout_s)
        return (
            "a volume was created with a pod, and its PVC was deleted with it; the PV remains, because the reclaim "
            f"policy is {policy}"
        )
    wait_volume_gone(api, volume, timeout_s=bench.timeout_s)
    return f"a volume was created with a pod on {bench.node}; its PVC and PV were deleted with the pod"

"""Attributes of a volume in use, changed by a VolumeAttributesClass: the PVC reports the change, and the pod continues.

Only the driver knows what the parameters of such a class mean, so this suite does not check their effect. Kubernetes
has such classes since 1.34: https://kubernetes.io/docs/concepts/storage/volume-attributes-classes/
"""

from __future__ import annotations

from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.claims import Claim
from acceptance.cluster.events import recent_events
from acceptance.cluster.objects import name_of
from acceptance.cluster.resources import ATTRIBUTES_CLASSES, CLAIMS, VOLUMES, Object
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import StorageFailure
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.declared import Tries
from acceptance.trials.features.going_on import USES, wait_goes_on

MOST = 2
"""Classes that a volume gets in turn: the first if it has none, the second in place of the first."""


@Tries("volume-attributes-class", "Attributes of volumes are changed while they are used (VolumeAttributesClass)")
def try_modification(bench: Bench) -> str:
    """Verify that a volume in use gets other attributes, and return what was observed.

    Raises Unsupported if no VolumeAttributesClass is for the volume, StorageFailure if the change is never reported, or
    if the pod does not continue.
    """
    names = _classes(bench)
    claim = bench.claim("modified")
    pod = bench.start(claim, USES)
    got: list[str] = []
    refusals: list[str] = []
    for name in names:
        why = _modify(bench, claim, name)
        if why is None:
            got.append(name)
        else:
            refusals.append(f"{name}: {why}")
        if len(got) == MOST:
            break
    if not got:
        raise bench.missing(
            f"driver {bench.storage_class.provisioner} rejects each of its VolumeAttributesClasses for a volume of "
            f"StorageClass {bench.storage_class.name}: {'; '.join(refusals)}"
        )
    since = " after its volume was modified"
    wait_goes_on(bench, pod, since=since, describe_failure=lambda _: "failed when the volume was modified")
    actual = bench.api.get(VOLUMES, bench.volume_of(claim))["spec"].get("volumeAttributesClassName")
    if actual != got[-1]:
        raise StorageFailure(
            f"PVC {claim.name} reports VolumeAttributesClass {got[-1]}, but its PV reports {actual or 'none'}"
        )
    return f"a volume got VolumeAttributesClass {', then '.join(got)} while a pod kept writing and reading"


def _classes(bench: Bench) -> list[str]:
    """Return the names of the classes for the StorageClass's driver. Raises Unsupported if there are none."""
    driver = bench.storage_class.provisioner
    try:
        classes = bench.api.list(ATTRIBUTES_CLASSES)
    except ApiError as error:
        if error.status != 404:
            raise
        raise bench.missing(
            f"the cluster serves no volumeattributesclasses of {ATTRIBUTES_CLASSES.group}/v1; Kubernetes has them "
            "since 1.34"
        ) from error
    names = sorted(name_of(entry) for entry in classes if entry.get("driverName") == driver)
    if not names:
        raise bench.missing(
            f"no VolumeAttributesClass names driver {driver}, the provisioner of StorageClass "
            f"{bench.storage_class.name}"
        )
    return names


def _modify(bench: Bench, claim: Claim, name: str) -> str | None:
    """Wait until the claim reports that class. Return None, or why its volume cannot have it, as the driver reports."""
    bench.api.patch(CLAIMS, claim.name, {"spec": {"volumeAttributesClassName": name}}, namespace=claim.namespace)
    last_status = wait_for(
        f"PVC {claim.name} of StorageClass {claim.storage_class} to have VolumeAttributesClass {name}",
        look=lambda: bench.api.get(CLAIMS, claim.name, namespace=claim.namespace)["status"],
        ready=lambda status: status.get("currentVolumeAttributesClassName") == name or _cannot(status, name),
        state=_in_words,
        events=lambda: recent_events(bench.api, namespace=claim.namespace, name=claim.name),
        timeout_s=bench.timeout_s,
    )
    return _in_words(last_status) if _cannot(last_status, name) else None


def _cannot(status: Object, name: str) -> bool:
    modifying = status.get("modifyVolumeStatus") or {}
    return modifying.get("status") == "Infeasible" and modifying.get("targetVolumeAttributesClassName") == name


def _in_words(status: Object) -> str:
    modifying = (status.get("modifyVolumeStatus") or {}).get("status", "not started")
    messages = [
        condition["message"]
        for condition in status.get("conditions") or []
        if condition.get("type") == "ModifyVolumeError" and condition.get("message")
    ]
    has = status.get("currentVolumeAttributesClassName", "none")
    return "; ".join([f"current class {has}, change {modifying}", *messages])

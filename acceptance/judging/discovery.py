"""What is wrong with the StorageClasses of a cluster, and which to test beside which. Pure: from listed objects alone.

Sources: https://kubernetes.io/docs/concepts/storage/storage-classes/, and beside it storage-capacity/ and
volume-snapshot-classes/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from acceptance.results.clusters import StorageClass
from acceptance.results.requirement import Outcome

Object = Mapping[str, Any]

# Their volumes are on one node's own disks.
LOCAL = {
    "rancher.io/local-path",
    "openebs.io/local",
    "local.csi.openebs.io",
    "topolvm.io",
    "k8s.io/minikube-hostpath",
    "docker.io/hostpath",
    "microk8s.io/hostpath",
    "hostpath.csi.k8s.io",
}
# Whose pods do not bear the provisioner's name.
_OTHER_NAMES = {"k8s.io/minikube-hostpath": "storage-provisioner", "docker.io/hostpath": "storage-provisioner"}
LONG_ENOUGH = 6
"""letters of a name that tells a provisioner from others"""


@dataclass(frozen=True, kw_only=True)
class FoundClass:
    """One StorageClass. `snapshots`, `groups`: whether there is a class of them; `capacity`: free space is told."""

    name: str
    provisioner: str
    default: bool
    local: bool
    binding: str
    expansion: bool
    snapshots: bool
    groups: bool
    capacity: bool
    wrong: tuple[Outcome, ...]
    """what may keep it from working, or from being tested"""
    usable: bool
    """whether it has a provisioner"""
    runs: bool
    """whether that was seen to run, or is not known"""


@dataclass(frozen=True, kw_only=True)
class Discovery:
    """All classes; what is wrong with them together; those to begin with, None where none suits."""

    classes: tuple[FoundClass, ...]
    wrong: tuple[Outcome, ...]
    candidate: str | None
    baseline: str | None


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What there is beside the classes; None: could not be listed, so that nothing is said of it."""

    drivers: Sequence[Object] | None = None
    csi_nodes: Sequence[Object] | None = None
    capacities: Sequence[Object] | None = None
    snapshot_classes: Sequence[Object] | None = None
    group_classes: Sequence[Object] | None = None
    pods: Sequence[Object] | None = None


def discover(classes: Sequence[StorageClass], beside: Surroundings) -> Discovery:
    """Judge the classes by what there is beside them."""
    found = tuple(sorted((_found(storage_class, beside) for storage_class in classes), key=lambda each: each.name))
    candidate = _candidate(found)
    local = [each for each in found if each.local and each.usable and each.name != candidate]
    local.sort(key=lambda each: (not each.runs, each.binding != "WaitForFirstConsumer"))
    return Discovery(
        classes=found,
        wrong=tuple(_wrong_together(found)),
        candidate=candidate,
        baseline=local[0].name if local else None,
    )


def _candidate(found: Sequence[FoundClass]) -> str | None:
    """What applications get that name none, where that is no local disk; else a class that is none."""
    usable = [each for each in found if each.usable]
    usable.sort(key=lambda each: (not each.runs, each.local, not each.default))
    return usable[0].name if usable else None


def _wrong_together(found: Sequence[FoundClass]) -> Iterator[Outcome]:
    defaults = [each.name for each in found if each.default]
    if not found:
        yield Outcome(code="discovery.no_class")
    elif not defaults:
        yield Outcome(code="discovery.no_default")
    elif len(defaults) > 1:
        yield Outcome(code="discovery.many_defaults", facts={"classes": [*defaults]})


def _found(each: StorageClass, beside: Surroundings) -> FoundClass:
    snapshots = any(storage_class.get("driver") == each.provisioner for storage_class in beside.snapshot_classes or ())
    missing = _missing_provisioner(each, beside)
    return FoundClass(
        name=each.name,
        provisioner=each.provisioner,
        default=each.default,
        # Bound at once, it is of a folder that all nodes share, or it does not work: nothing to compare with.
        local=each.provisioner in LOCAL and each.waits_for_pod,
        binding=each.binding_mode,
        expansion=each.allow_expansion,
        snapshots=snapshots,
        groups=any(storage_class.get("driver") == each.provisioner for storage_class in beside.group_classes or ()),
        capacity=_tells_capacity(each.name, beside),
        wrong=(*([missing] if missing else []), *_wrong(each, snapshots=snapshots, beside=beside)),
        usable=each.provisions,
        runs=missing is None,
    )


def _wrong(of: StorageClass, *, snapshots: bool, beside: Surroundings) -> Iterator[Outcome]:
    if not of.provisions:
        return
    if of.provisioner in LOCAL and not of.waits_for_pod:
        yield Outcome(code="discovery.local_bound_at_once")
    if not of.allow_expansion:
        yield Outcome(code="discovery.no_expansion")
    if beside.snapshot_classes is not None and not snapshots and _is_csi(of.provisioner, beside):
        yield Outcome(code="discovery.no_snapshot_class")
    driver = next((each for each in beside.drivers or () if each["metadata"]["name"] == of.provisioner), None)
    promised = driver is not None and bool((driver.get("spec") or {}).get("storageCapacity"))
    if promised and beside.capacities is not None and not _tells_capacity(of.name, beside):
        yield Outcome(code="discovery.no_capacity")


def _missing_provisioner(of: StorageClass, beside: Surroundings) -> Outcome | None:
    """Why nothing seems to make volumes; None where something does, or that is not known."""
    provisioner = of.provisioner
    if not of.provisions:
        return Outcome(code="discovery.no_provisioner")
    if provisioner.startswith("kubernetes.io/"):  # in-tree: a CSI driver with another name does it, if any
        return None
    if beside.csi_nodes is None or beside.pods is None or _on_nodes(provisioner, beside):
        return None
    if any(_speaks_of(provisioner, pod) for pod in beside.pods):
        return None
    return Outcome(code="discovery.no_driver", facts={"provisioner": provisioner})


def _on_nodes(provisioner: str, beside: Surroundings) -> bool:
    drivers = (driver for node in beside.csi_nodes or () for driver in (node.get("spec") or {}).get("drivers") or ())
    return any(driver.get("name") == provisioner for driver in drivers)


def _is_csi(provisioner: str, beside: Surroundings) -> bool:
    named = any(driver["metadata"]["name"] == provisioner for driver in beside.drivers or ())
    return named or _on_nodes(provisioner, beside)


def _speaks_of(provisioner: str, pod: Object) -> bool:
    """Whether the pod's name, images or words hold the provisioner's name, or what of that is not its domain."""
    domain, _, own = provisioner.rpartition("/")
    # `local` or `nfs` is in the words of many.
    sought = _OTHER_NAMES.get(provisioner) or (own if len(own) >= LONG_ENOUGH else domain.partition(".")[0] or own)
    containers = (pod.get("spec") or {}).get("containers") or ()
    words = [pod["metadata"]["name"]]
    for container in containers:
        words += [container.get("image", ""), *(container.get("args") or ()), *(container.get("command") or ())]
        words += [str(one.get("value", "")) for one in container.get("env") or ()]
    return any(sought in word for word in words)


def _tells_capacity(name: str, beside: Surroundings) -> bool:
    return any(capacity.get("storageClassName") == name for capacity in beside.capacities or ())

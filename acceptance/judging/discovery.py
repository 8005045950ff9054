"""The problems of a cluster's StorageClasses, and the pair to compare. Pure: from listed objects alone.

Sources: https://kubernetes.io/docs/concepts/storage/storage-classes/, and storage-capacity/ and
volume-snapshot-classes/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from acceptance.judging.topologies import zones_of
from acceptance.results.clusters import StorageClass
from acceptance.results.requirement import Outcome

Object = Mapping[str, Any]

# Provisioners whose volumes are on one node's own disks.
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
# Provisioners whose pods have other names.
_OTHER_NAMES = {"k8s.io/minikube-hostpath": "storage-provisioner", "docker.io/hostpath": "storage-provisioner"}
LONG_ENOUGH = 6
"""Letters of a name that distinguishes a provisioner from others."""


@dataclass(frozen=True, kw_only=True)
class FoundClass:
    """One StorageClass. `snapshots`, `groups`: there is a class of them; `capacity`: its driver reports free space."""

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
    """Problems that may keep it from working, or from being tested."""
    usable: bool
    """It has a provisioner."""
    runs: bool
    """Its provisioner was seen to run, or that is not known."""


@dataclass(frozen=True, kw_only=True)
class Discovery:
    """All classes; their common problems; the classes to begin with, None if none suits."""

    classes: tuple[FoundClass, ...]
    wrong: tuple[Outcome, ...]
    candidate: str | None
    baseline: str | None


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """The classes as the API returns them, and the objects next to them.

    None: they could not be listed, so nothing is reported of them.
    """

    classes: Sequence[Object] | None = None
    nodes: Sequence[Object] | None = None
    drivers: Sequence[Object] | None = None
    csi_nodes: Sequence[Object] | None = None
    capacities: Sequence[Object] | None = None
    snapshot_classes: Sequence[Object] | None = None
    group_classes: Sequence[Object] | None = None
    pods: Sequence[Object] | None = None


def discover(classes: Sequence[StorageClass], beside: Surroundings) -> Discovery:
    """Judge the classes by the objects next to them."""
    findings = tuple(
        sorted((_examine(storage_class, beside) for storage_class in classes), key=lambda finding: finding.name)
    )
    candidate = _candidate(findings)
    local = [finding for finding in findings if finding.local and finding.usable and finding.name != candidate]
    local.sort(key=lambda finding: (not finding.runs, finding.binding != "WaitForFirstConsumer"))
    return Discovery(
        classes=findings,
        wrong=tuple(_wrong_together(findings)),
        candidate=candidate,
        baseline=local[0].name if local else None,
    )


def _candidate(findings: Sequence[FoundClass]) -> str | None:
    """Return the default class, which applications get that name none, unless it is local; else one that is not."""
    usable = [finding for finding in findings if finding.usable]
    usable.sort(key=lambda finding: (not finding.runs, finding.local, not finding.default))
    return usable[0].name if usable else None


def _wrong_together(findings: Sequence[FoundClass]) -> Iterator[Outcome]:
    defaults = [finding.name for finding in findings if finding.default]
    if not findings:
        yield Outcome(code="discovery.no_class")
    elif not defaults:
        yield Outcome(code="discovery.no_default")
    elif len(defaults) > 1:
        yield Outcome(code="discovery.many_defaults", facts={"classes": [*defaults]})


def _examine(storage_class: StorageClass, beside: Surroundings) -> FoundClass:
    snapshots = any(item.get("driver") == storage_class.provisioner for item in beside.snapshot_classes or ())
    missing = _missing_provisioner(storage_class, beside)
    return FoundClass(
        name=storage_class.name,
        provisioner=storage_class.provisioner,
        default=storage_class.default,
        # If it binds immediately, all nodes share its folder, or it does not work: no use as a baseline.
        local=storage_class.provisioner in LOCAL and storage_class.waits_for_pod,
        binding=storage_class.binding_mode,
        expansion=storage_class.allow_expansion,
        snapshots=snapshots,
        groups=any(item.get("driver") == storage_class.provisioner for item in beside.group_classes or ()),
        capacity=_tells_capacity(storage_class.name, beside),
        wrong=(*([missing] if missing else []), *_wrong(storage_class, snapshots=snapshots, beside=beside)),
        usable=storage_class.provisions,
        runs=missing is None,
    )


def _wrong(of: StorageClass, *, snapshots: bool, beside: Surroundings) -> Iterator[Outcome]:
    if not of.provisions:
        return
    if of.provisioner in LOCAL and not of.waits_for_pod:
        yield Outcome(code="discovery.local_bound_at_once")
    elif not of.waits_for_pod:
        key, zones = _zones(of, beside)
        if len(zones) > 1:
            yield Outcome(code="discovery.zones_bound_at_once", facts={"label": key, "zones": [*zones]})
    if not of.allow_expansion:
        yield Outcome(code="discovery.no_expansion")
    if beside.snapshot_classes is not None and not snapshots and _is_csi(of.provisioner, beside):
        yield Outcome(code="discovery.no_snapshot_class")
    driver = next((driver for driver in beside.drivers or () if driver["metadata"]["name"] == of.provisioner), None)
    promises_capacity = driver is not None and bool((driver.get("spec") or {}).get("storageCapacity"))
    if promises_capacity and beside.capacities is not None and not _tells_capacity(of.name, beside):
        yield Outcome(code="discovery.no_capacity")


def _zones(of: StorageClass, beside: Surroundings) -> tuple[str, list[str]]:
    """Return the node label of the class's zones, and the zones; no zones if they are not known."""
    objects = (item for item in beside.classes or () if item["metadata"]["name"] == of.name)
    terms = [term for item in objects for term in item.get("allowedTopologies") or ()]
    return zones_of(of.provisioner, terms=terms, csi_nodes=beside.csi_nodes or (), nodes=beside.nodes or ())


def _missing_provisioner(of: StorageClass, beside: Surroundings) -> Outcome | None:
    """Return why nothing seems to provision volumes; None if something does, or that is not known."""
    provisioner = of.provisioner
    if not of.provisions:
        return Outcome(code="discovery.no_provisioner")
    if provisioner.startswith("kubernetes.io/"):  # in-tree: a CSI driver with another name provisions, if any
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
    has_driver = any(driver["metadata"]["name"] == provisioner for driver in beside.drivers or ())
    return has_driver or _on_nodes(provisioner, beside)


def _speaks_of(provisioner: str, pod: Object) -> bool:
    """Return whether the pod's name, images, words or environment name the provisioner, without its domain."""
    domain, _, own = provisioner.rpartition("/")
    # `local` or `nfs` is in the words of many pods.
    needle = _OTHER_NAMES.get(provisioner) or (own if len(own) >= LONG_ENOUGH else domain.partition(".")[0] or own)
    containers = (pod.get("spec") or {}).get("containers") or ()
    words = [pod["metadata"]["name"]]
    for container in containers:
        words += [container.get("image", ""), *(container.get("args") or ()), *(container.get("command") or ())]
        words += [str(variable.get("value", "")) for variable in container.get("env") or ()]
    return any(needle in word for word in words)


def _tells_capacity(name: str, beside: Surroundings) -> bool:
    return any(capacity.get("storageClassName") == name for capacity in beside.capacities or ())

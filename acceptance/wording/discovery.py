"""Sentences about problems with the StorageClasses of a cluster. They are no verdicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from acceptance.results.requirement import Outcome


def problem(outcome: Outcome) -> str:
    """Return the sentence of a problem. Raises KeyError if its code has no sentence in this module."""
    module, _, name = outcome.code.partition(".")
    if module != "discovery":
        raise KeyError(f"expected a code such as discovery.no_class, found {outcome.code!r}")
    wording = _PROBLEMS[name]
    return wording if isinstance(wording, str) else wording(**outcome.facts)


def _defaults(*, classes: Sequence[str]) -> str:
    return (
        f"{len(classes)} classes are the default ({', '.join(classes)}): PVCs that name none get the "
        "newest one; keep the annotation is-default-class on one of them only."
    )


def _no_driver(*, provisioner: str) -> str:
    return (
        f"No node has a driver {provisioner} (CSINode), and no running pod mentions it: PVCs would stay pending, "
        "unless it runs outside of the cluster."
    )


def _zones_bound_at_once(*, label: str, zones: Sequence[str]) -> str:
    return (
        f"Volumes are bound immediately (Immediate), each in one of {len(zones)} zones ({label}: {', '.join(zones)}): "
        "a volume may be in a zone where its pod cannot run, and the pod then stays pending; set volumeBindingMode: "
        "WaitForFirstConsumer."
    )


_PROBLEMS: dict[str, str | Callable[..., str]] = {
    "no_class": "The cluster has no StorageClass: install a provisioner first.",
    "no_default": "No class is the default: PVCs that name none stay pending; name one with --storage-class.",
    "many_defaults": _defaults,
    "local_bound_at_once": (
        "Local volumes are bound immediately (Immediate): a volume may be on a node where its pod cannot run; "
        "set volumeBindingMode: WaitForFirstConsumer, unless the volumes are in a folder that all nodes share."
    ),
    "zones_bound_at_once": _zones_bound_at_once,
    "no_expansion": "PVCs cannot be expanded: allowVolumeExpansion is not set; the expansion test is skipped.",
    "no_snapshot_class": "Its driver has no VolumeSnapshotClass: snapshots cannot be taken; create one if supported.",
    "no_capacity": (
        "Its driver promises CSIStorageCapacity, but none exists for this class: the scheduler then places "
        "no pod whose volume waits for its first consumer."
    ),
    "no_provisioner": "The class has no provisioner (no-provisioner): the suite cannot test it.",
    "no_driver": _no_driver,
}

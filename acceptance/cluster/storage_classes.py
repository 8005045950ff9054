"""The StorageClasses of a cluster: their names, their settings, the default one."""

from __future__ import annotations

from acceptance.cluster.api import Api
from acceptance.cluster.resources import STORAGE_CLASSES, Object
from acceptance.results.clusters import StorageClass
from acceptance.text.errors import WrongUsage
from acceptance.text.redaction import remember_secrets

# The second is the older name of the first, which Kubernetes continues to read.
DEFAULTS = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")


def storage_classes(api: Api) -> list[StorageClass]:
    """Return every StorageClass of the cluster, by name. Secrets in them are redacted from now on."""
    return sorted(map(storage_class_of, api.list(STORAGE_CLASSES)), key=lambda storage_class: storage_class.name)


def storage_class_of(item: Object) -> StorageClass:
    """Return a StorageClass from the API's object. Secrets in it are redacted from now on."""
    annotations = item["metadata"].get("annotations") or {}
    remember_secrets(annotations | (item.get("parameters") or {}))
    return StorageClass(
        name=item["metadata"]["name"],
        provisioner=item.get("provisioner") or "",
        parameters=item.get("parameters") or {},
        binding_mode=item.get("volumeBindingMode") or "Immediate",
        reclaim_policy=item.get("reclaimPolicy") or "Delete",
        allow_expansion=bool(item.get("allowVolumeExpansion")),
        default=any(annotations.get(default) == "true" for default in DEFAULTS),
    )


def choose_class(name: str | None, *, among: list[StorageClass]) -> StorageClass:
    """Return the class of that name, or the default class if no name is given.

    Raises WrongUsage with the list of existing classes, and for a class that provisions nothing.
    """
    there_are = ", ".join(f"{storage_class.name} ({storage_class.provisioner})" for storage_class in among) or "none"
    if name is None:
        defaults = [storage_class for storage_class in among if storage_class.default]
        if not defaults:
            raise WrongUsage(f"no --storage-class given and the cluster has no default class; available: {there_are}")
        choice = defaults[0]
    else:
        matches = [storage_class for storage_class in among if storage_class.name == name]
        if not matches:
            raise WrongUsage(f"StorageClass {name!r} does not exist; available: {there_are}")
        choice = matches[0]
    if not choice.provisions:
        raise WrongUsage(
            f"StorageClass {choice.name!r} has no provisioner ({choice.provisioner or 'empty'}), so it "
            f"cannot provision volumes; name a class that can; available: {there_are}"
        )
    return choice

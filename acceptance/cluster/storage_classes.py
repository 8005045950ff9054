"""The StorageClasses of a cluster: which there are, which is the default, what each is made of."""

from __future__ import annotations

from acceptance.cluster.api import Api
from acceptance.cluster.resources import STORAGE_CLASSES
from acceptance.results.document import StorageClass
from acceptance.text.errors import WrongUsage
from acceptance.text.redaction import remember_named

DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"


def storage_classes(api: Api) -> list[StorageClass]:
    """Every StorageClass of the cluster, by name. What is secret in them is not shown from now on."""
    found = []
    for item in api.list(STORAGE_CLASSES):
        annotations = item["metadata"].get("annotations") or {}
        remember_named(annotations | (item.get("parameters") or {}))
        found.append(
            StorageClass(
                name=item["metadata"]["name"],
                provisioner=item.get("provisioner", ""),
                parameters=item.get("parameters") or {},
                binding_mode=item.get("volumeBindingMode") or "Immediate",
                reclaim_policy=item.get("reclaimPolicy") or "Delete",
                allow_expansion=bool(item.get("allowVolumeExpansion")),
                default=annotations.get(DEFAULT_CLASS) == "true",
            )
        )
    return sorted(found, key=lambda each: each.name)


def choose_class(name: str | None, *, among: list[StorageClass]) -> StorageClass:
    """The class of that name, or the default class where no name is given.

    Raises WrongUsage with the list of classes there are, and for a class that provisions nothing.
    """
    there_are = ", ".join(f"{each.name} ({each.provisioner})" for each in among) or "none"
    if name is None:
        defaults = [each for each in among if each.default]
        if not defaults:
            raise WrongUsage(f"no --storage-class given and the cluster has no default class; there are: {there_are}")
        chosen = defaults[0]
    else:
        named = [each for each in among if each.name == name]
        if not named:
            raise WrongUsage(f"StorageClass {name!r} does not exist; there are: {there_are}")
        chosen = named[0]
    if chosen.provisioner in ("", "kubernetes.io/no-provisioner"):
        raise WrongUsage(
            f"StorageClass {chosen.name!r} has no provisioner ({chosen.provisioner or 'empty'}), so that no volume "
            f"can be provisioned from it; name a class that provisions; there are: {there_are}"
        )
    return chosen

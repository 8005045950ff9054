"""The StorageClasses of a cluster: which there are, which is the default, what each is made of."""

from __future__ import annotations

from acceptance.cluster.api import Api
from acceptance.cluster.resources import STORAGE_CLASSES, Object
from acceptance.results.clusters import StorageClass
from acceptance.text.errors import WrongUsage
from acceptance.text.redaction import remember_named

# The second is the older name of the first, which Kubernetes goes on to read.
DEFAULTS = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")


def storage_classes(api: Api) -> list[StorageClass]:
    """Every StorageClass of the cluster, by name. What is secret in them is not shown from now on."""
    return sorted(map(storage_class_of, api.list(STORAGE_CLASSES)), key=lambda each: each.name)


def storage_class_of(item: Object) -> StorageClass:
    """A StorageClass as the API returns it. What is secret in it is not shown from now on."""
    annotations = item["metadata"].get("annotations") or {}
    remember_named(annotations | (item.get("parameters") or {}))
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
    if not chosen.provisions:
        raise WrongUsage(
            f"StorageClass {chosen.name!r} has no provisioner ({chosen.provisioner or 'empty'}), so it can "
            f"provision no volume; name a class that can; there are: {there_are}"
        )
    return chosen

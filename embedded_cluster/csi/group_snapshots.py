"""The definitions of group snapshots, next to those of snapshots: of the drivers here only the lab's creates any."""

from pathlib import Path

import yaml

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster.csi.sidecars import SNAPSHOT_CLIENT, SOURCE
from embedded_cluster.go_modules import build_once, module_folder, pinned_version

GATE = "--feature-gates=CSIVolumeGroupSnapshot=true"
"""The feature gate with which csi-snapshotter and the snapshot controller support them."""
VERSION = "v1beta1"
"""The version of their API, the only one that external-snapshotter 8.3.0 speaks."""
_KINDS = ("volumegroupsnapshotclasses", "volumegroupsnapshotcontents", "volumegroupsnapshots")


def definitions() -> tuple[Path, ...]:
    """Return their files, from the cache or written now. Raise EnvironmentFailure if the module is not available."""
    version = pinned_version(SOURCE, SNAPSHOT_CLIENT)
    folder = build_once(f"csi-group-snapshots-{version}", sources=[SOURCE], recipe=f"{_KINDS}{VERSION}", build=_build)
    return tuple(sorted(folder.glob("*.yaml")))


def _build(go: Path, target: Path) -> None:
    write_definitions(target, module=module_folder(SNAPSHOT_CLIENT, go=go, source=SOURCE))


def write_definitions(folder: Path, *, module: Path) -> None:
    """Write them to `folder`, from the folder of the snapshot client's module, as of VERSION alone.

    The module's would store a later version, and need a webhook, which is not here, to convert what controllers write.
    Raises EnvironmentFailure if one lacks the version.
    """
    for kind in _KINDS:
        path = module / "config" / "crd" / f"groupsnapshot.storage.k8s.io_{kind}.yaml"
        definition = yaml.safe_load(path.read_text())
        spec = definition["spec"]
        matches = [version for version in spec["versions"] if version["name"] == VERSION]
        if not matches:
            names = ", ".join(version["name"] for version in spec["versions"])
            raise EnvironmentFailure(f"{path} defines {names}, but not {VERSION}: set VERSION to one of these")
        spec.pop("conversion", None)
        spec["versions"] = [{**version, "served": True, "storage": True, "deprecated": False} for version in matches]
        (folder / f"group-snapshots-{kind}.yaml").write_text(yaml.safe_dump(definition, sort_keys=False))

"""The definitions of group snapshots, beside those of snapshots: of the drivers here only the lab's makes any."""

from pathlib import Path

import yaml

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster.csi.sidecars import SNAPSHOT_CLIENT, SOURCE
from embedded_cluster.go_modules import built, module_folder, pinned

GATE = "--feature-gates=CSIVolumeGroupSnapshot=true"
"""by which csi-snapshotter and the snapshot controller take part in them"""
VERSION = "v1beta1"
"""of their API, the only one that external-snapshotter 8.3.0 speaks"""
_KINDS = ("volumegroupsnapshotclasses", "volumegroupsnapshotcontents", "volumegroupsnapshots")


def definitions() -> tuple[Path, ...]:
    """The files with them, from the cache or written now. Raises EnvironmentFailure where the module cannot be had."""
    version = pinned(SOURCE, SNAPSHOT_CLIENT)
    folder = built(f"csi-group-snapshots-{version}", sources=[SOURCE], recipe=f"{_KINDS}{VERSION}", build=_build)
    return tuple(sorted(folder.glob("*.yaml")))


def _build(go: Path, target: Path) -> None:
    write_definitions(target, module=module_folder(SNAPSHOT_CLIENT, go=go, source=SOURCE))


def write_definitions(folder: Path, *, module: Path) -> None:
    """Write them to `folder`, from the folder of the snapshot client's module, as of VERSION alone.

    The module's would store a later version, and ask a webhook that is not here to convert what the controllers write.
    Raises EnvironmentFailure where one lacks the version.
    """
    for kind in _KINDS:
        path = module / "config" / "crd" / f"groupsnapshot.storage.k8s.io_{kind}.yaml"
        definition = yaml.safe_load(path.read_text())
        spec = definition["spec"]
        found = [version for version in spec["versions"] if version["name"] == VERSION]
        if not found:
            served = ", ".join(version["name"] for version in spec["versions"])
            raise EnvironmentFailure(f"{path} defines {served}, and not {VERSION}: have VERSION name one that it does")
        spec.pop("conversion", None)
        spec["versions"] = [{**each, "served": True, "storage": True, "deprecated": False} for each in found]
        (folder / f"group-snapshots-{kind}.yaml").write_text(yaml.safe_dump(definition, sort_keys=False))

"""The CSI sidecars, the snapshot controller and the definitions of volume snapshots, from pinned Go modules.

Longhorn's driver and the lab's own have the same ones. Not Kubernetes' own: the registrar and the liveness probe, which
the module proxy serves under no path.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from embedded_cluster.go_modules import build_once, compile_programs, have_modules, module_folder, pinned_version
from embedded_cluster.layout import PACKAGE
from embedded_cluster.progress import step

# One go.mod with Longhorn's programs, because those require these versions.
SOURCE = PACKAGE / "longhorn" / "go" / "programs"
_CSI = "github.com/kubernetes-csi"
PROGRAMS = {
    "csi-provisioner": f"{_CSI}/external-provisioner/v5/cmd/csi-provisioner",
    "csi-resizer": f"{_CSI}/external-resizer/cmd/csi-resizer",
    "csi-snapshotter": f"{_CSI}/external-snapshotter/v8/cmd/csi-snapshotter",
    "snapshot-controller": f"{_CSI}/external-snapshotter/v8/cmd/snapshot-controller",
    "node-driver-registrar": "./node-driver-registrar",
    "livenessprobe": "./livenessprobe",
}
"""The package of each program."""
SNAPSHOT_CLIENT = f"{_CSI}/external-snapshotter/client/v8"
"""The module with the definitions."""
_SNAPSHOTS = tuple(
    f"config/crd/snapshot.storage.k8s.io_{kind}.yaml"
    for kind in ("volumesnapshotclasses", "volumesnapshotcontents", "volumesnapshots")
)


@dataclass(frozen=True)
class Sidecars:
    """The programs by name, and the files with the definitions of volume snapshots."""

    paths: Mapping[str, Path]
    crds: tuple[Path, ...]


def ensure() -> Sidecars:
    """Return all of them, from the cache or built now (11 s if Longhorn was compiled before, else minutes).

    Raises EnvironmentFailure if a module is not available or a program cannot be compiled.
    """
    version = pinned_version(SOURCE, SNAPSHOT_CLIENT)
    recipe = f"{PROGRAMS}{_SNAPSHOTS}"
    folder = build_once(f"csi-sidecars-{version}", sources=[SOURCE], recipe=recipe, build=_build)
    return Sidecars(
        paths={name: folder / "bin" / name for name in PROGRAMS}, crds=tuple(sorted((folder / "crds").iterdir()))
    )


def _build(go: Path, target: Path) -> None:
    have_modules(PROGRAMS, go=go, source=SOURCE, part="CSI sidecars")
    with step("compile the CSI sidecars"):
        compile_programs(PROGRAMS, go=go, source=SOURCE, target=target)
    write_definitions(target / "crds", module=module_folder(SNAPSHOT_CLIENT, go=go, source=SOURCE))


def write_definitions(folder: Path, *, module: Path) -> None:
    """Write the definitions of volume snapshots to `folder`, from the folder of the snapshot client's module."""
    folder.mkdir()
    for path in _SNAPSHOTS:
        name = Path(path).name.removeprefix("snapshot.storage.k8s.io_")
        (folder / f"snapshots-{name}").write_bytes((module / path).read_bytes())

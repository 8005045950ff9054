"""Longhorn's own programs, compiled from Go modules, and substitutes for the rest; and its CSI sidecars.

Not Longhorn's: tgtd, tgtadm and iscsiadm (the adaptor, for kernels without iSCSI), the registrar and the liveness probe
of the CSI driver, the health probe of gRPC servers (no module path of these is served), and the client of the v2 data
engine, whose module is served in none of the versions that Longhorn requires: each of its calls ends in an error.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from embedded_cluster import packages
from embedded_cluster.csi import sidecars
from embedded_cluster.go_modules import (
    BUILD_SECONDS,
    build_once,
    compile_packages,
    compile_programs,
    have_modules,
    module_folder,
    pinned_version,
)
from embedded_cluster.layout import PACKAGE
from embedded_cluster.longhorn import definitions
from embedded_cluster.progress import step

_GO = PACKAGE / "longhorn" / "go"
_LONGHORN, _V2, _ATTACHER, _ADAPTOR = (_GO / name for name in ("programs", "spdk-engine", "attacher", "adaptor"))
_TITLE = "Longhorn"

_MANAGER = "github.com/longhorn/longhorn-manager"
_ENGINE = "github.com/longhorn/longhorn-engine"
_INSTANCES = "github.com/longhorn/longhorn-instance-manager"

# Each program and its package: those without C, then those with C, which read backing images with a Debian library.
_PURE = {
    "longhorn-manager": _MANAGER,
    "grpc-health-probe": "./grpc-health-probe",
}
_WITH_C = {"longhorn-engine": _ENGINE, "longhorn-instance-manager": _INSTANCES}
_OF_ATTACHER = {"csi-attacher": "github.com/kubernetes-csi/external-attacher/v4/cmd/csi-attacher"}
_OF_ADAPTOR = {"longhorn-adaptor": "."}

# Longhorn's own scripts in its images: module, and path in the module.
_SCRIPTS = (
    (_INSTANCES, "package/instance-manager"),
    (_MANAGER, "package/launch-manager"),
    (_MANAGER, "package/nsmounter"),
)

BUILD_PACKAGES = {
    "gcc": "gcc",
    "libc6-dev": "/usr/include/stdlib.h",
    "libqcow-dev": "/usr/include/libqcow.h",
    "zlib1g-dev": "/usr/include/zlib.h",
}
"""Debian packages that Longhorn's engine is compiled with, each with a file of it."""

# Longhorn takes three times as long to compile as Kubernetes.
_LONG = 4 * BUILD_SECONDS

# The inputs of the build beside the files of the modules.
_RECIPE = f"{_PURE}{_WITH_C}{_OF_ATTACHER}{_OF_ADAPTOR}{_SCRIPTS}{definitions.RECIPE}"


@dataclass(frozen=True)
class Programs:
    """The programs and scripts by name, the version of Longhorn, and the files with custom resource definitions."""

    version: str
    paths: Mapping[str, Path]
    crds: tuple[Path, ...]

    def path(self, name: str) -> Path:
        """Return the file of a program; raise KeyError for an unknown name."""
        return self.paths[name]


def ensure() -> Programs:
    """Return all programs, from the cache or built now: some 14 minutes of CPU time, and 1.3 GB of modules.

    Installs the Debian packages that a build needs. Raises EnvironmentFailure if a module or a package is not
    available, or a program cannot be compiled.
    """
    version = pinned_version(_LONGHORN, _MANAGER)
    own = build_once(f"longhorn-{version}", sources=(_LONGHORN, _V2), recipe=_RECIPE, build=_build_longhorn)
    attacher = build_once(f"longhorn-attacher-{version}", sources=(_ATTACHER,), recipe=_RECIPE, build=_build_attacher)
    folders = {own / "bin": (*_PURE, *_WITH_C), own / "scripts": [Path(script).name for _, script in _SCRIPTS]}
    folders |= {attacher / "bin": tuple(_OF_ATTACHER), adaptor().parent: tuple(_OF_ADAPTOR)}
    beside = sidecars.ensure()
    return Programs(
        version=version,
        paths={name: folder / name for folder, names in folders.items() for name in names} | dict(beside.paths),
        crds=(*sorted((own / "crds").iterdir()), *beside.crds),
    )


def adaptor() -> Path:
    """Return the program that replaces tgtd, tgtadm, iscsiadm and nc, from the cache or built now, in seconds."""
    version = pinned_version(_LONGHORN, _MANAGER)
    folder = build_once(f"longhorn-adaptor-{version}", sources=(_ADAPTOR,), recipe=_RECIPE, build=_build_adaptor)
    return folder / "bin" / "longhorn-adaptor"


def _build_longhorn(go: Path, target: Path) -> None:
    packages.ensure(BUILD_PACKAGES)
    version = pinned_version(_LONGHORN, _MANAGER)
    have_modules({**_PURE, **_WITH_C}, go=go, source=_LONGHORN, part=_TITLE, cgo=True)
    with step("compile longhorn-manager"):
        stamps = f"-X {_MANAGER}/meta.Version={version}"
        compile_programs(_PURE, go=go, source=_LONGHORN, target=target, stamps=stamps, timeout=_LONG)
    with step("compile longhorn-engine and longhorn-instance-manager"):
        stamps = f"-X main.Version={version} -linkmode external -extldflags -static"
        compile_programs(_WITH_C, go=go, source=_LONGHORN, target=target, stamps=stamps, cgo=True, timeout=_LONG)
    modules = {name: module_folder(name, go=go, source=_LONGHORN) for name in (_MANAGER, _INSTANCES)}
    (target / "scripts").mkdir()
    for module, script in _SCRIPTS:
        copy = target / "scripts" / Path(script).name
        copy.write_bytes((modules[module] / script).read_bytes())
        copy.chmod(0o755)
    definitions.write(target / "crds", manager=modules[_MANAGER])


def _build_attacher(go: Path, target: Path) -> None:
    have_modules(_OF_ATTACHER, go=go, source=_ATTACHER, part=_TITLE)
    with step("compile csi-attacher"):
        compile_programs(_OF_ATTACHER, go=go, source=_ATTACHER, target=target, timeout=_LONG)


def _build_adaptor(go: Path, target: Path) -> None:
    have_modules(_OF_ADAPTOR, go=go, source=_ADAPTOR, part=_TITLE)
    with step("compile the adaptor"):
        (target / "bin").mkdir()
        output = target / "bin" / "longhorn-adaptor"
        compile_packages(["."], go=go, source=_ADAPTOR, output=output, flags="-s -w")

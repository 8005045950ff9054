"""The images that Longhorn's manifests name: one layer of programs built here and of this host's, under all names."""

import hashlib
import shutil
import tarfile
from collections.abc import Mapping
from pathlib import Path

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import images, packages
from embedded_cluster.layout import PACKAGE, cache_folder
from embedded_cluster.longhorn.programs import Programs
from embedded_cluster.oci_archive import add_image, add_layer, write_index
from embedded_cluster.progress import step
from embedded_cluster.whole_file import written_whole

_VERSION = "v1.10.0"

# Each image, and the program that it runs if its pod names none.
_ENTRYPOINTS = {
    "longhorn-manager": None,
    "longhorn-engine": None,
    "longhorn-instance-manager": None,
    "longhorn-share-manager": None,
    "backing-image-manager": None,
    "csi-attacher": "csi-attacher",
    "csi-provisioner": "csi-provisioner",
    "csi-resizer": "csi-resizer",
    "csi-snapshotter": "csi-snapshotter",
    "csi-node-driver-registrar": "node-driver-registrar",
    "livenessprobe": "livenessprobe",
    "snapshot-controller": "snapshot-controller",
}
NAMES = {name: f"docker.io/longhornio/{name}:{_VERSION}" for name in _ENTRYPOINTS}
"""The references by the images' short names; all have Longhorn's version, also the sidecars, which have their own."""

PACKAGES = {
    "bash": "/bin/bash",
    "busybox-static": "busybox",
    "coreutils": "stat",
    "curl": "curl",
    "e2fsprogs": "/usr/sbin/mke2fs",
    "iproute2": "ip",
    "mount": "mount",
    "util-linux": "nsenter",
    "xfsprogs": "/usr/sbin/mkfs.xfs",
}
"""Debian packages whose programs Longhorn calls in its containers, each with a file of it."""

_DEBIAN = (
    *("bash", "curl", "env", "ip", "nsenter", "stat"),
    *("mount", "umount", "findmnt", "losetup", "lsblk", "blkid", "blockdev", "fstrim", "fsck"),
    *("mke2fs", "e2fsck", "resize2fs", "tune2fs", "dumpe2fs"),
    *("mkfs.xfs", "fsck.xfs", "xfs_growfs", "xfs_repair", "xfs_io", "xfs_info", "xfs_spaceman", "xfs_db"),
)
# Programs that depend on the name they are called by.
_OTHER_NAMES = {
    "mke2fs": ("mkfs.ext3", "mkfs.ext4"),
    "e2fsck": ("fsck.ext3", "fsck.ext4"),
    # Longhorn's scripts and probes are for bash, and call programs that busybox' shell has built in with other options.
    "bash": ("sh",),
}
_ADAPTOR = "longhorn-adaptor"
# Programs that Longhorn calls by a path, or by a name other than that of the build.
_PLACES = {
    "usr/local/bin/longhorn": "longhorn-engine",
    "usr/local/bin/grpc_health_probe": "grpc-health-probe",
    "usr/local/sbin/launch-manager": "launch-manager",
    "usr/local/sbin/nsmounter": "nsmounter",
    "usr/bin/tgtd": _ADAPTOR,
    "usr/bin/tgtadm": _ADAPTOR,
    "usr/bin/nc": _ADAPTOR,
}
# Folders that must exist.
_EMPTY = ("run/.keep", "usr/lib/modules/.keep", "var/lib/.keep", "var/log/.keep", "var/run/.keep")
_PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def archive(programs: Programs) -> Path:
    """Return the archive for `ctr images import`, from the cache or written now; install missing Debian packages.

    Raises EnvironmentFailure if one of the programs is not available, or if `programs` are of another version.
    """
    if programs.version != _VERSION:
        raise EnvironmentFailure(
            f"the images are named for Longhorn {_VERSION}, and the programs are {programs.version}"
        )
    packages.ensure(PACKAGES)
    files = _files(programs)
    inputs = hashlib.sha256(Path(__file__).read_bytes() + (PACKAGE / "oci_archive.py").read_bytes())
    for name, path in sorted(files.items()):
        inputs.update(name.encode() + hashlib.sha256(path.read_bytes()).digest())
    target = cache_folder() / f"longhorn-images-{_VERSION}-{inputs.hexdigest()[:12]}.tar"
    if not target.exists():
        with step(f"make Longhorn's {len(NAMES)} images"), written_whole(target) as scratch:
            _write(scratch, files)
    return target


def _files(programs: Programs) -> dict[str, Path]:
    """Return the files of the layer: path there -> file here."""
    debian = {name: _of_host(name) for name in (*_DEBIAN, "busybox")}
    dynamic = [path for path in debian.values() if _is_linked(path)]
    files = {name: path for program in dynamic for name, path in images.libraries_of(program).items()}
    files |= {f"usr/bin/{name}": path for name, path in debian.items()}
    files |= {f"usr/bin/{alias}": debian[name] for name, aliases in _OTHER_NAMES.items() for alias in aliases}
    files |= {f"usr/bin/{name}": path for name, path in programs.paths.items() if name not in _PLACES.values()}
    files |= {place: programs.path(name) for place, name in _PLACES.items()}
    files["etc/mke2fs.conf"] = Path("/etc/mke2fs.conf")
    return files | {name: Path("/dev/null") for name in _EMPTY}


def _of_host(name: str) -> Path:
    path = shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin")
    if path is None:
        raise EnvironmentFailure(f"the program {name} is missing, which Longhorn calls in its containers")
    return Path(path)


def _is_linked(program: Path) -> bool:
    """Return whether the program needs shared libraries: scripts and busybox do not."""
    with program.open("rb") as content:
        return content.read(4) == b"\x7fELF" and program.name != "busybox"


def _write(target: Path, files: Mapping[str, Path]) -> None:
    with tarfile.open(target, "w") as tar:
        layer = add_layer(tar, images.layer(files))
        entries = []
        for name, program in _ENTRYPOINTS.items():
            config: dict[str, object] = {"Env": [_PATH]}
            if program is not None:
                config["Entrypoint"] = [f"/usr/bin/{program}"]
            entries.append(add_image(tar, NAMES[name], layers=[layer], config=config))
        write_index(tar, entries)

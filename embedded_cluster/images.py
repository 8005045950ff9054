"""The images of the embedded cluster, built from this host's programs: an OCI archive, no registry, no download."""

import hashlib
import io
import re
import shutil
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from embedded_cluster.commands import run
from embedded_cluster.layout import PACKAGE, NodeLayout, cache_folder
from embedded_cluster.oci_archive import add_file, add_image, add_layer, write_index
from embedded_cluster.whole_file import written_whole

PREFIX = "localhost/storage-acceptance/"
"""The prefix of the names of all images that are built here."""
PAUSE = f"{PREFIX}pause:1"
PIN_LABEL = "io.cri-containerd.pinned=pinned"
"""https://github.com/containerd/containerd/blob/main/docs/cri/architecture.md; the kubelet's side: KEP 2040"""
USER = 65532
LOAD_GENERATORS = ("fio", "sysbench")

_PATH = ["PATH=/bin"]
_PASSWD = f"root:x:0:0:root:/root:/bin/sh\nnonroot:x:{USER}:{USER}:nonroot:/tmp:/bin/sh\n"
_GROUP = f"root:x:0:\nnonroot:x:{USER}:\n"


@dataclass(frozen=True)
class Images:
    """An archive with both images, and their references."""

    archive: Path
    fio: str
    pause: str = PAUSE


def ensure() -> Images:
    """Return the archive for this host's programs, from the cache or written now; same inputs, same bytes.

    Raises EnvironmentFailure if one of the programs cannot be run.
    """
    version = run(["fio", "--version"]).strip().removeprefix("fio-")
    reference = f"{PREFIX}fio:{version}"
    files = load_generators()
    inputs = hashlib.sha256(Path(__file__).read_bytes() + (PACKAGE / "oci_archive.py").read_bytes())
    for name, path in sorted(files.items()):
        inputs.update(name.encode() + hashlib.sha256(path.read_bytes()).digest())
    archive = cache_folder() / f"images-{version}-{inputs.hexdigest()[:12]}.tar"
    if not archive.exists():
        with written_whole(archive) as scratch:
            _write(scratch, reference=reference, files=files)
    return Images(archive=archive, fio=reference)


def load_generators() -> dict[str, Path]:
    """Return the files of an image for fio, sysbench, their libraries and busybox: path there -> file here."""
    busybox, *generators = (Path(shutil.which(name) or f"/usr/bin/{name}") for name in ("busybox", *LOAD_GENERATORS))
    libraries = {name: path for generator in generators for name, path in libraries_of(generator).items()}
    return {**libraries, **{f"usr/bin/{program.name}": program for program in (busybox, *generators)}}


def libraries_of(*programs: Path) -> dict[str, Path]:
    """Return the shared libraries that programs are loaded with, and the loader: path there -> file here."""
    # `libx.so => /lib/libx.so (0x...)`, and the loader as `/lib64/ld.so (0x...)`.
    libraries = re.findall(r"^\s*(?:\S+ => )?(/\S+) \(0x", run(["ldd", *programs]), re.MULTILINE)
    # /lib is a link to usr/lib in the image, as on most hosts.
    return {re.sub(r"^/(?:usr/)?", "usr/", library): Path(library).resolve() for library in libraries}


def load(archive: Path, node: NodeLayout, *, snapshotter: str) -> None:
    """Load an archive of images into a node, which must run, and pin all of this suite's images there.

    A kubelet that runs out of disk does not delete pinned images, if its containerd knows the label (from 1.7.3 on).
    Raises EnvironmentFailure with the output of ctr.
    """
    run([*_ctr(node), "import", "--snapshotter", snapshotter, archive], timeout=300)
    for name in sorted(names(node)):
        if name.startswith(PREFIX):
            run([*_ctr(node), "label", name, PIN_LABEL])


def names(node: NodeLayout) -> set[str]:
    """Return the names of all images that a node has. Raise EnvironmentFailure if its containerd does not answer."""
    return set(run([*_ctr(node), "list", "--quiet"]).split())


def _ctr(node: NodeLayout) -> list[str | Path]:
    return ["ctr", "--address", node.containerd_socket, "--namespace", "k8s.io", "images"]


def _write(target: Path, *, reference: str, files: Mapping[str, Path]) -> None:
    busybox = {"usr/bin/busybox": files["usr/bin/busybox"]}
    config = {"Env": _PATH, "User": f"{USER}:{USER}"}
    with tarfile.open(target, "w") as archive:
        manifests = [
            add_image(
                archive, reference, layers=[add_layer(archive, layer(files))], config=config | {"Cmd": ["/bin/sh"]}
            ),
            # It only sleeps, to hold the pod's namespaces, for the largest possible number of seconds.
            add_image(
                archive,
                PAUSE,
                layers=[add_layer(archive, layer(busybox))],
                config={"Env": _PATH, "Cmd": ["/bin/sleep", "2147483647"]},
            ),
        ]
        write_index(archive, manifests)


def layer(files: Mapping[str, Path]) -> bytes:
    """Return a layer with `files` and busybox's applets as links; owners, times and order are the same on any host."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as tar:
        for folder in ("dev", "etc", "proc", "root", "sys", "usr", "usr/bin", "usr/lib", "usr/lib64"):
            add_file(tar, folder, kind=tarfile.DIRTYPE, mode=0o755)
        add_file(tar, "tmp", kind=tarfile.DIRTYPE, mode=0o1777)
        for link, to in {"bin": "usr/bin", "sbin": "usr/bin", "lib": "usr/lib", "lib64": "usr/lib64"}.items():
            add_file(tar, link, kind=tarfile.SYMTYPE, to=to)
        add_file(tar, "etc/passwd", _PASSWD.encode())
        add_file(tar, "etc/group", _GROUP.encode())
        for name, path in sorted(files.items()):
            add_file(tar, name, path.read_bytes(), mode=0o755)
        for applet in sorted(run([files["usr/bin/busybox"], "--list"]).split()):
            if f"usr/bin/{applet}" not in files:
                add_file(tar, f"usr/bin/{applet}", kind=tarfile.SYMTYPE, to="busybox")
    return content.getvalue()

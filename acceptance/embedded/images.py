"""The images of the embedded cluster, made of this host's programs: an OCI archive, no registry, no download."""

import hashlib
import io
import json
import platform
import re
import shutil
import tarfile
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acceptance.embedded.commands import run
from acceptance.embedded.layout import cache_folder

PAUSE = "localhost/storage-acceptance/pause:1"
USER = 65532
LOAD_GENERATORS = ("fio", "sysbench")

_PASSWD = f"root:x:0:0:root:/root:/bin/sh\nnonroot:x:{USER}:{USER}:nonroot:/tmp:/bin/sh\n"
_GROUP = f"root:x:0:\nnonroot:x:{USER}:\n"
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


@dataclass(frozen=True)
class Images:
    """An archive with both images, and their references."""

    archive: Path
    fio: str
    pause: str = PAUSE


def ensure() -> Images:
    """The archive for this host's programs, from the cache or written now; the same inputs give the same bytes.

    Raises EnvironmentFailure where one of the programs cannot be run.
    """
    version = run(["fio", "--version"]).strip().removeprefix("fio-")
    reference = f"localhost/storage-acceptance/fio:{version}"
    files = _files()
    inputs = hashlib.sha256(Path(__file__).read_bytes())
    for name, path in sorted(files.items()):
        inputs.update(name.encode() + hashlib.sha256(path.read_bytes()).digest())
    archive = cache_folder() / f"images-{version}-{inputs.hexdigest()[:12]}.tar"
    if not archive.exists():
        archive.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=archive.parent, prefix="images-", delete=False) as temporary:
            _write(Path(temporary.name), reference=reference, files=files)
        Path(temporary.name).rename(archive)
    return Images(archive=archive, fio=reference)


def _files() -> dict[str, Path]:
    """What goes into the image of the load generators: path there -> file here."""
    busybox, *generators = (Path(shutil.which(name) or f"/usr/bin/{name}") for name in ("busybox", *LOAD_GENERATORS))
    libraries = {name: path for generator in generators for name, path in _libraries(generator).items()}
    return {**libraries, **{f"usr/bin/{program.name}": program for program in (busybox, *generators)}}


def _libraries(program: Path) -> dict[str, Path]:
    """The shared libraries that the program is loaded with, the loader among them: path there -> file here."""
    # `libx.so => /lib/libx.so (0x...)`, and the loader as `/lib64/ld.so (0x...)`.
    found = re.findall(r"^\s*(?:\S+ => )?(/\S+) \(0x", run(["ldd", program]), re.MULTILINE)
    # /lib is a link to usr/lib in the image, as it is on the host or could be.
    return {re.sub(r"^/(?:usr/)?", "usr/", library): Path(library).resolve() for library in found}


def _write(target: Path, *, reference: str, files: Mapping[str, Path]) -> None:
    busybox = {"usr/bin/busybox": files["usr/bin/busybox"]}
    with tarfile.open(target, "w") as archive:
        manifests = [
            _add_image(archive, reference, layer=_layer(files), config={"User": f"{USER}:{USER}", "Cmd": ["/bin/sh"]}),
            # Nothing but asleep: it holds the pod's namespaces. The largest number of seconds there is.
            _add_image(archive, PAUSE, layer=_layer(busybox), config={"Cmd": ["/bin/sleep", "2147483647"]}),
        ]
        index = {"schemaVersion": 2, "manifests": manifests}
        _add(archive, "index.json", json.dumps(index).encode())
        _add(archive, "oci-layout", b'{"imageLayoutVersion": "1.0.0"}')


def _layer(files: Mapping[str, Path]) -> bytes:
    """A layer with `files` and busybox's applets as links; owners, times and order do not depend on this host."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as layer:
        for folder in ("dev", "etc", "proc", "root", "sys", "usr", "usr/bin", "usr/lib", "usr/lib64"):
            _add(layer, folder, kind=tarfile.DIRTYPE, mode=0o755)
        _add(layer, "tmp", kind=tarfile.DIRTYPE, mode=0o1777)
        for link, to in {"bin": "usr/bin", "sbin": "usr/bin", "lib": "usr/lib", "lib64": "usr/lib64"}.items():
            _add(layer, link, kind=tarfile.SYMTYPE, to=to)
        _add(layer, "etc/passwd", _PASSWD.encode())
        _add(layer, "etc/group", _GROUP.encode())
        for name, path in sorted(files.items()):
            _add(layer, name, path.read_bytes(), mode=0o755)
        for applet in sorted(run([files["usr/bin/busybox"], "--list"]).split()):
            if f"usr/bin/{applet}" not in files:
                _add(layer, f"usr/bin/{applet}", kind=tarfile.SYMTYPE, to="busybox")
    return content.getvalue()


def _add(
    archive: tarfile.TarFile,
    name: str,
    content: bytes = b"",
    *,
    kind: bytes = tarfile.REGTYPE,
    mode: int = 0o644,
    to: str = "",
) -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.linkname, entry.size = kind, mode, to, len(content)
    archive.addfile(entry, io.BytesIO(content))


def _add_image(archive: tarfile.TarFile, reference: str, *, layer: bytes, config: dict[str, Any]) -> dict[str, Any]:
    """Add the blobs of one image; returns its entry in the index."""
    architecture = _ARCHITECTURES.get(platform.machine(), platform.machine())
    content = {
        "architecture": architecture,
        "os": "linux",
        "config": {"Env": ["PATH=/bin"], **config},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
    }
    oci = "application/vnd.oci.image"
    manifest = {
        "schemaVersion": 2,
        "mediaType": f"{oci}.manifest.v1+json",
        "config": _add_blob(archive, json.dumps(content).encode(), f"{oci}.config.v1+json"),
        "layers": [_add_blob(archive, layer, f"{oci}.layer.v1.tar")],
    }
    entry = _add_blob(archive, json.dumps(manifest).encode(), f"{oci}.manifest.v1+json")
    return {**entry, "annotations": {"io.containerd.image.name": reference}}


def _add_blob(archive: tarfile.TarFile, content: bytes, media_type: str) -> dict[str, Any]:
    digest = hashlib.sha256(content).hexdigest()
    _add(archive, f"blobs/sha256/{digest}", content)
    return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(content)}

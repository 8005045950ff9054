"""OCI archives written file by file: what `podman save` writes and `ctr images import` reads, without either."""

import hashlib
import io
import json
import platform
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
_OCI = "application/vnd.oci.image"


@dataclass(frozen=True)
class Layer:
    """A layer that an archive holds, for any of its images."""

    size: int
    digest: str

    @property
    def descriptor(self) -> dict[str, Any]:
        return {"mediaType": f"{_OCI}.layer.v1.tar", "digest": self.digest, "size": self.size}


def write_index(archive: tarfile.TarFile, manifests: Sequence[dict[str, Any]]) -> None:
    """Name the images of an archive, as `add_image` returned them; the last that is written."""
    index = {"schemaVersion": 2, "manifests": list(manifests)}
    add_file(archive, "index.json", json.dumps(index).encode())
    add_file(archive, "oci-layout", b'{"imageLayoutVersion": "1.0.0"}')


def add_file(
    archive: tarfile.TarFile,
    name: str,
    content: bytes = b"",
    *,
    kind: bytes = tarfile.REGTYPE,
    mode: int = 0o644,
    to: str = "",
    modified: int = 0,
) -> None:
    """Add a file, folder or link to `to`, of root, modified so many seconds after the epoch."""
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.linkname, entry.size, entry.mtime = kind, mode, to, len(content), modified
    archive.addfile(entry, io.BytesIO(content))


def add_layer(archive: tarfile.TarFile, content: bytes) -> Layer:
    """Add a layer, which is a tar file."""
    added = _add_blob(archive, content, f"{_OCI}.layer.v1.tar")
    return Layer(size=added["size"], digest=added["digest"])


def add_image(
    archive: tarfile.TarFile, reference: str, *, layers: Sequence[Layer], config: dict[str, Any]
) -> dict[str, Any]:
    """Add one image of this host's architecture, of layers that the archive has. Returns its entry in the index.

    `config` as the OCI image specification has it under `config`: User, Env, Entrypoint and so on.
    """
    architecture = _ARCHITECTURES.get(platform.machine(), platform.machine())
    content = {
        "architecture": architecture,
        "os": "linux",
        "config": config,
        "rootfs": {"type": "layers", "diff_ids": [each.digest for each in layers]},
    }
    manifest = {
        "schemaVersion": 2,
        "mediaType": f"{_OCI}.manifest.v1+json",
        "config": _add_blob(archive, json.dumps(content).encode(), f"{_OCI}.config.v1+json"),
        "layers": [each.descriptor for each in layers],
    }
    entry = _add_blob(archive, json.dumps(manifest).encode(), f"{_OCI}.manifest.v1+json")
    return {**entry, "annotations": {"io.containerd.image.name": reference}}


def _add_blob(archive: tarfile.TarFile, content: bytes, media_type: str) -> dict[str, Any]:
    digest = hashlib.sha256(content).hexdigest()
    name = f"blobs/sha256/{digest}"
    if name not in archive.getnames():  # images that differ by their names alone share all of their blobs
        add_file(archive, name, content)
    return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(content)}

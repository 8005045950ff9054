"""OCI archives written file by file: what `podman save` writes and `ctr images import` reads, without either."""

import gzip
import hashlib
import io
import json
import platform
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
ARCHITECTURE = _ARCHITECTURES.get(platform.machine(), platform.machine())
"""The architecture of this host, by the name that Go and Debian use."""
_OCI = "application/vnd.oci.image"
# gzip's own default, and the bytes that are read of a file at a time.
_LEVEL, _PIECE = 6, 1 << 20


@dataclass(frozen=True)
class Layer:
    """A layer in an archive, for any of its images. `tar_digest`: the digest of the tar file that gzip packed."""

    size: int
    digest: str
    tar_digest: str = ""

    @property
    def descriptor(self) -> dict[str, Any]:
        kind = f"{_OCI}.layer.v1.tar{'+gzip' if self.tar_digest else ''}"
        return {"mediaType": kind, "digest": self.digest, "size": self.size}


def write_index(archive: tarfile.TarFile, manifests: Sequence[dict[str, Any]]) -> None:
    """Name the images of an archive, as `add_image` returned them; this is written last."""
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
    modified_s: int = 0,
) -> None:
    """Add a file, folder or link to `to`, owned by root, modified `modified_s` seconds after the epoch."""
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.linkname, entry.size, entry.mtime = kind, mode, to, len(content), modified_s
    archive.addfile(entry, io.BytesIO(content))


def add_layer(archive: tarfile.TarFile, content: bytes) -> Layer:
    """Add a layer, which is a tar file."""
    descriptor = _add_blob(archive, content, f"{_OCI}.layer.v1.tar")
    return Layer(size=descriptor["size"], digest=descriptor["digest"])


def add_packed_layer(archive: tarfile.TarFile, tar: Path) -> Layer:
    """Add a layer that is a file, packed by gzip; the same zlib packs the same file into the same bytes."""
    tar_hash = hashlib.sha256()
    with tempfile.TemporaryFile(dir=tar.parent) as file:
        # Without the name of the file and the time.
        with gzip.GzipFile("", "wb", _LEVEL, file, mtime=0) as stream, tar.open("rb") as source:
            while piece := source.read(_PIECE):
                tar_hash.update(piece)
                stream.write(piece)
        entry = tarfile.TarInfo()
        entry.mode, entry.size = 0o644, file.tell()
        file.seek(0)
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        entry.name = f"blobs/sha256/{digest}"
        archive.addfile(entry, file)
    return Layer(size=entry.size, digest=f"sha256:{digest}", tar_digest=f"sha256:{tar_hash.hexdigest()}")


def image_config(
    layers: Sequence[Layer], config: dict[str, Any], *, architecture: str = "", created_at: str = ""
) -> bytes:
    """Return an image's config. `architecture`: as Go and Debian call it, by default this host's.

    `config` as the OCI image specification has it under `config`: User, Env, Entrypoint and so on.
    """
    content = {
        "architecture": architecture or ARCHITECTURE,
        "os": "linux",
        "config": config,
        "rootfs": {"type": "layers", "diff_ids": [layer.tar_digest or layer.digest for layer in layers]},
    }
    return json.dumps(content | ({"created": created_at} if created_at else {})).encode()


def add_image(
    archive: tarfile.TarFile, reference: str, *, layers: Sequence[Layer], config: dict[str, Any]
) -> dict[str, Any]:
    """Add one image of this host's architecture, of layers that the archive has. Return its entry in the index."""
    return add_manifest(archive, reference, layers=layers, config=image_config(layers, config))


def add_manifest(archive: tarfile.TarFile, reference: str, *, layers: Sequence[Layer], config: bytes) -> dict[str, Any]:
    """Add an image with a config of `image_config`. Return its entry in the index."""
    manifest = {
        "schemaVersion": 2,
        "mediaType": f"{_OCI}.manifest.v1+json",
        "config": _add_blob(archive, config, f"{_OCI}.config.v1+json"),
        "layers": [layer.descriptor for layer in layers],
    }
    entry = _add_blob(archive, json.dumps(manifest).encode(), f"{_OCI}.manifest.v1+json")
    return {**entry, "annotations": {"io.containerd.image.name": reference}}


def add_docker_manifest(archive: tarfile.TarFile, reference: str, *, layers: Sequence[Layer], config: bytes) -> None:
    """Add what `docker load` reads, whose image store may be older than OCI's layout."""

    def place(digest: str) -> str:
        return f"blobs/sha256/{digest.removeprefix('sha256:')}"

    content = {
        "Config": place(hashlib.sha256(config).hexdigest()),
        "RepoTags": [reference],
        "Layers": [place(layer.digest) for layer in layers],
    }
    add_file(archive, "manifest.json", json.dumps([content]).encode())


def _add_blob(archive: tarfile.TarFile, content: bytes, media_type: str) -> dict[str, Any]:
    digest = hashlib.sha256(content).hexdigest()
    name = f"blobs/sha256/{digest}"
    if name not in archive.getnames():  # images that differ by their names alone share all of their blobs
        add_file(archive, name, content)
    return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(content)}

"""The bill of materials of an image, as CycloneDX: Debian's packages by dpkg's own record, Python's by their metadata.

https://cyclonedx.org/docs/1.5/json/, https://github.com/package-url/purl-spec
"""

from __future__ import annotations

import re
import tarfile
import uuid
from collections.abc import Iterator
from email.parser import HeaderParser
from pathlib import Path
from typing import Any
from urllib.parse import quote

_STATUS = "./var/lib/dpkg/status"
_RELEASE = "./usr/lib/os-release"
Component = dict[str, Any]


def bill_of_materials(*, root: Path, packages: Path, version: str, architecture: str, digest: str) -> dict[str, Any]:
    """Return the bill of the image of that digest. `root`: the tar file of Debian; `packages`: Python's folder."""
    purl = f"pkg:oci/storage-acceptance@{quote(digest, safe='')}?arch={architecture}"
    about = {
        "type": "container",
        "bom-ref": purl,
        "name": "storage-acceptance",
        "version": version,
        "purl": purl,
        "hashes": [{"alg": "SHA-256", "content": digest.removeprefix("sha256:")}],
    }
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        # The same image has the same bill, also in this.
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, digest)}",
        "version": 1,
        "metadata": {"component": about},
        "components": [*_of_debian(root), *_of_python(packages)],
    }


def _of_debian(root: Path) -> Iterator[Component]:
    with tarfile.open(root) as tar:
        status, release = (_text(tar, name) for name in (_STATUS, _RELEASE))
    number = re.findall(r'^VERSION_ID="?([\d.]+)', release, re.MULTILINE)[0]
    for paragraph in sorted(filter(str.strip, status.split("\n\n"))):
        fields = HeaderParser().parsestr(paragraph)
        where = f"arch={fields['Architecture']}&distro=debian-{number}"
        source = str(fields["Source"] or fields["Package"]).split()[0]
        yield {
            **_component(f"pkg:deb/debian/{fields['Package']}", fields["Package"], fields["Version"], where=where),
            "properties": [{"name": "debian:source", "value": source}],
        }


def _of_python(packages: Path) -> Iterator[Component]:
    for folder in sorted(packages.glob("*.dist-info")):
        about = HeaderParser().parsestr((folder / "METADATA").read_text(encoding="utf-8"))
        name = re.sub(r"[-_.]+", "-", about["Name"]).lower()
        licence = about.get("License-Expression")
        yield {
            **_component(f"pkg:pypi/{name}", name, about["Version"]),
            **({"licenses": [{"expression": licence}]} if licence else {}),
        }


def _component(purl: str, name: str, version: str, *, where: str = "") -> Component:
    whole = f"{purl}@{quote(version, safe='')}{'?' * bool(where)}{where}"
    return {"type": "library", "bom-ref": whole, "name": name, "version": version, "purl": whole}


def _text(tar: tarfile.TarFile, name: str) -> str:
    file = tar.extractfile(name)
    if file is None:
        raise ValueError(f"expected a file at {name} in the root file system, found something else")
    return file.read().decode()

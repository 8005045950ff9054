"""What a release is made of: layers that say nothing of the machine, a bill of materials, notes of one version."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from acceptance.text.errors import EnvironmentFailure, WrongUsage
from embedded_cluster.oci_archive import (
    add_docker_manifest,
    add_manifest,
    add_packed_layer,
    image_config,
    write_index,
)
from release import image
from release.bill import bill_of_materials
from release.containerfile import read_recipe
from release.image import CONTAINERFILE, ROOT, write_layer
from release.notes import notes

STATUS = """\
Package: fio
Status: install ok installed
Architecture: amd64
Version: 3.33-3
Description: load generator
 with more to say of it

Package: libc6
Source: glibc
Architecture: amd64
Version: 2.36-9+deb12u10
"""
HOLD = """
import sys, time
from pathlib import Path
from acceptance.process.private_folder import private_folder
from release.image import BUILDING
with private_folder(within=Path(sys.argv[1]), prefix=BUILDING) as folder:
    print(folder, flush=True)
    time.sleep(60)
"""
METADATA = "Metadata-Version: 2.4\nName: Py_Test\nVersion: 9.2.1\nLicense-Expression: MIT\n"


def files(folder: Path) -> Path:
    """The same files, however and whenever they are made."""
    for name in ("b/two.py", "a.py", "b/one.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    return folder


def test_a_layer_says_nothing_of_where_and_when_it_was_made(tmp_path: Path) -> None:
    one, other = files(tmp_path / "one"), files(tmp_path / "other")
    os.utime(other / "a.py", (1, 1))
    (other / "b").chmod(0o700)
    for folder in (one, other):
        write_layer(tmp_path / f"{folder.name}.tar", folder, at="/opt/packages")
    assert (tmp_path / "one.tar").read_bytes() == (tmp_path / "other.tar").read_bytes()
    with tarfile.open(tmp_path / "one.tar") as tar:
        names = [f"opt/packages/{each}" for each in ("a.py", "b", "b/one.py", "b/two.py")]
        assert tar.getnames() == ["opt", "opt/packages", *names]
        assert {(getmember.uid, getmember.gid, getmember.mtime) for getmember in tar.getmembers()} == {(0, 0, 0)}


def archive_of(folder: Path, tar: Path) -> bytes:
    with tarfile.open(folder / "image.tar", "w") as archive:
        layers = [add_packed_layer(archive, tar)]
        config = image_config(layers, {"User": "65534"}, architecture="arm64", created_at="2026-11-24T00:00:00Z")
        add_docker_manifest(archive, "a:1", layers=layers, config=config)
        write_index(archive, [add_manifest(archive, "a:1", layers=layers, config=config)])
    return (folder / "image.tar").read_bytes()


def test_an_archive_is_the_same_twice_and_read_by_each_kind_of_engine(tmp_path: Path) -> None:
    write_layer(tmp_path / "layer.tar", files(tmp_path / "files"), at="/")
    first = archive_of(tmp_path, tmp_path / "layer.tar")
    assert first == archive_of(tmp_path, tmp_path / "layer.tar")
    with tarfile.open(fileobj=io.BytesIO(first)) as archive:
        blobs = {name: archive.extractfile(name).read() for name in archive.getnames()}  # type: ignore[union-attr]
    for name, content in blobs.items():
        assert not name.startswith("blobs/") or name == f"blobs/sha256/{hashlib.sha256(content).hexdigest()}"
    (entry,) = json.loads(blobs["index.json"])["manifests"]
    manifest = json.loads(blobs[f"blobs/sha256/{entry['digest'].removeprefix('sha256:')}"])
    (layer,) = manifest["layers"]
    config = json.loads(blobs[f"blobs/sha256/{manifest['config']['digest'].removeprefix('sha256:')}"])
    assert layer["mediaType"].endswith("tar+gzip") and config["architecture"] == "arm64"
    unpacked = hashlib.sha256((tmp_path / "layer.tar").read_bytes()).hexdigest()
    assert config["rootfs"]["diff_ids"] == [f"sha256:{unpacked}"]
    (docker,) = json.loads(blobs["manifest.json"])
    assert {docker["Config"], *docker["Layers"]} <= set(blobs) and docker["RepoTags"] == ["a:1"]


def test_the_bill_names_packages_of_debian_and_of_python(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "root.tar", "w") as tar:
        for name, text in (("./var/lib/dpkg/status", STATUS), ("./usr/lib/os-release", 'VERSION_ID="12"\n')):
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            tar.addfile(entry, io.BytesIO(text.encode()))
    (tmp_path / "packages" / "py_test-9.2.1.dist-info").mkdir(parents=True)
    (tmp_path / "packages" / "py_test-9.2.1.dist-info" / "METADATA").write_text(METADATA)
    bill = bill_of_materials(
        root=tmp_path / "root.tar",
        packages=tmp_path / "packages",
        version="1.2.3",
        architecture="amd64",
        digest=f"sha256:{'a' * 64}",
    )
    assert [component["purl"] for component in bill["components"]] == [
        "pkg:deb/debian/fio@3.33-3?arch=amd64&distro=debian-12",
        "pkg:deb/debian/libc6@2.36-9%2Bdeb12u10?arch=amd64&distro=debian-12",
        "pkg:pypi/py-test@9.2.1",
    ]
    assert bill["components"][1]["properties"] == [{"name": "debian:source", "value": "glibc"}]
    assert bill["components"][2]["licenses"] == [{"expression": "MIT"}]
    assert len({component["bom-ref"] for component in bill["components"]}) == 3


def test_a_build_removes_what_a_killed_one_left_and_nothing_of_one_that_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    holding = [
        subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    killed, running = (Path(each.stdout.readline().strip()) for each in holding if each.stdout)
    holding[0].kill()
    holding[0].wait()
    assert (killed.parent, killed.is_dir(), running.is_dir()) == (tmp_path, True, True)

    def no_layers(*_: object, **__: object) -> list[Path]:
        raise EnvironmentFailure("no disk")

    monkeypatch.setattr(image, "_layers", no_layers)
    with pytest.raises(EnvironmentFailure, match="no disk"):
        image.build(tmp_path, version="1", architecture="amd64", created_s=0)
    assert list(tmp_path.iterdir()) == [running]
    holding[1].terminate()
    holding[1].communicate()


def test_debian_and_python_are_those_of_the_containerfile() -> None:
    recipe = read_recipe(CONTAINERFILE)
    assert (recipe.debian, recipe.python) == ("bookworm", "3.11")


CHANGES = "# Changes\n\n## 0.2.0, not released yet\n- more\n\n## 0.1.0, 1 December 2026\n- first\n  of all\n"


def test_notes_are_the_section_of_the_version() -> None:
    assert notes(CHANGES, tag="v0.1.0", version="0.1.0") == "- first\n  of all\n"


@pytest.mark.parametrize(
    ("tag", "version", "said"),
    [
        ("v0.1.1", "0.1.0", "expected the tag v0.1.0"),
        ("v0.2.0", "0.2.0", "found `## 0.2.0, not released yet`"),
        ("v0.3.0", "0.3.0", "expected one section of CHANGELOG.md for 0.3.0, found 0"),
    ],
)
def test_nothing_is_released_that_is_not_said_to_be(tag: str, version: str, said: str) -> None:
    with pytest.raises(WrongUsage, match=said):
        notes(CHANGES, tag=tag, version=version)

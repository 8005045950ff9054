"""The image of deploy/Containerfile, built without a builder or a registry: an OCI archive, the same bytes twice."""

from __future__ import annotations

import json
import shutil
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from acceptance.process.private_folder import private_folder
from embedded_cluster.oci_archive import (
    Layer,
    add_docker_manifest,
    add_file,
    add_manifest,
    add_packed_layer,
    image_config,
    write_index,
)
from release.bill import bill_of_materials
from release.containerfile import Recipe, read_recipe
from release.packages import compile_all, install_packages
from release.root import write_root
from release.running import Say

ROOT = Path(__file__).parents[1]
CONTAINERFILE = ROOT / "deploy" / "Containerfile"
NAME = "storage-acceptance"
BUILDING = ".building-"
"""The prefix of the folders in which an image is built, next to it; the next build removes those of a killed one."""


@dataclass(frozen=True, kw_only=True)
class BuiltImage:
    """An image that was built. `digest`: that of its manifest, by which registries and clusters know it."""

    archive: Path
    bill: Path
    reference: str
    digest: str


def build(
    folder: Path,
    *,
    version: str,
    architecture: str,
    created_s: int,
    mirrors: Sequence[str] = (),
    say: Say = lambda step: None,
) -> BuiltImage:
    """Build the image into the folder. `created_s`: its time of creation, in s since the epoch; `mirrors`: see
    `write_root`; `say` is given each step as it begins.

    Raises EnvironmentFailure for what the machine lacks, ValueError for a Containerfile that is not understood.
    """
    recipe = read_recipe(CONTAINERFILE)
    name = f"{NAME}-{version}-linux-{architecture}"
    archive, reference = folder / f"{name}.tar", f"localhost/{NAME}:{version}"
    folder.mkdir(parents=True, exist_ok=True)
    with private_folder(within=folder, prefix=BUILDING) as building:
        tars = _layers(building, recipe, architecture=architecture, mirrors=mirrors, say=say)
        whole = building / archive.name
        say("step 4 of 5: compress the layers and write the archive")
        digest = _write(whole, tars, recipe, reference=reference, architecture=architecture, created_s=created_s)
        say("step 5 of 5: write the bill of materials")
        materials = bill_of_materials(
            root=tars[0],
            packages=building / "packages",
            version=version,
            architecture=architecture,
            digest=digest,
        )
        bill = folder / f"{name}.cdx.json"
        bill.write_text(json.dumps(materials, indent=1) + "\n", encoding="utf-8")
        whole.replace(archive)
    return BuiltImage(archive=archive, bill=bill, reference=reference, digest=digest)


def _layers(folder: Path, recipe: Recipe, *, architecture: str, mirrors: Sequence[str], say: Say) -> list[Path]:
    """Write the layers, those that change least first: Debian, packages, the suite."""
    root, packages, suite = (folder / f"{name}.tar" for name in ("root", "packages", "suite"))
    say(f"step 1 of 5: Debian {recipe.debian} with Python and the load generators, the longest step")
    write_root(
        root,
        debian=recipe.debian,
        python=recipe.python,
        architecture=architecture,
        programs=recipe.programs,
        say=say,
        mirrors=mirrors,
    )
    say("step 2 of 5: Python packages")
    install_packages(
        folder / "packages",
        requirements=ROOT / "requirements.txt",
        architecture=architecture,
        python=recipe.python,
        say=say,
    )
    compile_all(folder / "packages", seen_as=recipe.packages)
    write_layer(packages, folder / "packages", at=recipe.packages)
    say("step 3 of 5: the suite itself")
    for source, place in recipe.copies.items():
        _copy(ROOT / source, folder / "suite" / place.lstrip("/"))
    compile_all(folder / "suite" / recipe.folder.lstrip("/"), seen_as=recipe.folder)
    write_layer(suite, folder / "suite", at="/")
    return [root, packages, suite]


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_file():
        shutil.copyfile(source, target)
    else:
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))


def write_layer(target: Path, folder: Path, *, at: str) -> None:
    """Write a tar file of the folder, which the image has at that path: owned by root, no times, sorted by name."""
    place = at.strip("/")
    above = [part.as_posix() for part in Path(place).parents if place and part != Path(".")]
    with tarfile.open(target, "w", format=tarfile.PAX_FORMAT) as tar:
        for name in sorted(above) + [place] * bool(place):
            add_file(tar, name, kind=tarfile.DIRTYPE, mode=0o755)
        for path in sorted(folder.rglob("*")):
            name = f"{place}/{path.relative_to(folder).as_posix()}".lstrip("/")
            if path.is_dir():
                add_file(tar, name, kind=tarfile.DIRTYPE, mode=0o755)
            else:
                add_file(tar, name, path.read_bytes(), mode=0o755 if path.stat().st_mode & 0o100 else 0o644)


def _write(
    target: Path, tars: Sequence[Path], recipe: Recipe, *, reference: str, architecture: str, created_s: int
) -> str:
    """Write the archive; return the digest of its only image."""
    moment = datetime.fromtimestamp(created_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    with tarfile.open(target, "w") as archive:
        layers: list[Layer] = [add_packed_layer(archive, tar) for tar in tars]
        config = image_config(layers, dict(recipe.config), architecture=architecture, created_at=moment)
        entry = add_manifest(archive, reference, layers=layers, config=config)
        entry["annotations"]["org.opencontainers.image.ref.name"] = reference.rpartition(":")[2]
        entry["platform"] = {"architecture": architecture, "os": "linux"}
        add_docker_manifest(archive, reference, layers=layers, config=config)
        write_index(archive, [entry])
    return str(entry["digest"])

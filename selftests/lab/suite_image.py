"""The image of deploy/Containerfile, made of this host's programs: without its base image, a builder or a registry.

What is copied, set and installed is read from the Containerfile. In place of the base image stand busybox and the
Python that runs this, with the packages of requirements.txt as they are installed here.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import sys
import sysconfig
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from importlib.metadata import distribution
from importlib.util import cache_from_source
from pathlib import Path, PurePosixPath

from packaging.requirements import Requirement

from embedded_cluster.images import LOAD_GENERATORS, layer, libraries_of, load_generators
from embedded_cluster.layout import cache_folder
from embedded_cluster.oci_archive import add_file, add_image, add_layer, write_index
from release.containerfile import Recipe, read_recipe

ROOT = Path(__file__).parents[2]
CONTAINERFILE = ROOT / "deploy" / "Containerfile"
REFERENCE = "localhost/storage-acceptance/suite:lab"
_PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
# Of Python's own library and of packages: what no run of the suite reads.
_LEFT_OUT = {"__pycache__", "test", "tests", "idlelib", "tkinter", "lib2to3", "ensurepip", "site-packages", "include"}
_LEFT_OUT |= {"dist-packages", "turtledemo"}


def write_suite_image(target: Path) -> str:
    """Write an archive with the image for this checkout; returns its reference.

    Raises ValueError where the Containerfile asks for what is not known here, or a package here is not the pinned one.
    """
    recipe = read_recipe(CONTAINERFILE)
    if recipe.programs != LOAD_GENERATORS:
        raise ValueError(f"{CONTAINERFILE} installs {recipe.programs}, the embedded cluster's image {LOAD_GENERATORS}")
    packages = _package_files(recipe)
    extensions = [path for path in (*_library_files().values(), *packages.values()) if ".so" in path.suffixes]
    python = Path(sys.executable).resolve()
    libraries = {
        # A Python that is not the distribution's has its own library beside it, where the image's loader does not look.
        name if name.startswith("usr/lib") else f"usr/lib/{PurePosixPath(name).name}": path
        for name, path in libraries_of(python, *extensions).items()
        # What wheels bring with them lies among their own files.
        if "site-packages" not in path.parts
    }
    base = {**load_generators(), **libraries, "usr/local/bin/python3": python}
    with tarfile.open(target, "w") as archive:
        layers = [layer(base), _kept_layer(packages), _layer(_checkout_files(recipe))]
        added = [add_layer(archive, each) for each in layers]
        write_index(archive, [add_image(archive, REFERENCE, layers=added, config=dict(recipe.config))])
    return REFERENCE


def _library_files() -> dict[str, Path]:
    """Python's own library: path there -> file here."""
    folder = Path(sysconfig.get_path("stdlib"))
    return {f"usr/local/lib/{_PYTHON}/{path.relative_to(folder)}": path for path in _files_of(folder)}


def _package_files(recipe: Recipe) -> dict[str, Path]:
    """The packages that requirements.txt pins, as they are installed here: path there -> file here."""
    found = {}
    for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines():
        if not line or line.startswith(("#", " ")):
            continue
        wanted = Requirement(line.rstrip(" \\"))
        if wanted.marker is not None and not wanted.marker.evaluate():
            continue
        there = distribution(wanted.name)
        if not wanted.specifier.contains(there.version):
            raise ValueError(f"{wanted.name} {there.version} is installed here, and {wanted} is pinned")
        for name in there.files or []:
            if _is_wanted(name) and Path(str(name.locate())).is_file():
                found[f"{recipe.packages.lstrip('/')}/{name}"] = Path(str(name.locate()))
    return found


def _checkout_files(recipe: Recipe) -> dict[str, Path]:
    found = {}
    for source, target in recipe.copies.items():
        paths = [ROOT / source] if (ROOT / source).is_file() else list(_files_of(ROOT / source, tests=True))
        for path in paths:
            inside = "" if path == ROOT / source else f"/{path.relative_to(ROOT / source)}"
            found[f"{target.lstrip('/')}{inside}"] = path
    return found


def _files_of(folder: Path, *, tests: bool = False) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and _is_wanted(PurePosixPath(path.relative_to(folder)), tests=tests):
            yield path


def _is_wanted(name: PurePosixPath, *, tests: bool = False) -> bool:
    left_out = {"__pycache__"} if tests else _LEFT_OUT
    return left_out.isdisjoint(name.parts[:-1]) and ".." not in name.parts and not name.parts[0].startswith("config-")


def _kept_layer(packages: Mapping[str, Path]) -> bytes:
    """Python's library and the packages, written once for each version of them."""
    state = (Path(__file__).read_bytes(), (ROOT / "requirements.txt").read_bytes(), sys.version, sys.prefix)
    key = hashlib.sha256(repr(state).encode()).hexdigest()[:12]
    kept = cache_folder() / f"suite-packages-{key}.tar"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=kept.parent, prefix="suite-packages-", delete=False) as temporary:
            temporary.write(_layer({**_library_files(), **packages}))
        shutil.move(temporary.name, kept)
    return kept.read_bytes()


def _layer(files: Mapping[str, Path]) -> bytes:
    """With what Python made of sources already: it is used where times agree."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as tar:
        for name, path in sorted(files.items()):
            sources = [(name, path)]
            if path.suffix == ".py" and (compiled := Path(cache_from_source(str(path)))).is_file():
                sources.append((cache_from_source(name), compiled))
            for each, file in sources:
                mode = 0o755 if file.stat().st_mode & 0o100 else 0o644
                add_file(tar, each, file.read_bytes(), mode=mode, modified_s=int(file.stat().st_mtime))
    return content.getvalue()

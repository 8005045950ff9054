"""What is built once: the name of its folder, that it is whole, and what Debian packages it asks for."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import build_cache, images, packages, postgresql
from embedded_cluster.longhorn import images as longhorn_images
from embedded_cluster.longhorn.programs import Programs


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "storage-acceptance"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "go" / "inner").mkdir(parents=True)
    (tmp_path / "go" / "go.mod").write_text("module m\n\ngo 1.24.0\n")
    (tmp_path / "go" / "inner" / "main.go").write_text("package main\n")
    return tmp_path / "go"


def build(target: Path) -> None:
    (target / "program").write_text("built")


def test_what_was_built_is_not_built_again(source: Path) -> None:
    first = build_cache.build_once("x", sources=[source], recipe="", build=build)
    assert (first / "program").read_text() == "built"
    (first / "program").write_text("kept")
    assert (build_cache.build_once("x", sources=[source], recipe="", build=build) / "program").read_text() == "kept"


def test_every_file_and_the_recipe_tell_builds_apart(source: Path) -> None:
    folders = {build_cache.folder_for("x", sources=[source], recipe="")}
    folders.add(build_cache.folder_for("x", sources=[source], recipe="changed"))
    (source / "inner" / "main.go").write_text("package main // changed\n")
    folders.add(build_cache.folder_for("x", sources=[source], recipe=""))
    assert len(folders) == 3


def test_nothing_is_left_of_a_build_that_failed(source: Path, cache: Path) -> None:
    def fail(target: Path) -> None:
        build(target)
        raise EnvironmentFailure("no compiler")

    with pytest.raises(EnvironmentFailure, match="no compiler"):
        build_cache.build_once("x", sources=[source], recipe="", build=fail)
    assert list(cache.iterdir()) == []


def longhorn_archive() -> Path:
    return longhorn_images.archive(Programs(version=longhorn_images._VERSION, paths={}, crds=()))


ARCHIVES: dict[ModuleType, Callable[[], Path]] = {
    images: lambda: images.ensure().archive,
    longhorn_images: longhorn_archive,
    postgresql: lambda: postgresql.ensure().archive,
}


@pytest.fixture
def program_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The programs in all image archives: one small file."""
    program = tmp_path / "program"
    program.write_text("program")
    monkeypatch.setattr(packages, "ensure", lambda _: None)
    for module, name in ((images, "load_generators"), (longhorn_images, "_files"), (postgresql, "_files")):
        monkeypatch.setattr(module, name, lambda *_: {"usr/bin/busybox": program})
    monkeypatch.setattr(postgresql, "_newest", lambda: Path("/usr/lib/postgresql/17"))
    monkeypatch.setattr(images, "run", lambda command: "fio-3.1" if command[0] == "fio" else "cat")
    monkeypatch.setattr(postgresql, "run", lambda _: "postgres (PostgreSQL) 17.1")


@pytest.mark.usefixtures("program_files")
@pytest.mark.parametrize("module", ARCHIVES, ids=lambda module: module.__name__)
def test_an_image_archive_whose_write_fails_leaves_nothing_in_the_cache(
    module: ModuleType, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk becomes full at the end of the archive. With enough space, the next call writes all of it."""

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched, pytest.raises(OSError, match="No space left"):
        patched.setattr(module, "write_index", fail)
        ARCHIVES[module]()
    assert list(cache.iterdir()) == []
    archive = ARCHIVES[module]()
    assert list(cache.iterdir()) == [archive]
    assert archive.stat().st_mode & 0o777 == 0o600


def test_a_package_is_told_by_a_program_or_by_another_file_of_it(tmp_path: Path) -> None:
    header = tmp_path / "library.h"
    assert packages.missing({"shell": "sh", "library-dev": str(header), "other": "no-such-program"}) == [
        "library-dev",
        "other",
    ]
    header.touch()
    assert packages.missing({"library-dev": str(header)}) == []

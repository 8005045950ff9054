"""What is built once: the name of its folder, that it is whole, and what Debian packages it asks for."""

from pathlib import Path

import pytest

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import build_cache, packages


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


def test_a_package_is_told_by_a_program_or_by_another_file_of_it(tmp_path: Path) -> None:
    header = tmp_path / "library.h"
    assert packages.missing({"shell": "sh", "library-dev": str(header), "other": "no-such-program"}) == [
        "library-dev",
        "other",
    ]
    header.touch()
    assert packages.missing({"library-dev": str(header)}) == []

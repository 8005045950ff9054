"""The lab's CSI driver and csi-sanity: built once, from pinned modules, and documented with all its faults."""

import re
from pathlib import Path

import pytest

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import golang
from embedded_cluster.csi import driver
from embedded_cluster.go_modules import pinned_version
from selftests.lab import csi_driver
from selftests.unit.docs_pages import PAGES

SPEC = "github.com/container-storage-interface/spec"
SOURCES = {"driver": driver.SOURCE, "sanity": csi_driver.SANITY_SOURCE}
PAGE = PAGES["docs/lab-csi.md"]


class Compiler:
    """Plays `go`: notes what is compiled, and writes the program."""

    def __init__(self) -> None:
        self.calls: list[tuple[list[str], Path]] = []

    def __call__(self, packages: list[str], *, source: Path, output: Path, **_: object) -> None:
        self.calls.append((packages, source))
        output.write_text("")


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compiler:
    played = Compiler()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for module in (driver, csi_driver):
        monkeypatch.setattr(module, "compile_packages", played)
    monkeypatch.setattr(golang, "find_go", lambda **_: Path("go"))
    return played


def test_each_is_built_once_and_then_taken_from_the_cache(compiler: Compiler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver.packages, "ensure", lambda _packages: False)
    for build in (driver.ensure, csi_driver.ensure_sanity):
        first = build()
        assert first.is_file() and build() == first
    sanity = [f"{csi_driver.SANITY_MODULE}/cmd/csi-sanity"]
    assert compiler.calls == [(["."], driver.SOURCE), (sanity, csi_driver.SANITY_SOURCE)]


def test_a_driver_without_the_programs_that_it_calls_is_not_there(
    compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacks(_packages: object) -> bool:
        raise EnvironmentFailure("no xfsprogs")

    monkeypatch.setattr(driver.packages, "ensure", lacks)
    with pytest.raises(EnvironmentFailure, match="xfsprogs"):
        driver.ensure()


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_modules_are_pinned_with_their_sums(source: Path) -> None:
    required = re.findall(r"^\s+(\S+\.\S+/\S+ v\S+)", (source / "go.mod").read_text(), re.MULTILINE)
    sums = (source / "go.sum").read_text()
    assert required and [each for each in required if f"{each}/go.mod h1:" not in sums] == []


def test_both_speak_the_same_version_of_csi() -> None:
    assert len({pinned_version(source, SPEC) for source in SOURCES.values()}) == 1


def test_the_page_has_every_fault_of_the_driver_and_no_other() -> None:
    code = (driver.SOURCE / "faults.go").read_text()
    table = PAGE.partition("## What it can get wrong")[2]
    documented = re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE)
    assert documented == re.findall(r'^\t\w+\s+fault = "([a-z-]+)"', code, re.MULTILINE)


def test_the_driver_is_known_by_one_name() -> None:
    assert f'driverName    = "{driver.NAME}"' in (driver.SOURCE / "main.go").read_text()

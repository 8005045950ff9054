"""Every Python package is pinned with its hashes, to what the *.in files ask for; `make lock` does that."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCKED = ("requirements", "selftests/requirements", ".ci/tox", ".ci/audit", "embedded_cluster/go-toolchain")
PIN = re.compile(r"([A-Za-z0-9._-]+)==([A-Za-z0-9.]+)")


def wanted(name: str) -> dict[str, str]:
    """By package, the version that a file asks for, or one that it includes."""
    found = {}
    for line in (ROOT / f"{name}.in").read_text(encoding="utf-8").splitlines():
        if line.startswith("-r "):
            found |= wanted(
                str((ROOT / name).parent.joinpath(line[3:].removesuffix(".in")).resolve().relative_to(ROOT))
            )
        elif line and not line.startswith("#"):
            pin = PIN.fullmatch(line)
            assert pin, f"{name}.in: {line!r} is not pinned as NAME==VERSION"
            found[_normal(pin[1])] = pin[2]
    return found


def locked(name: str) -> dict[str, tuple[str, int]]:
    """By package, the version that is installed, and how many hashes it may have."""
    text = (ROOT / f"{name}.txt").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=[A-Za-z0-9])", "\n".join(line for line in text.splitlines() if not line.startswith("#")))
    found = {}
    for entry in filter(str.strip, entries):
        pin = PIN.match(entry.strip())
        assert pin, entry
        found[_normal(pin[1])] = (pin[2], entry.count("--hash=sha256:"))
    return found


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("name", LOCKED)
def test_what_is_asked_for_is_what_is_installed(name: str) -> None:
    installed = {package: version for package, (version, _) in locked(name).items()}
    assert wanted(name).items() <= installed.items(), "run `make lock`"


@pytest.mark.parametrize("name", LOCKED)
def test_every_package_has_hashes(name: str) -> None:
    assert [package for package, (_, hashes) in locked(name).items() if not hashes] == []


def test_the_suites_own_tests_run_with_what_a_run_installs() -> None:
    assert locked("requirements").items() <= locked("selftests/requirements").items(), "run `make lock`"


def test_what_is_asked_for_is_documented() -> None:
    text = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8").lower()
    asked = {package for name in LOCKED for package in wanted(name)}
    assert [package for package in sorted(asked) if not re.search(rf"\b{package}\b", text)] == []

"""What several files ask for: what fio has printed, as `fio_documents/record.py` recorded it; plans of the suite."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings

from selftests.pytest_command import PYTEST_MODULE
from selftests.warm_start import run_module

# No example fails because the machine is slow; one that hangs has the time-out of its test. Before a commit the
# examples are the same each time: what fails then is the commit's. Every night looks for further ones.
settings.register_profile(
    "any machine",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=not os.environ.get("SELFTEST_FULL"),
)
settings.load_profile("any machine")

ROOT = Path(__file__).parents[2]

FOLDER = Path(__file__).parent / "fio_documents"
RECORDS = sorted(path.stem for path in FOLDER.glob("*.txt"))


# Simulations of thousands of runs: of each, the first case before a commit, the last as well every night, all before a
# release. They have seeds, so that nothing but a change of what they are about makes another night's differ.
SIMULATIONS = re.compile(r"test_(\w+_promises|percentiles|slowing)\.py")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if SIMULATIONS.fullmatch(item.path.name):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for of_one in cases.values():
        for item in of_one[1:-1]:
            item.add_marker(pytest.mark.release)
        for item in of_one[1:][-1:]:
            item.add_marker(pytest.mark.full)


@pytest.fixture(scope="session")
def recorded() -> Callable[[str], str]:
    """The record of a name, as text."""
    return lambda name: (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "record" in metafunc.fixturenames:
        metafunc.parametrize("record", RECORDS, indirect=True)


@pytest.fixture
def record(request: pytest.FixtureRequest, recorded: Callable[[str], str]) -> str:
    """Each record in turn."""
    return recorded(request.param)


@pytest.fixture
def folder_in_memory() -> Iterator[Path]:
    """A folder on no disk: to make a file durable, or all of a file system, waits for what others write to no disk."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as name:
        yield Path(name)


@pytest.fixture
def planned(tmp_path: Path) -> Callable[..., tuple[int, str]]:
    """`pytest --storage-plan` in a process of its own, with no cluster and no kubeconfig to be had."""

    def run(*options: str) -> tuple[int, str]:
        surroundings = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("STORAGE_", "PYTEST_", "KUBE")) and "proxy" not in name.lower()
        } | {"HOME": str(tmp_path)}
        # A folder that nobody can make: a plan writes none.
        report = f"--storage-report={tmp_path / 'reports'}"
        done = run_module(*PYTEST_MODULE, "--storage-plan", report, *options, folder=ROOT, environment=surroundings)
        assert not (tmp_path / "reports").exists()
        return done.returncode, done.stdout + done.stderr

    return run

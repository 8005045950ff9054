"""The wheel: built, installed into an environment of its own, and used from an empty folder."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import acceptance
from selftests.bounds import HANGS_S
from selftests.unit.docs_pages import ROOT, example_of_own_tests
from selftests.unit.test_requirements import wanted

ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.startswith(("STORAGE_", "PYTEST_", "PYTHON"))}
COMMANDS = "run gate nightly qualification presets quick smoke host discover list plan limits profiles report "
COMMANDS += "driver-info compare accept-level cleanup completion cluster"
Called = Callable[..., subprocess.CompletedProcess[str]]


def done(*words: str | Path, status: int | None = 0, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """The words as a process that ended with this status."""
    ended = subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )
    assert status in (None, ended.returncode), ended.stdout + ended.stderr
    return ended


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As it is built of the working tree."""
    folder = tmp_path_factory.mktemp("wheel")
    done(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="session")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Those of an environment with the wheel, and for all that it needs with what is installed here: no network."""
    folder = tmp_path_factory.mktemp("project") / "env"
    venv.create(folder, symlinks=True)
    python = folder / "bin/python"
    here = [each for each in sys.path if each.endswith("-packages")]
    packages = done(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip()
    Path(packages, "here.pth").write_text("\n".join(here) + "\n", encoding="utf-8")
    words = ("install", "--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check")
    done(sys.executable, "-m", "pip", "--python", python, *words, wheel)
    return python.parent


@pytest.fixture
def call(programs: Path, tmp_path: Path) -> Called:
    """Calls a program of that environment, from an empty folder."""
    return lambda program, *words, status=0: done(programs / program, *words, status=status, folder=tmp_path)


def test_it_has_all_that_a_run_reads_and_no_names_of_others(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {
        "acceptance",
        "embedded_cluster",
        "storage_acceptance",
    }
    listed = done("git", "ls-files", "acceptance", "embedded_cluster", "storage_acceptance").stdout.splitlines()
    below = done(
        "git", "ls-files", "fixtures", "tests", "profiles", "workloads", "deploy", "thresholds.yaml"
    ).stdout.splitlines()
    assert {*listed, *(f"storage_acceptance/{name}" for name in below)} - {*names} == set()
    assert f"-{acceptance.__version__}-" in wheel.name


def test_it_asks_for_what_a_run_installs() -> None:
    """Each package of requirements.in, in the versions that it names or newer ones; what draws pictures as an extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    assert [picture.partition(">")[0] for picture in extras["pictures"]] == ["matplotlib"] and extras.keys() == {
        "pictures"
    }
    named = [*project["dependencies"], *extras["pictures"]]
    asked = dict(re.fullmatch(r"([a-z0-9-]+)>=([\d.]+),<[\d.]+", each).groups() for each in named)
    pinned = wanted("requirements")
    assert asked.keys() == pinned.keys()
    assert [name for name, least in asked.items() if not f"{pinned[name]}.".startswith(f"{least}.")] == []


def test_it_says_what_it_can_do(call: Called, tmp_path: Path) -> None:
    assert call("storage-acceptance", "--version").stdout == f"storage-acceptance {acceptance.__version__}\n"
    overview = call("storage-acceptance", "--help").stdout
    assert " ".join(re.findall(r"^  ([a-z-]+) ", overview, re.MULTILINE)) == COMMANDS
    assert "expected one of the commands run, " in call("storage-acceptance", "rnu", status=4).stderr
    assert "--storage-class=NAME" in call("storage-acceptance", "run", "--help").stdout
    assert "usage: storage-acceptance cleanup" in call("storage-acceptance", "cleanup", "--help").stdout
    assert "--storage-class= " in call("storage-acceptance", "completion", "bash").stdout
    assert list(tmp_path.iterdir()) == []


def test_it_lists_tests_and_limits(call: Called, tmp_path: Path) -> None:
    told = call("storage-acceptance", "list", "--storage-class=fast", "-k", "binds or not_faster").stdout
    assert told.startswith("tests/test_provisioning.py: A StorageClass must provide volumes: ")
    assert "- A PVC binds; a pod mounts the volume, writes data, and reads the same data back.\n" in told
    assert "expected one of the tiers" in call("storage-acceptance", "limits", "--tier=none", status=4).stderr
    limits = call("storage-acceptance", "limits", "--tier=production").stdout
    assert re.search(r"^ *sync-write-iops +write.iops at least 1,000 IOPS +production *$", limits, re.MULTILINE), limits
    assert '"$schema"' in call("storage-acceptance", "limits", "--schema").stdout
    assert not (tmp_path / "reports").exists()


@pytest.fixture
def checkout(programs: Path) -> Iterator[Path]:
    """The folder with the environment in it, as a checkout of the suite: its own plugins are requested there, too."""
    folder = programs.parent.parent
    names = ("tox.ini", "conftest.py", "fixtures", "acceptance")
    for name in names:
        (folder / name).symlink_to(ROOT / name)
    yield folder
    for name in names:
        (folder / name).unlink()


def test_it_runs_in_a_checkout_that_has_its_environment(programs: Path, checkout: Path, call: Called) -> None:
    words = ("list", "--storage-class=fast", "-k", "binds")
    in_checkout = done(programs / "storage-acceptance", *words, folder=checkout).stdout
    assert in_checkout == call("storage-acceptance", *words).stdout != ""


def test_it_measures_a_folder_and_reports_beside_it(call: Called, tmp_path: Path) -> None:
    """Where storage is as slow or noisy as can be, too; the tests have the names that they have in the repository."""
    (tmp_path / "disk").mkdir()
    words = (
        "--storage-test-size=64Mi",
        "--storage-longest=60s",
        "-k",
        "random-read-iops",
        "--storage-inconclusive=pass",
        "--storage-partial=pass",
    )
    ended = call("storage-acceptance", "host", "disk", *words, status=None)
    assert ended.returncode in (0, 1), ended.stdout + ended.stderr
    assert "Warning" not in ended.stdout, ended.stdout
    found = json.loads((tmp_path / "reports/latest/results.json").read_text(encoding="utf-8"))
    assert [measurement["profile"] for measurement in found["measurements"]] == ["random-read-iops"]
    assert {verdict["test"].partition("::")[0] for verdict in found["verdicts"]} >= {"tests/test_further_profiles.py"}
    assert found["tested_with"]["limits_shipped"] is True
    junit = (tmp_path / "reports/latest/junit.xml").read_text(encoding="utf-8")
    assert 'file="tests/test_further_profiles.py"' in junit and 'file=".' not in junit
    assert found["run"]["command"].startswith("storage-acceptance run --storage-class=")
    assert "unchanged" in call("storage-acceptance", "report", "--verify", "reports/latest").stdout


def test_a_test_is_selected_by_the_name_that_reports_have_for_it(call: Called) -> None:
    name = "tests/test_provisioning.py::test_claim_binds_in_time"
    told = call("storage-acceptance", "run", name, "--collect-only", "-q", "--storage-class=fast").stdout
    assert told.splitlines()[0] == f"{name}[bind_time-fast]"


SHIPPED = ("--pyargs", "storage_acceptance.tests", "--collect-only", "-q")


def test_pytest_has_the_suite_where_it_is_asked_for_and_not_elsewhere(
    call: Called, programs: Path, tmp_path: Path
) -> None:
    _, *words = example_of_own_tests(tmp_path)
    planned = call("python", "-m", "pytest", *words, "--storage-plan", "--storage-embedded-name=no-such").stdout
    assert re.search(r"^order-log on fast +1 ", planned, re.MULTILINE), planned
    told = call("python", "-m", "pytest", *SHIPPED, "--storage-class=fast").stdout
    assert "tests/test_durability.py::test_acknowledged_records_survive_a_killed_pod[fast]" in told
    by_variables = call("/usr/bin/env", "STORAGE_CLASS=fast", programs / "python", "-m", "pytest", *SHIPPED).stdout
    assert by_variables.splitlines()[:-1] == told.splitlines()[:-1]  # the last is how long it took
    (tmp_path / "test_other.py").write_text("def test_of_another_project(): pass\n", encoding="utf-8")
    other = ("python", "-m", "pytest", "test_other.py", "-p", "no:cacheprovider")
    assert "1 passed" in call("/usr/bin/env", "STORAGE_CLASS=GLACIER", programs / other[0], *other[1:]).stdout
    assert not (tmp_path / "reports").exists()


def test_presets_choose_among_the_tests_of_the_wheel(call: Called) -> None:
    listed = call("storage-acceptance", "gate", "fast", "--collect-only", "-q").stdout
    assert "tests/test_provisioning.py::test_claim_binds_and_takes_a_write[fast]" in listed
    assert "tests/test_control_plane_scale.py" not in listed and "no test matches" not in listed

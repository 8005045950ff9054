"""The embedded cluster and the lab for all integration tests; what was not running before is not running after."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from acceptance import embedded
from acceptance.cluster.api import Api
from selftests.integration.suite import ROOT, left_behind


@pytest.fixture(scope="session")
def cluster() -> Iterator[embedded.EmbeddedCluster]:
    """The embedded cluster that `--storage-cluster embedded` uses."""
    ran_before = embedded.find() is not None
    subprocess.run([sys.executable, "-m", "acceptance.embedded", "up"], cwd=ROOT, check=True)
    running = embedded.find()
    assert running is not None
    yield running
    if not ran_before:
        subprocess.run([sys.executable, "-m", "acceptance.embedded", "down"], cwd=ROOT, check=True)


@pytest.fixture(scope="session")
def api(cluster: embedded.EmbeddedCluster) -> Api:
    """The cluster's administrator."""
    return Api.from_kubeconfig(cluster.kubeconfig)


@pytest.fixture
def clean(api: Api) -> Iterator[Api]:
    """Nothing of any run is in the cluster before the test, and nothing after it."""
    assert left_behind(api) == []
    yield api
    assert left_behind(api) == []


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    """Where the runs of a test report to."""
    return tmp_path / "reports"


@pytest.fixture(scope="module")
def lab_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for lab volumes that pods may enter."""
    folder = tmp_path_factory.mktemp("lab")
    for each in (folder, *folder.parents):
        if each.stat().st_mode & 0o005 != 0o005 and each != Path("/"):
            each.chmod(each.stat().st_mode | 0o055)
    return folder

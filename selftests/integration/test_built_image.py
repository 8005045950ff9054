"""The image as it is released: built here, twice the same; the Job of the CronJob runs in it without ids of ours."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import embedded_cluster
from acceptance import __version__
from acceptance.cluster.api import Api
from acceptance.results.checksums import digest_of
from embedded_cluster.kubectl import Kubectl
from embedded_cluster.layout import Layout
from embedded_cluster.oci_archive import ARCHITECTURE
from embedded_cluster.state import read_state
from release.image import ROOT, BuiltImage, build
from selftests.integration.in_cluster import deployed, ended, loaded, read_reports, start, status_of
from selftests.integration.suite import CLUSTER, left_behind
from selftests.lab.restricted_v2 import restricted_v2

pytestmark = [pytest.mark.disrupts, pytest.mark.release]

CREATED = 1700000000


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> BuiltImage:
    """Debian's packages and Python's, from their own servers, for this machine's processors."""
    folder = tmp_path_factory.mktemp("dist")
    return build(folder, version=__version__, architecture=ARCHITECTURE, created_s=CREATED)


def test_the_same_image_comes_again(built: BuiltImage, tmp_path: Path) -> None:
    again = build(tmp_path, version=__version__, architecture=ARCHITECTURE, created_s=CREATED)
    assert again.digest == built.digest
    assert digest_of(again.archive) == digest_of(built.archive)
    assert again.bill.read_text() == built.bill.read_text()


def test_the_bill_names_what_is_in_the_image(built: BuiltImage) -> None:
    bill = json.loads(built.bill.read_text())
    there = {component["purl"].partition("@")[0]: component["version"] for component in bill["components"]}
    assert {"pkg:deb/debian/fio", "pkg:deb/debian/sysbench", "pkg:deb/debian/libc6"} <= set(there)
    pinned = dict(re.findall(r"^([a-z0-9-]+)==([\w.]+)", (ROOT / "requirements.txt").read_text(), re.MULTILINE))
    assert there["pkg:pypi/pytest"] == pinned["pytest"] and there["pkg:pypi/kubernetes"] == pinned["kubernetes"]
    assert bill["metadata"]["component"]["hashes"][0]["content"] == built.digest.removeprefix("sha256:")


def leave_ids_to_the_cluster(folder: Path) -> None:
    """By the line of docs/platforms.md."""
    (line,) = re.findall(r"^    (sed .*) deploy/\*\.yaml", (ROOT / "docs/platforms.md").read_text(), re.MULTILINE)
    subprocess.run(["sh", "-c", f"{line} *.yaml"], cwd=folder, env=os.environ, check=True)


@pytest.fixture
def openshift(api: Api) -> Iterator[None]:
    with restricted_v2(api):
        yield


def test_the_cronjobs_job_runs_in_it_without_ids_of_ours(
    openshift: None, built: BuiltImage, cluster: embedded_cluster.EmbeddedCluster, api: Api, tmp_path: Path
) -> None:
    state, kubectl = read_state(Layout(CLUSTER)), Kubectl.of(Layout(CLUSTER))
    assert state is not None
    with (
        loaded(state, built.archive, built.reference) as image,
        deployed(api, kubectl, state, image, tmp_path / "deploy", change=leave_ids_to_the_cluster),
    ):
        start(kubectl, "built")
        how, pod, log = ended(api, "built")
        assert (how, status_of(pod)) == ("Complete", 0), log
        assert not {"runAsUser", "runAsGroup", "fsGroup"} & set(pod["spec"]["securityContext"])
        (results,) = read_reports(kubectl, state, tmp_path / "reports", deploy=tmp_path / "deploy")
        assert results["cluster"]["image"]["reference"] == image
        assert {verdict["status"] for verdict in results["verdicts"]} == {"pass"}
    assert left_behind(api, by_anyone=True) == []

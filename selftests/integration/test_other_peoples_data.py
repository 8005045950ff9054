"""What the suite did not make it does not touch: volumes of others, whatever class or label they carry."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from acceptance import embedded
from acceptance.cluster.api import Api
from acceptance.cluster.objects import RUN_LABEL
from acceptance.cluster.resources import CLAIMS, VOLUMES, Object
from acceptance.cluster.waiting import wait_for
from selftests.integration.suite import run_suite
from selftests.integration.test_interruption import cleanup

pytestmark = pytest.mark.disrupts

KEPT = "someone-elses-data"


def volume(storage_class: str, folder: Path, **more: Any) -> Object:
    return {
        "metadata": {"name": KEPT, "labels": {RUN_LABEL: "20200101-000000-abcdef"}},
        "spec": {
            "capacity": {"storage": "1Ti"},
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": storage_class,
            "persistentVolumeReclaimPolicy": "Retain",
            "hostPath": {"path": str(folder)},
            **more,
        },
    }


@pytest.fixture
def precious(api: Api, tmp_path: Path) -> Iterator[Path]:
    """A folder with data; whatever volume shows it is gone afterwards, its claim too."""
    folder = tmp_path / "precious"
    folder.mkdir()
    (folder / "data").write_text("years of work")
    yield folder
    api.delete(CLAIMS, KEPT, namespace="default")
    api.delete(VOLUMES, KEPT)
    wait_for(
        "the volume to be gone",
        look=lambda: api.find(VOLUMES, KEPT),
        ready=lambda seen: not seen,
        state=str,
        timeout_s=60,
    )


@pytest.mark.parametrize("storage_class", ["replicated", "local-path"])
def test_a_volume_that_waits_for_a_claim_is_never_taken(
    storage_class: str, api: Api, precious: Path, reports: Path
) -> None:
    """Kubernetes would give it to the run's claim; so the run does not begin."""
    api.create(VOLUMES, volume(storage_class, precious))
    classes = ["--storage-class", "replicated", "--storage-baseline-class", "local-path"]
    run = run_suite(*classes, "-k", "sync-write or takes_a_write", reports=reports)
    assert run.status == 10, run.output
    assert f"volumes of storage class {storage_class} wait for a claim and may hold data: {KEPT}" in run.output
    assert api.get(VOLUMES, KEPT)["status"]["phase"] == "Available"
    assert [each.name for each in precious.iterdir()] == ["data"]


def test_a_label_from_the_past_makes_no_volume_the_runs_own(
    cluster: embedded.EmbeddedCluster, api: Api, precious: Path
) -> None:
    """Someone claimed a volume that a run had once: cleaning up leaves it and its reclaim policy alone."""
    api.create(VOLUMES, volume("claimed-by-hand", precious))
    claim = {
        "metadata": {"name": KEPT},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "claimed-by-hand",
            "volumeName": KEPT,
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }
    api.create(CLAIMS, claim, namespace="default")
    assert cleanup(cluster).stdout.strip() == "nothing to remove"
    assert cleanup(cluster, "--run", "20200101-000000-abcdef").stdout.strip() == "nothing to remove"
    assert api.get(VOLUMES, KEPT)["spec"]["persistentVolumeReclaimPolicy"] == "Retain"
    assert (precious / "data").read_text() == "years of work"


def test_a_namespace_that_only_begins_like_a_runs_makes_no_volume_the_runs_own(
    cluster: embedded.EmbeddedCluster, api: Api, precious: Path
) -> None:
    """A retained volume whose claim and namespace are gone: cleaning up leaves it and its reclaim policy alone."""
    gone = {"namespace": "storage-acceptance-archive", "name": "five-years-of-reports", "uid": str(uuid4())}
    api.create(VOLUMES, volume("archive", precious, claimRef=gone))
    wait_for(
        "the volume to be released",
        look=lambda: api.get(VOLUMES, KEPT)["status"].get("phase"),
        ready=lambda phase: phase == "Released",
        state=str,
        timeout_s=60,
    )
    for options in ([], ["--run", "archive"]):
        done = cleanup(cluster, *options)
        assert (done.returncode, done.stdout.strip()) == (0, "nothing to remove"), done.stderr
    assert api.get(VOLUMES, KEPT)["spec"]["persistentVolumeReclaimPolicy"] == "Retain"
    assert (precious / "data").read_text() == "years of work"

"""What the suite did not make it does not touch: volumes of others, whatever class or label they carry."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

import embedded_cluster
from acceptance.cluster.api import Api
from acceptance.cluster.objects import RUN_LABEL
from acceptance.cluster.ownership import BOUND_BY_CONTROLLER, PROVISIONED_BY
from acceptance.cluster.resources import CLAIMS, STORAGE_CLASSES, VOLUMES, Object
from acceptance.cluster.waiting import wait_for
from selftests.bounds import HANGS_S
from selftests.integration.suite import finish, own, run_suite, started_suite
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
        "the volume to be deleted",
        look=lambda: api.find(VOLUMES, KEPT),
        ready=lambda seen: not seen,
        state=str,
        timeout_s=HANGS_S,
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
    assert f"PVs of StorageClass {storage_class} wait for a PVC and may hold data: {KEPT}" in run.output
    assert api.get(VOLUMES, KEPT)["status"]["phase"] == "Available"
    assert [path.name for path in precious.iterdir()] == ["data"]


def test_a_label_from_the_past_makes_no_volume_the_runs_own(
    cluster: embedded_cluster.EmbeddedCluster, api: Api, precious: Path
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


NEVER = "never-provisions"
RUN_THAT_WAS = "storage-acceptance-20200101-000000-abcdef"


@pytest.mark.parametrize(
    ("namespace", "annotations", "reason"),
    [
        ("storage-acceptance-archive", {}, "no run creates namespace storage-acceptance-archive"),
        (RUN_THAT_WAS, {}, "no provisioner created it"),
        (RUN_THAT_WAS, {PROVISIONED_BY: "nobody"}, "it lacks the run's label, and its PVC no longer exists"),
        (RUN_THAT_WAS, {PROVISIONED_BY: "nobody", BOUND_BY_CONTROLLER: "yes"}, "it existed already"),
    ],
    ids=["prefix", "static", "unlabelled", "re-offered"],
)
def test_what_is_not_surely_a_runs_is_listed_and_kept(
    namespace: str,
    annotations: dict[str, str],
    reason: str,
    cluster: embedded_cluster.EmbeddedCluster,
    api: Api,
    precious: Path,
) -> None:
    """A retained volume whose claim and namespace are gone: cleaning up leaves it and its reclaim policy alone."""
    gone = {"namespace": namespace, "name": "five-years-of-reports", "uid": str(uuid4())}
    offered = volume("archive", precious, claimRef=gone)
    offered["metadata"] = {"name": KEPT, "annotations": annotations}
    api.create(VOLUMES, offered)
    wait_for(
        "the volume to be released",
        look=lambda: api.get(VOLUMES, KEPT)["status"].get("phase"),
        ready=lambda phase: phase == "Released",
        state=str,
        timeout_s=HANGS_S,
    )
    for options in ([], ["--run", namespace.removeprefix("storage-acceptance-")]):
        done = cleanup(cluster, *options)
        assert done.returncode == 0, done.stderr
        told, nothing = done.stdout.splitlines()
        assert told.startswith(f"PV {KEPT} of PVC {namespace}/five-years-of-reports is not deleted: {reason}")
        assert told.endswith(f"inspect it with `kubectl describe pv {KEPT}`") and nothing == "nothing to remove"
    assert api.get(VOLUMES, KEPT)["spec"]["persistentVolumeReclaimPolicy"] == "Retain"
    assert (precious / "data").read_text() == "years of work"


@pytest.fixture
def never(request: pytest.FixtureRequest, api: Api) -> Iterator[str]:
    """A class of that binding mode that provisions nothing, and nowhere: a claim of it takes what is offered."""
    nowhere = {"matchLabelExpressions": [{"key": "kubernetes.io/hostname", "values": ["nowhere"]}]}
    asked = {"provisioner": "nobody", "volumeBindingMode": request.param, "allowedTopologies": [nowhere]}
    api.create(STORAGE_CLASSES, {"metadata": {"name": NEVER}, **asked})
    yield request.param
    api.delete(STORAGE_CLASSES, NEVER)


WRITERS = {
    "trial": ("-k", "takes_a_write"),
    "load": ("-k", "sync-write-iops-write"),
    "scale": ("-m", "scale", "--storage-scale-steps", "1,2"),
    "ramp": ("-m", "control_plane", "--storage-destructive"),
}
# Of the two ways of binding, the one that `make test` tries.
FIRST = {
    "trial": "Immediate",
    "load": "WaitForFirstConsumer",
    "scale": "WaitForFirstConsumer",
    "ramp": "Immediate",
}


@pytest.mark.parametrize(
    ("options", "never"),
    [
        pytest.param(options, mode, id=f"{name}-{mode}", marks=() if mode == FIRST[name] else pytest.mark.full)
        for name, options in WRITERS.items()
        for mode in ("Immediate", "WaitForFirstConsumer")
    ],
    indirect=["never"],
)
def test_a_volume_that_is_offered_in_mid_run_is_not_written_to(
    options: tuple[str, ...], never: str, clean: Api, precious: Path, reports: Path
) -> None:
    """One that was provisioned once, retained and offered again, while a claim of the run waits: the worst case, for
    it would be deleted with its claim, and its data with it."""
    precious.chmod(0o777)
    offered = volume(NEVER, precious, persistentVolumeReclaimPolicy="Delete")
    offered["metadata"]["annotations"] = {PROVISIONED_BY: "nobody"}
    with started_suite("--storage-class", NEVER, *options, reports=reports) as process:
        wait_for(
            "the run to have a claim",
            look=lambda: [each for each in own(clean, CLAIMS) if each["spec"]["storageClassName"] == NEVER],
            ready=bool,
            state=str,
            timeout_s=HANGS_S,
        )
        clean.create(VOLUMES, offered)
        run = finish(process, reports=reports)
    assert run.status == 10, run.output
    assert "was not provisioned for it" in run.output or "no pod of this run wrote (data)" in run.output, run.output
    left = wait_for(
        "the volume to be released, for which Kubernetes takes its time",
        look=lambda: clean.get(VOLUMES, KEPT),
        ready=lambda seen: seen["status"]["phase"] == "Released",
        state=lambda seen: str(seen["status"]),
        timeout_s=HANGS_S,
    )
    assert left["spec"]["persistentVolumeReclaimPolicy"] == "Retain"
    assert [path.name for path in precious.iterdir()] == ["data"]
    assert (precious / "data").read_text() == "years of work"
    assert any(f"PV {KEPT} of PVC" in warning for warning in run.results["warnings"]), run.results["warnings"]

"""Volumes that come late or never, and volumes that do not go: each fails with what holds it."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Literal

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.resources import CLAIMS, VOLUMES, Object
from acceptance.cluster.waiting import wait_for
from selftests.bounds import HANGS_S
from selftests.integration.suite import left_behind, run_suite
from selftests.lab.provisioner import FINALIZER, LabClass, lab_classes, let_go

BINDS_AFTER_S = 15.0
# The suite waits as long for pods that start, for words of controllers and for namespaces that go, as for what never
# comes: a busy machine may stand still for half of that.
GIVES_UP = ("--storage-timeout", "40s")


@pytest.fixture(scope="module", autouse=True)
def lab(api: Api, lab_folder: Path) -> Iterator[None]:
    """One class for each way to provide volumes badly."""
    folder = lab_folder / "plain"
    folder.mkdir(mode=0o777)
    classes = [
        LabClass(name="lab-never", folder=None),
        LabClass(name="lab-late", folder=folder, binds_after_s=BINDS_AFTER_S),
        LabClass(name="lab-keeps", folder=folder, never_deletes=True),
        LabClass(name="lab-retains", folder=folder, reclaim_policy="Retain"),
        LabClass(name="lab-holds-volume", folder=folder, holds="volume"),
        LabClass(name="lab-holds-claim", folder=folder, holds="claim"),
    ]
    with ExitStack() as undo:
        undo.enter_context(lab_classes(api, classes))
        yield


def bind_limit(folder: Path, at_most: str) -> str:
    """The option for a limits file that limits the time to bind alone."""
    path = folder / "limits.yaml"
    section = f"provisioning: {{bind_time: {{at_most: {at_most}, because: an installer gives up}}}}"
    path.write_text(f"version: 1\ntiers: {{baseline: {{{section}}}}}")
    return f"--storage-thresholds={path}"


def test_claim_that_never_binds_is_told_with_its_events(clean: Api, reports: Path) -> None:
    """Once: what else would wait for a volume of that class is not tried."""
    select = ["-k", "takes_a_write or read_back"]
    run = run_suite("--storage-class", "lab-never", *GIVES_UP, *select, reports=reports)
    assert run.status == 1, run.output
    verdict = run.verdict("takes_a_write")
    assert verdict["status"] == "fail"
    assert "of StorageClass lab-never to be bound" in verdict["reason"]
    assert "phase Pending" in verdict["reason"]
    assert "Waiting for a volume to be created" in verdict["reason"]
    other = run.verdict("test_written_data_is_read_back")
    assert (other["status"], other["reason"]) == (
        "skipped",
        f"not tried: the PVC of {verdict['test']} was never bound",
    )


def test_claim_that_binds_late_fails_with_the_time_it_took(clean: Api, reports: Path, tmp_path: Path) -> None:
    """It binds in the end, and all that follows goes well."""
    options = [bind_limit(tmp_path, "8s"), "--storage-timeout", "120s", "-k", "binds_in_time"]
    run = run_suite("--storage-class", "lab-late", *options, reports=reports)
    assert run.status == 1, run.output
    verdict = run.verdict("binds_in_time")
    assert verdict["status"] == "fail"
    assert verdict["measured"] >= BINDS_AFTER_S - 1
    assert "the PVC of StorageClass lab-late was bound" in verdict["reason"]
    assert "misses the limit of at most 8 s (reason for the limit: an installer gives up" in verdict["reason"]


@pytest.mark.full
def test_claims_that_bind_in_time_pass(clean: Api, reports: Path, tmp_path: Path) -> None:
    options = [bind_limit(tmp_path, "2min"), "-k", "binds_in_time"]
    run = run_suite("--storage-class", "local-path", *options, reports=reports)
    assert run.status == 0, run.output
    assert "was bound" in run.verdict("binds_in_time")["reason"]


def test_baseline_that_fails_says_nothing_of_the_candidate(clean: Api, reports: Path) -> None:
    options = ["--storage-class", "local-path", "--storage-baseline-class", "lab-never", *GIVES_UP]
    run = run_suite(*options, "-m", "data_plane", "-k", "sync-write", reports=reports)
    assert run.status == 10, run.output
    assert run.results["verdicts"] == []
    assert "the baseline class lab-never failed, so there is nothing to compare with" in run.output


def test_volume_that_stays_is_a_fail_and_a_leak(api: Api, reports: Path) -> None:
    run = run_suite("--storage-class", "lab-keeps", *GIVES_UP, "-k", "deleted_volume_is_removed", reports=reports)
    stayed = left_behind(api)
    for volume in stayed:
        api.delete(VOLUMES, volume)
    assert run.status == 1, run.output
    assert run.verdict("deleted_volume_is_removed")["status"] == "fail"
    assert "phase Released" in run.verdict("deleted_volume_is_removed")["reason"]
    leak = "\n".join(run.results["errors"])
    assert "left behind" in leak
    assert len(stayed) == 1 and stayed[0] in leak


@pytest.mark.parametrize("held", ["PV", pytest.param("PVC", marks=pytest.mark.full)])
def test_deletion_that_hangs_on_a_finalizer_names_it(held: Literal["PV", "PVC"], api: Api, reports: Path) -> None:
    """The finalizer is another's: the run tells of it, leaves what it holds, and never takes it away."""
    name = {"PV": "lab-holds-volume", "PVC": "lab-holds-claim"}[held]
    try:
        run = run_suite("--storage-class", name, *GIVES_UP, "-k", "deleted_volume_is_removed", reports=reports)
        all_held = [each for each in api.list(VOLUMES if held == "PV" else CLAIMS) if held_by_lab(each)]
        items = [each for each in all_held if each["spec"]["storageClassName"] == name]
    finally:
        let_go(api, [name])
    assert run.status == 1, run.output
    (stayed,) = [item["metadata"]["name"] for item in items]
    verdict = run.verdict("deleted_volume_is_removed")
    assert verdict["status"] == "fail"
    assert f"{held} {stayed} to be deleted" in verdict["reason"]
    assert "deletion requested, finalizers: " in verdict["reason"] and FINALIZER in verdict["reason"]
    leak = "\n".join(run.results["errors"])
    assert "left behind" in leak and stayed in leak and FINALIZER in leak
    if held == "PVC":
        assert f"phase Terminating; Some resources are remaining: {CLAIMS.plural}." in leak and "{'phase'" not in leak
    wait_for(
        "all to be gone once the finalizer is",
        look=lambda: left_behind(api),
        ready=lambda seen: not seen,
        state=str,
        timeout_s=HANGS_S,
    )


def held_by_lab(item: Object) -> bool:
    return FINALIZER in (item["metadata"].get("finalizers") or [])


def test_retained_volume_passes_and_is_removed_all_the_same(clean: Api, reports: Path) -> None:
    run = run_suite("--storage-class", "lab-retains", "-k", "deleted_volume_is_removed", reports=reports)
    assert run.status == 0, run.output
    assert run.verdict("deleted_volume_is_removed")["status"] == "pass"

"""Volumes of very many files through the suite's own command line: on good storage, on storage that is slow to write
what is about files, and on one that looks at each of them before a pod gets its volume."""

from __future__ import annotations

from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.resources import STORAGE_CLASSES
from embedded_cluster.csi.part import CLASS
from selftests.integration.suite import SuiteRun, left_behind, run_suite
from selftests.lab.csi_classes import class_of, faulty_classes
from selftests.lab.disks import nbdkit_disk
from selftests.lab.provisioner import LabClass, lab_classes

FILES = 4000
# Of another size than the volumes that tests beside these fill, and know by it in the pool.
ASKED = ("-m", "many_files", "--storage-many-files", "--storage-volume-size=450Mi")
WALKS, SLOW = "walks-at-mount", "lab-slow-files"
# Less than the 20 s for which that class looks at all of them, and than the slow disk takes, which waits for each of
# its writes; more than a busy machine needs.
LIMITS = f"""\
version: 1
tiers:
  baseline:
    description: for a test of the suite
    many_files:
      files: {FILES}
      create: {{at_most: 20s, because: the test wants it so}}
      list: {{at_most: 20s, because: the test wants it so}}
      stat: {{at_most: 20s, because: the test wants it so}}
      delete: {{at_most: 20s, because: the test wants it so}}
      start: {{at_most: 18s, because: the test wants it so}}
      start_growth: {{at_most: 12s, because: the test wants it so}}
      other_group: {{at_most: 18s, because: the test wants it so}}
"""
OF_FILES, OF_PODS = ("create", "list", "stat", "delete"), ("start", "start_growth", "other_group")


@pytest.fixture(scope="module", autouse=True)
def with_csi(api: Api) -> None:
    if api.find(STORAGE_CLASSES, CLASS) is None:
        pytest.fail(f"the cluster was up before, and runs without {CLASS}: take it down, or have it up --with csi")


def limits(folder: Path) -> str:
    path = folder / "limits.yaml"
    path.write_text(LIMITS, encoding="utf-8")
    return f"--storage-thresholds={path}"


def statuses(run: SuiteRun, storage_class: str) -> dict[str, str]:
    found = [verdict for verdict in run.results["verdicts"] if verdict["storage_class"] == storage_class]
    return {each["requirement"]["metric"]: each["status"] for each in found}


def reason(run: SuiteRun, storage_class: str, metric: str) -> str:
    found = [verdict for verdict in run.results["verdicts"] if verdict["storage_class"] == storage_class]
    return str(next(each["reason"] for each in found if each["requirement"]["metric"] == metric))


@pytest.mark.full
def test_good_storage_passes_and_is_shown_beside_the_baseline(clean: Api, reports: Path, tmp_path: Path) -> None:
    classes = [f"--storage-class={CLASS}", "--storage-baseline-class=local-path"]
    run = run_suite(*ASKED, limits(tmp_path), *classes, reports=reports)
    assert run.status == 0, run.output
    assert statuses(run, CLASS) == dict.fromkeys((*OF_FILES, *OF_PODS), "pass")
    beside, record = run.results["many_files"]
    assert (beside["role"], beside["storage_class"], beside["starts"]) == ("baseline", "local-path", [])
    assert beside["node"] == record["node"]
    assert [sum(rate["counts"]) for rate in record["rates"]] == [FILES] * 4
    assert len(record["starts"]) == 10 and len({start["node"] for start in record["starts"]}) == 2
    page = (run.folder / "latest" / "report.html").read_text(encoding="utf-8")
    assert f"4,000 files on <bdi>{CLASS}</bdi>" in page and "Files a second, folder by folder" in page
    assert left_behind(clean) == []


@pytest.mark.full
def test_without_being_asked_for_none_are_made(clean: Api, reports: Path) -> None:
    run = run_suite("-m", "many_files", "--storage-class=local-path", reports=reports)
    assert run.status == 5, run.output
    assert "100,000 files on a volume were not requested; request them with --storage-with many-files" in run.output
    assert run.results["many_files"] == []


@pytest.mark.full
def test_storage_that_looks_at_all_files_at_mount_fails_its_starts_alone(
    clean: Api, reports: Path, tmp_path: Path
) -> None:
    name = class_of(WALKS)
    with faulty_classes(clean, [WALKS]):
        run = run_suite(*ASKED, limits(tmp_path), f"--storage-class={name}", reports=reports)
        assert left_behind(clean) == []
    assert run.status == 1, run.output
    assert statuses(run, name) == dict.fromkeys(OF_FILES, "pass") | dict.fromkeys(OF_PODS, "fail")
    assert "pods on 4,000 files on " in reason(run, name, "start_growth")
    assert "later than those on an empty volume" in reason(run, name, "start_growth")


@pytest.mark.full
def test_storage_that_is_slow_to_write_about_files_fails_for_what_it_writes(
    clean: Api, lab_folder: Path, reports: Path, tmp_path: Path
) -> None:
    """Every write to the disk takes 200 ms; what is read comes from the page cache."""
    slow = {"filters": ["delay"], "parameters": ["wdelay=200ms"], "size": "1G"}
    with (
        nbdkit_disk(lab_folder / "slow-files", **slow) as folder,  # type: ignore[arg-type]
        lab_classes(clean, [LabClass(name=SLOW, folder=folder)]),
    ):
        run = run_suite(*ASKED, limits(tmp_path), f"--storage-class={SLOW}", reports=reports)
    assert run.status == 1, run.output
    found = statuses(run, SLOW)
    of_files = {metric: found.pop(metric) for metric in OF_FILES}
    assert of_files == {"create": "fail", "list": "pass", "stat": "pass", "delete": "fail"}
    # A pod may have to wait until the disk has written what was made before it.
    assert found.keys() == set(OF_PODS)
    assert f"4,000 files on {SLOW} were created at " in reason(run, SLOW, "create")

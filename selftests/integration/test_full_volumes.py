"""Volumes that are filled to their end, through the suite's own command line: good storage stands it, bad storage fails
for its own reason, and nothing is filled on a class that does not keep volumes to their size."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.resources import STORAGE_CLASSES
from embedded_cluster import EmbeddedCluster
from embedded_cluster.csi.part import CLASS
from embedded_cluster.layout import Layout
from selftests.integration.suite import SuiteRun, left_behind, run_suite
from selftests.lab.csi_classes import class_of, discarding_class, faulty_classes
from selftests.lab.disks import thin_disk
from selftests.lab.provisioner import LabClass, lab_classes

TESTS = ("tests/test_full_volumes.py", "--storage-destructive", "--storage-volume-size", "400Mi")
THIN = "lab-thin-full"
DISCARDING = ("grows-in-name-only", "mount-options-ignored")
"""Faults of classes that have the mount option discard, which the second does not keep."""
FAULTS = ("data-lost-at-unpublish", "size-not-enforced", "keeps-space")


@pytest.fixture(scope="module")
def pool(cluster: EmbeddedCluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A target whose command adds up the images of this size, and those of others that were deleted and kept."""
    folder = Layout(cluster.name).csi.pool
    # Of 400 MiB, and of twice that once they have grown: tests beside these have volumes of other sizes.
    sizes = r"\\( -size +390M -size -410M -o -size +790M -size -810M \\)"
    images = f"find {folder} -type f {sizes} -printf '%b\\n'"
    target = tmp_path_factory.mktemp("target") / "target.yaml"
    target.write_text(
        f"""pool: {{used: [sh, -c, "{images} | awk -v OFMT=%.0f '{{{{n += $1}}}} END {{{{print n * 512}}}}'"]}}\n"""
    )
    yield f"--storage-target={target}"
    for path in (folder / "kept").iterdir():
        path.unlink()


@pytest.fixture(scope="module")
def good(api: Api, pool: str, tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    """All of it on a class that can do everything, and whose volumes are mounted with discard."""
    if api.find(STORAGE_CLASSES, CLASS) is None:
        pytest.fail(f"the cluster was up before, and runs without {CLASS}: take it down, or have it up --with csi")
    with discarding_class(api) as name:
        run = run_suite(*TESTS, "--storage-class", name, pool, reports=tmp_path_factory.mktemp("full") / "reports")
    assert left_behind(api) == []
    return run


@pytest.fixture(scope="module")
def wrong(api: Api, lab_folder: Path, pool: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SuiteRun]:
    """The same on classes that lose data, grow in name only, give too much, forget their mount options, or promise more
    than their pool has."""
    with ExitStack() as undo:
        undo.enter_context(faulty_classes(api, FAULTS))
        undo.enter_context(faulty_classes(api, DISCARDING, mount_options=["discard"]))
        thin = undo.enter_context(thin_disk(lab_folder / "thin-full", promised="400M", has="96M"))
        undo.enter_context(lab_classes(api, [LabClass(name=THIN, folder=thin)]))
        classes = [
            word for name in (*map(class_of, (*FAULTS, *DISCARDING)), THIN) for word in ("--storage-class", name)
        ]
        reports = tmp_path_factory.mktemp("wrong") / "reports"
        run = run_suite(*TESTS, *classes, pool, "--storage-timeout", "45s", reports=reports, timeout=1200)
        assert left_behind(api) == []
        yield run


def verdict(run: SuiteRun, test: str, storage_class: str) -> dict[str, Any]:
    """The only verdict of the test on the class."""
    found = [
        each for each in run.results["verdicts"] if test in each["test"] and each["storage_class"] == storage_class
    ]
    assert len(found) == 1, run.output
    return dict(found[0])


def test_a_class_that_does_not_enforce_its_size_is_never_filled(clean: Api, reports: Path) -> None:
    """Its volumes are folders of the node's own disk: one pod has looked how large they are, and written nothing."""
    run = run_suite(*TESTS, "--storage-class", "local-path", reports=reports)
    assert run.results["full_volumes"] == []
    found = run.results["verdicts"]
    assert [each["status"] for each in found] == ["skipped"] * 7, run.output
    assert all("local-path does not enforce volume sizes: a volume of 400 MiB" in each["reason"] for each in found)


@pytest.mark.full
def test_good_storage_stands_being_full(good: SuiteRun) -> None:
    assert good.status == 0, good.output
    (record,) = good.results["full_volumes"]
    assert {finding["status"] for finding in record["findings"]} == {"held"}
    assert 0.7 * record["size"] < record["written"] <= record["free"] <= record["size"]
    html = (good.folder / "latest" / "report.html").read_text()
    assert "Volumes that were filled completely" in html


@pytest.mark.full
def test_files_that_are_gone_are_missed_on_both_volumes(wrong: SuiteRun) -> None:
    name = class_of("data-lost-at-unpublish")
    assert wrong.status == 1, wrong.output
    assert verdict(wrong, "full_volume_reports_no_space_left", name)["status"] == "pass"
    for test in ("full_volume_keeps_its_data", "harms_no_other"):
        found = verdict(wrong, test, name)
        assert found["status"] == "fail" and "that were durable before exists" in found["reason"]


@pytest.mark.full
def test_a_full_volume_that_grows_in_name_only_fails(wrong: SuiteRun) -> None:
    found = verdict(wrong, "full_volume_expands", class_of("grows-in-name-only"))
    assert found["status"] == "fail" and "the PVC was expanded to 800 MiB, and the volume shows" in found["reason"]
    assert (
        verdict(wrong, "full_volume_accepts_writes_after_files_are_deleted", class_of("grows-in-name-only"))["status"]
        == "pass"
    )


@pytest.mark.full
def test_a_driver_that_gives_too_much_is_told_of(wrong: SuiteRun) -> None:
    found = verdict(wrong, "full_volume_reports_no_space_left", class_of("size-not-enforced"))
    assert found["status"] == "skipped" and "does not enforce volume sizes" in found["reason"]


@pytest.mark.full
def test_an_overbooked_pool_is_full_before_its_volumes_and_harms_them_all(wrong: SuiteRun) -> None:
    found = verdict(wrong, "full_volume_reports_no_space_left", THIN)
    assert found["status"] == "fail" and "that the volume showed as free" in found["reason"]
    assert verdict(wrong, "harms_no_other", THIN)["status"] == "fail"


@pytest.mark.full
def test_space_that_a_deleted_volume_keeps_is_missed(wrong: SuiteRun) -> None:
    found = verdict(wrong, "deleted_full_volume_releases_its_space", class_of("keeps-space"))
    assert found["status"] == "fail" and "45 s after all volumes were deleted" in found["reason"]
    assert verdict(wrong, "full_volume_keeps_its_data", class_of("keeps-space"))["status"] == "pass"
    assert verdict(wrong, "deleted_full_volume_releases_its_space", class_of("grows-in-name-only"))["status"] == "pass"


@pytest.mark.full
def test_space_that_deleted_files_keep_is_missed(wrong: SuiteRun) -> None:
    """Mounted without the class's discard, what is deleted in a volume stays in its image; mounted with it, it goes."""
    name = class_of("mount-options-ignored")
    found = verdict(wrong, "space_of_deleted_files", name)
    assert found["status"] == "fail" and "although StorageClass" in found["reason"], found["reason"]
    assert "has the mount option discard (mounted as xfs,rw" in found["reason"]
    # 0.9 of about 319 MiB, of which each takes as much in the pool.
    assert (less := re.search(r"not ([\d.]+) MiB less", found["reason"])) and float(less[1]) > 250, found["reason"]
    assert verdict(wrong, "deleted_full_volume_releases_its_space", name)["status"] == "pass"
    assert verdict(wrong, "space_of_deleted_files", class_of("grows-in-name-only"))["status"] == "pass"

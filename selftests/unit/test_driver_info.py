"""The manifest for the Kubernetes e2e: what was seen is claimed, what was not is not, and the e2e's type takes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel, ConfigDict

from acceptance.__main__ import main
from acceptance.report.driver_info import E2E_CAPABILITIES, driver_info
from acceptance.results.clusters import StorageClass
from acceptance.results.document import Results
from acceptance.results.features import Capability, CapabilityRecord, CapabilityStatus
from acceptance.results.run_folder import RunFolder
from acceptance.text.errors import WrongUsage
from acceptance.trials.features.trying import DECLARATIONS
from selftests.unit.compared_runs import class_of, cluster, judged, run_of

PERSISTS = "tests/test_provisioning.py::test_data_survives_a_new_pod_on_the_same_node[fast]"


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class ClassSource(Strict):
    FromName: bool = False
    FromFile: str = ""
    FromExistingClassName: str = ""


class SizeRange(Strict):
    Min: str = ""
    Max: str = ""


class Driver(Strict):
    """The fields of `DriverInfo` that a manifest may have: test/e2e/storage/framework/testdriver.go of 1.34.4."""

    Name: str
    InTreePluginName: str = ""
    MaxFileSize: int = 0
    SupportedSizeRange: SizeRange = SizeRange()
    SupportedFsType: dict[str, dict[str, Any]] = {}
    SupportedMountOption: dict[str, dict[str, Any]] = {}
    RequiredMountOption: dict[str, dict[str, Any]] = {}
    Capabilities: dict[str, bool]
    RequiredAccessModes: list[str] = []
    TopologyKeys: list[str] = []
    NumAllowedTopologies: int = 0


class Manifest(Strict):
    """`driverDefinition` of test/e2e/storage/external/external.go of 1.34.4; here unknown fields are errors."""

    DriverInfo: Driver
    StorageClass: ClassSource = ClassSource()
    SnapshotClass: ClassSource = ClassSource()
    VolumeAttributesClass: ClassSource = ClassSource()
    ClientNodeName: str = ""
    Timeouts: dict[str, str] = {}


def seen(capability: Capability, status: CapabilityStatus = "seen", storage_class: str = "fast") -> CapabilityRecord:
    return CapabilityRecord(storage_class=storage_class, capability=capability, status=status, how=f"{status} so")


def results(*records: CapabilityRecord, classes: tuple[StorageClass, ...] = (), **settings: object) -> Results:
    run = run_of(verdicts=[judged(test=PERSISTS)], where=cluster(*(classes or (class_of(),))), settings=settings)
    return run.model_copy(update={"capabilities": list(records)})


def manifest(found: Results, **more: str) -> Manifest:
    return Manifest.model_validate(yaml.safe_load(driver_info(found, **more)))


def test_all_that_was_seen_is_claimed_and_nothing_else() -> None:
    found = manifest(
        results(seen("snapshot"), seen("clone", "missing"), seen("read-write-many", "failed"), seen("fs-group"))
    )
    assert found.StorageClass.FromExistingClassName == "fast" and found.DriverInfo.Name == "example.com/fast"
    assert found.SnapshotClass.FromName is True
    assert found.DriverInfo.Capabilities == {"persistence": True, "snapshotDataSource": True, "fsGroup": True}
    assert found.DriverInfo.SupportedSizeRange.Min == str(3 << 30)
    assert found.DriverInfo.SupportedFsType == {"": {}}


def test_what_the_e2e_knows_is_asked_of_capabilities_that_there_are() -> None:
    claimed = {name for declared in DECLARATIONS.values() for name in declared.e2e}
    assert {"RWX", "pvcDataSource"} < claimed <= set(E2E_CAPABILITIES)


def test_every_capability_has_its_reason_claimed_or_not() -> None:
    text = driver_info(results(seen("clone", "missing"), seen("expansion")))
    told = "\n".join(line for line in text.splitlines() if "#" in line)
    assert "pvcDataSource: not claimed: capability clone missing: missing so" in told
    assert "exec: not claimed: no test of this run checks it" in told and "run r1" in told
    assert [name for name in E2E_CAPABILITIES if f"{name}: " not in text] == []


def test_growing_without_a_pod_is_not_claimed_though_the_e2e_would_take_it_for_granted() -> None:
    found = manifest(results(seen("expansion"))).DriverInfo.Capabilities
    assert found["controllerExpansion"] and found["onlineExpansion"] and found["offlineExpansion"] is False


def test_block_is_claimed_by_a_run_on_raw_block_volumes_only() -> None:
    assert manifest(results(volume_mode="block")).DriverInfo.Capabilities == {"persistence": True, "block": True}
    assert "block" not in manifest(results()).DriverInfo.Capabilities


def test_the_file_system_that_the_class_names_is_told() -> None:
    found = manifest(results(classes=(class_of(**{"csi.storage.k8s.io/fstype": "xfs"}),)))
    assert found.DriverInfo.SupportedFsType == {"": {}, "xfs": {}}


def test_names_from_a_cluster_are_text_and_comments_stay_comments() -> None:
    record = seen("fs-group").model_copy(update={"how": "so\nDriverInfo: {Name: other}\u2028x: y"})
    odd = class_of().model_copy(update={"provisioner": 'a"\n# b: {c}'})
    found = manifest(results(record, classes=(odd,)))
    assert found.DriverInfo.Name == 'a"\n# b: {c}' and found.DriverInfo.Capabilities["fsGroup"]


def test_a_run_that_saw_nothing_or_several_classes_is_wrong_usage() -> None:
    failed = run_of(verdicts=[judged("fail", test=PERSISTS)], where=cluster(class_of()))
    with pytest.raises(WrongUsage, match="there is nothing to claim"):
        driver_info(failed)
    several = results(seen("clone"), seen("clone", storage_class="slow"), classes=(class_of(), class_of("slow")))
    with pytest.raises(WrongUsage, match="name one with --storage-class"):
        driver_info(several)
    assert manifest(several, storage_class="slow").DriverInfo.Capabilities == {"pvcDataSource": True}
    with pytest.raises(WrongUsage, match="found one on directories of a host"):
        driver_info(run_of(verdicts=[judged()], where=cluster(class_of(), kind="host")))


def test_the_command_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = RunFolder(tmp_path, run_id="r1")
    folder.make()
    folder.write_results(results(seen("clone")))
    assert main(["driver-info", str(folder.path)]) == 0
    printed = capsys.readouterr().out
    assert main(["driver-info", str(folder.path), "-o", str(tmp_path / "driver.yaml")]) == 0
    assert (tmp_path / "driver.yaml").read_text() == printed and "pvcDataSource: true" in printed
    assert main(["driver-info", str(folder.path), "-o", str(folder.results)]) == 4

"""What a pass does not prove: what a class declares and no test can observe is listed, for classes under test alone."""

from __future__ import annotations

import pytest

from acceptance.report.not_meant import not_meant
from acceptance.report.summary import render_summary
from acceptance.results.document import Results
from acceptance.results.features import CapabilityRecord, CapabilityStatus
from selftests.unit.compared_runs import class_of, cluster, judged, run_of

NOT_TESTED = "Declared, not tested: "


def passed_with(**parameters: str) -> Results:
    """A run that passed on class fast with these parameters; another class of the cluster is encrypted."""
    where = cluster(class_of("fast", **parameters), class_of("other", encrypted="true"))
    return run_of(verdicts=[judged()], where=where)


def remarks(results: Results, about: str) -> list[str]:
    return [remark for risk, remark in not_meant(results).risks if about in risk]


@pytest.mark.parametrize(
    ("parameters", "names"),
    [
        ({"encrypted": "true", "type": "gp3"}, "encrypted"),
        ({"encrypted": "(not shown)", "kmsKeyId": "(not shown)"}, "encrypted, kmsKeyId"),
        ({"disk-encryption-kms-key": "projects/p"}, "disk-encryption-kms-key"),
        ({"type": "LUKS"}, "type"),
        ({"secure": "true"}, "secure"),
        (
            {"csi.storage.k8s.io/node-publish-secret-name": "encryption-secret"},
            "csi.storage.k8s.io/node-publish-secret-name",
        ),
    ],
)
def test_encryption_that_a_class_declares_is_listed_as_not_tested(parameters: dict[str, str], names: str) -> None:
    run = passed_with(**parameters)
    assert remarks(run, "that volumes are encrypted") == [f"{NOT_TESTED}fast ({names})."]
    assert f"{NOT_TESTED}fast ({names})." in render_summary(run)


@pytest.mark.parametrize(
    "parameters",
    [{}, {"encrypted": "false"}, {"encryption": "None"}, {"encrypted": ""}, {"secureMode": "x"}, {"type": "gp3"}],
)
def test_without_such_a_parameter_nothing_is_said_of_encryption(parameters: dict[str, str]) -> None:
    assert remarks(passed_with(**parameters), "encrypted") == []
    assert remarks(run_of(verdicts=[judged()]), "encrypted") == []


@pytest.mark.parametrize(("status", "listed"), [("seen", True), ("missing", False), ("failed", False)])
def test_the_effect_of_a_volume_attributes_class_is_listed_as_not_tested(
    status: CapabilityStatus, listed: bool
) -> None:
    record = CapabilityRecord(storage_class="fast", capability="volume-attributes-class", status=status, how="so")
    found = remarks(passed_with().model_copy(update={"capabilities": [record]}), "VolumeAttributesClass")
    assert [remark.startswith(f"{NOT_TESTED}fast") for remark in found] == ([True] if listed else [])

"""Rebuilds with Longhorn's objects on a real API server, changed by a controller as Longhorn does it: what the driver
asks for and puts back, and what it says where nothing can be rebuilt."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.longhorn_resources import LONGHORN_VOLUMES, REPLICAS
from acceptance.cluster.waiting import wait_for
from selftests.bounds import HANGS_S
from selftests.integration.rebuilds import REBUILD, SMALL, limits
from selftests.integration.suite import SuiteRun, run_suite
from selftests.lab.longhorn_controller import NAMESPACE, longhorn
from selftests.lab.longhorn_volume import LOOKS_S, Behaviour
from selftests.lab.provisioner import LabClass, lab_classes


@pytest.fixture
def longhorn_class(api: Api, lab_folder: Path) -> Iterator[str]:
    """A class whose provisioner calls itself Longhorn's, on folders of this host."""
    folder = lab_folder / "longhorn"
    folder.mkdir(exist_ok=True)
    folder.chmod(0o777)
    with ExitStack() as undo:
        lab = LabClass(name="lab-longhorn", folder=folder, provisioner="driver.longhorn.io")
        undo.enter_context(lab_classes(api, [lab]))
        yield lab.name


def rebuilt_on_longhorn(
    api: Api, reports: Path, folder: Path, behaviour: Behaviour, *more: str, version: str = "v1beta2"
) -> SuiteRun:
    """A run on the lab's Longhorn; afterwards no volume of it, no replica and no definition is left."""
    options = [*REBUILD, "-k", "full-data", "--storage-class", "lab-longhorn", *SMALL, limits(folder), *more]
    with longhorn(api, behaviour, version=version):
        found = run_suite(*options, reports=reports)
        if version == "v1beta2":
            wait_for(
                "Longhorn to forget the volume",
                look=lambda: api.list(LONGHORN_VOLUMES, namespace=NAMESPACE) + api.list(REPLICAS, namespace=NAMESPACE),
                ready=lambda seen: not seen,
                state=lambda seen: f"{len(seen)} objects",
                timeout_s=HANGS_S,
            )
    return found


@pytest.mark.parametrize(
    ("behaviour", "trigger"),
    [
        pytest.param(Behaviour(), "numberOfReplicas raised from 3 to 4", marks=pytest.mark.release),
        (Behaviour(nodes=("a", "b", "c"), overshoots=True), "replica .* deleted"),
        pytest.param(
            Behaviour(nodes=tuple("abcde"), leftover=True),
            "numberOfReplicas raised from 3 to 4",
            marks=pytest.mark.release,
        ),
        pytest.param(
            Behaviour(looks_s=4, rebuild_s=1), "numberOfReplicas raised from 3 to 4", marks=pytest.mark.release
        ),
        pytest.param(
            Behaviour(looks_s=LOOKS_S, purge_s=10, rebuild_s=20),
            "numberOfReplicas raised from 3 to 4",
            marks=pytest.mark.release,
        ),
    ],
    ids=[
        "further replica",
        "deleted replica, progress above 100",
        "a failed replica taken up under its old name",
        "never shows in rebuildStatus",
        "at Longhorn's own pace",
    ],
)
def test_longhorn_objects_are_changed_and_put_back(
    behaviour: Behaviour, trigger: str, api: Api, clean: Api, longhorn_class: str, reports: Path, tmp_path: Path
) -> None:
    found = rebuilt_on_longhorn(api, reports, tmp_path, behaviour)
    assert found.status == 0, found.output
    (record,) = found.results["rebuilds"]
    assert re.fullmatch(trigger, record["rebuilds"][0]["trigger"])
    assert record["driver"] == "longhorn"
    assert record["settings"]["concurrent-replica-rebuild-per-node-limit"] == "5"
    assert record["settings"]["fast-replica-rebuild-enabled"] == "true"
    assert record["resolution_s"] == LOOKS_S
    assert record["rebuilds"][0]["failures"] == []


@pytest.mark.release
def test_a_rebuild_that_longhorn_makes_anew_is_timed_with_what_failed(
    api: Api, clean: Api, longhorn_class: str, reports: Path, tmp_path: Path
) -> None:
    # Its words stand as long as the engine takes to look again: a busy machine lets the suite look every second or two.
    behaviour = Behaviour(error="no space left on device", fails=1, looks_s=3.0)
    found = rebuilt_on_longhorn(api, reports, tmp_path, behaviour)
    assert found.status == 0, found.output
    (record,) = found.results["rebuilds"]
    assert len(record["rebuilds"][0]["failures"]) == 1
    assert "with 1 failed attempt" in found.verdict("rebuilt_in_time")["reason"]
    assert any("no space left on device" in warning for warning in record["warnings"])


@pytest.mark.parametrize(
    ("behaviour", "more", "status", "said"),
    [
        pytest.param({"error": "no space left on device"}, (), 1, "failed in a row", marks=pytest.mark.release),
        pytest.param(
            {"starts": False},
            ("--storage-timeout", "15s"),
            1,
            "ReplicaSchedulingFailure: insufficient storage",
            marks=pytest.mark.release,
        ),
        pytest.param({"replicas": 1}, (), 5, "capability 'replicas'", marks=pytest.mark.release),
        pytest.param({"state": "detached"}, (), 10, "found detached", marks=pytest.mark.release),
        ({"owner": "somebody-elses"}, (), 10, "the suite leaves it alone"),
        pytest.param(
            {"settings": {"concurrent-replica-rebuild-per-node-limit": "0"}},
            (),
            10,
            "no replica is ever rebuilt",
            marks=pytest.mark.release,
        ),
    ],
)
def test_what_longhorn_cannot_do_is_told(
    behaviour: dict[str, Any],
    more: tuple[str, ...],
    status: int,
    said: str,
    api: Api,
    clean: Api,
    longhorn_class: str,
    reports: Path,
    tmp_path: Path,
) -> None:
    found = rebuilt_on_longhorn(api, reports, tmp_path, Behaviour(**behaviour), *more)
    assert found.status == status, found.output
    assert said in found.output + str(found.results["verdicts"])


def test_longhorn_without_its_definitions_is_told(
    clean: Api, longhorn_class: str, reports: Path, tmp_path: Path
) -> None:
    found = run_suite(*REBUILD, "--storage-class", longhorn_class, limits(tmp_path), reports=reports)
    assert found.status == 10, found.output
    assert "found no version of group longhorn.io" in found.output


@pytest.mark.release
def test_another_version_of_longhorn_is_told(
    api: Api, clean: Api, longhorn_class: str, reports: Path, tmp_path: Path
) -> None:
    found = rebuilt_on_longhorn(api, reports, tmp_path, Behaviour(), version="v1beta1")
    assert found.status == 10, found.output
    assert "found v1beta1 of group longhorn.io" in found.output

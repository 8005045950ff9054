"""Capabilities: what becomes of a trial, what a copy must hold, what a provisioner's refusal means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.cluster import snapshots
from acceptance.cluster.api import Api
from acceptance.cluster.claims import Claim, DataSource, claim_spec
from acceptance.cluster.permissions import Permission, _missing
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.resources import CLAIMS, VOLUME_SNAPSHOTS, Object
from acceptance.cluster.snapshots import Snapshot, wait_taken
from acceptance.results.clusters import StorageClass
from acceptance.results.features import FORMER_NAMES, CapabilityRecord
from acceptance.settings.run import read_settings
from acceptance.text.errors import (
    AcceptanceError,
    EnvironmentFailure,
    NotTried,
    StorageFailure,
    Unsupported,
)
from acceptance.trials.features import bench as bench_of_features
from acceptance.trials.features import trying
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.copies import wrong_with_copy
from acceptance.trials.features.declared import Tries, require_known_needs
from selftests.capability_tests import capability_tests
from selftests.unit.docs_pages import PAGES, ROOT
from selftests.unit.simulated_api import SimulatedApi

CLAIM = Claim(
    name="claim", namespace="run", storage_class="fast", size=1, run_id="r", access_mode="ReadWriteMany", source=None
)


class TriedBench:
    """A bench on which nothing is made."""

    operations = ()
    storage_class = StorageClass(
        name="fast",
        provisioner="driver",
        parameters={},
        binding_mode="Immediate",
        reclaim_policy="Delete",
        allow_expansion=False,
        default=False,
    )

    def __enter__(self) -> TriedBench:
        return self

    def __exit__(self, *_: object) -> None:
        pass


@pytest.mark.parametrize("node", [None, "node-1"])
def test_each_pod_has_started_before_more_is_done(node: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those that follow the first: what is done to a volume in use was once done before the pod used it."""
    waited: list[str] = []

    def wait_started(_: object, plan: PodPlan, **__: object) -> Object:
        waited.append(plan.name)
        return {"spec": {"nodeName": "node-1"}}

    monkeypatch.setattr(bench_of_features, "wait_started", wait_started)
    monkeypatch.setattr(Bench, "ask_for", lambda *_: None)
    workspace: Any = SimpleNamespace(api=None, timeout_s=1.0)
    bench = Bench(workspace, TriedBench.storage_class, capability="clone", node=node, keep=False)
    for name in ("first", "second"):
        bench.start_plan(cast(PodPlan, SimpleNamespace(name=name)))
    assert waited == ["first", "second"] and bench.node == "node-1"


@contextmanager
def trial_that_ends_in(error: AcceptanceError | None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """A bench, and a trial of clones on it that ends so."""

    def trial(bench: Bench) -> str:
        if error is not None:
            raise error
        return "seen with own eyes"

    monkeypatch.setattr(trying, "TRIALS", {"clone": trial})
    yield cast(Bench, TriedBench())


@pytest.mark.parametrize(
    ("error", "status", "how", "ends_in"),
    [
        (None, "seen", "seen with own eyes", None),
        (Unsupported("has none"), "missing", "has none", Unsupported),
        (NotTried("one node"), "not_tried", "one node", NotTried),
        (StorageFailure("shares its data"), "failed", "shares its data", StorageFailure),
        (EnvironmentFailure("no image"), "not_tried", "no image", EnvironmentFailure),
    ],
)
def test_each_end_of_a_trial_is_recorded_for_what_it_is(
    error: AcceptanceError | None,
    status: str,
    how: str,
    ends_in: type[AcceptanceError] | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with trial_that_ends_in(error, monkeypatch) as bench:
        record, raised = trying.try_capability("clone", bench, expected=())
    assert (record.storage_class, record.capability, record.status, record.how) == ("fast", "clone", status, how)
    assert (raised is None) if ends_in is None else type(raised) is ends_in


@pytest.mark.parametrize("error", [Unsupported("has none"), NotTried("one node")])
def test_what_is_expected_is_a_failure_where_it_is_missing(
    error: AcceptanceError, monkeypatch: pytest.MonkeyPatch
) -> None:
    with trial_that_ends_in(error, monkeypatch) as bench:
        record, raised = trying.try_capability("clone", bench, expected=("clone",))
    assert record.status in ("missing", "not_tried")
    assert type(raised) is StorageFailure and "(--storage-require-capability clone)" in str(raised)


def test_names_of_capabilities_may_have_blanks_between_them(tmp_path: Any) -> None:
    settings = read_settings({"thresholds": tmp_path, "profiles": tmp_path, "expect": "clone, snapshot"})
    assert settings.expect == ("clone", "snapshot")


@pytest.mark.parametrize(("former", "present"), FORMER_NAMES.items())
def test_former_names_of_capabilities_are_read_as_present_ones(former: str, present: str, tmp_path: Any) -> None:
    settings = read_settings({"thresholds": tmp_path, "profiles": tmp_path, "expect": former})
    assert settings.expect == (present,)
    record = CapabilityRecord(storage_class="fast", capability=former, status="seen", how="")
    assert record.capability == present in trying.CAPABILITIES
    assert former not in trying.CAPABILITIES


def test_each_capability_has_one_test_which_names_the_function_that_tests_it() -> None:
    files = [f"tests/{path.name}" for path in (ROOT / "tests").glob("test_*.py")]
    declared = {capability: trial.func.__name__ for capability, trial in trying.TRIALS.items()}
    assert sorted(capability_tests(*files)) == sorted(declared.items())


def test_each_capability_has_a_row_on_the_page_of_capabilities() -> None:
    first_cells = re.findall(r"^\| (`[^|]+`) \|", PAGES["docs/volume-features.md"], re.MULTILINE)
    assert sorted(re.findall(r"`([\w-]+)`", " ".join(first_cells))) == sorted(trying.CAPABILITIES)


def test_a_second_declaration_of_a_capability_is_refused() -> None:
    before = dict(trying.TRIALS)
    with pytest.raises(ValueError, match="one declaration of 'clone', found a second one on try_twice"):

        @Tries("clone", "Volumes are cloned")
        def try_twice() -> str:
            return "seen"

    assert before == trying.TRIALS


def test_what_is_needed_is_declared() -> None:
    flying = Tries("flying", "Volumes fly", needs="wings")
    with pytest.raises(ValueError, match="found wings"):
        require_known_needs({"flying": flying})
    require_known_needs({"flying": flying, "wings": Tries("wings", "Volumes have wings")})


@pytest.mark.parametrize(
    ("found", "wrong"),
    [
        ({"before": "1"}, None),
        ({}, "it is empty"),
        ({"before": "2"}, "it holds data that was written after the copy was taken"),
        ({"before": "1", "after": "2"}, "it holds data that was written after the copy was taken"),
        ({"before": "x"}, "it lacks the data that was written before the copy was taken, and holds 'x'"),
        ({"before": "1", "after": "x"}, "it holds a file that its source did not have: 'x'"),
        ({"after": "x"}, "it lacks the data that was written before the copy was taken, and holds 'nothing'"),
    ],
)
def test_a_copy_holds_all_from_before_and_nothing_else(found: dict[str, str], wrong: str | None) -> None:
    assert wrong_with_copy(found, before="1", after="2") == wrong


@given(st.dictionaries(st.sampled_from(["before", "after"]), st.sampled_from(["1", "2", "", "x"])))
def test_no_other_content_passes_for_a_copy(found: dict[str, str]) -> None:
    assert (wrong_with_copy(found, before="1", after="2") is None) == (found == {"before": "1"})


def test_a_claim_says_what_it_is_to_be_filled_from() -> None:
    source = DataSource(kind="VolumeSnapshot", name="snap", group="snapshot.storage.k8s.io")
    spec = claim_spec(Claim(name="c", namespace="n", storage_class="s", size=1, run_id="r", source=source))
    assert spec["dataSource"] == {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "snap"}
    assert spec["accessModes"] == ["ReadWriteOnce"]
    assert "dataSource" not in claim_spec(CLAIM)


def test_a_snapshot_that_is_not_ready_is_told_with_its_drivers_words(monkeypatch: pytest.MonkeyPatch) -> None:
    api = SimulatedApi({})
    monkeypatch.setattr(snapshots, "recent_events", lambda *_, **__: [])
    status = {"readyToUse": False, "error": {"message": "the pool has no room for snapshots"}}
    api.create(VOLUME_SNAPSHOTS, {"metadata": {"name": "snap"}, "status": status})
    snapshot = Snapshot(name="snap", namespace="run", snapshot_class="fast", run_id="r")
    said = "class fast to be ready to use; last state: readyToUse false, error: the pool has no room for snapshots"
    with pytest.raises(StorageFailure, match=said):
        wait_taken(cast(Api, api), snapshot, timeout_s=0.01)


@pytest.mark.parametrize("served", [[], ["v1"]])
def test_rights_on_snapshots_are_asked_for_only_where_there_are_snapshots(served: list[str]) -> None:
    class Refusing:
        def group_versions(self, group: str) -> list[str]:
            return served

        def ask(self, *_: object) -> dict[str, Any]:
            return {"status": {"allowed": False}}

    wanted = [
        Permission(resource=VOLUME_SNAPSHOTS, verbs=("list",), where_served=True),
        Permission(resource=CLAIMS, verbs=("patch",)),
    ]
    refused = ["  list on volumesnapshots.snapshot.storage.k8s.io"] if served else []
    assert _missing(cast(Api, Refusing()), wanted) == [*refused, "  patch on persistentvolumeclaims"]

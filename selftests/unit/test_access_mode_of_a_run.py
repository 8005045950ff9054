"""The access mode of a whole run: how it is written, which claims have it, and which runs can be compared."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from acceptance.cluster import offered_mode
from acceptance.cluster.api import Api
from acceptance.cluster.claims import claim_spec
from acceptance.cluster.longhorn_resources import LONGHORN_NODES
from acceptance.cluster.offered_mode import require_mode
from acceptance.cluster.pod_manifest import PodPlan
from acceptance.cluster.preflight import lacking_mode_of
from acceptance.cluster.stateful_sets import SetPlan, set_manifest
from acceptance.cluster.workspace import Workspace
from acceptance.planning.assumed_throughput import EMBEDDED_CLUSTER
from acceptance.planning.records import Plan
from acceptance.planning.site import Site
from acceptance.planning.table import plan_text
from acceptance.settings.run import Settings, read_settings
from acceptance.settings.target_settings import TargetSettings
from acceptance.text.errors import NotTried, Unsupported, WrongUsage
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.ownership import why_no_group
from fixtures.foreseen_skips import lacking_mode
from selftests.unit.longhorn_lab import storage_class
from selftests.unit.test_nfs_clients import cluster
from selftests.unit.test_refusals import CLAIM, SHARED, csi, outcome, warning

ROOT = Path(__file__).parents[2]
REFUSED = csi("InvalidArgument", "multi node access modes are not supported")


def settings(**values: Any) -> Settings:
    return read_settings({"thresholds": ROOT / "thresholds.yaml", "profiles": ROOT / "profiles", **values})


def workspace(of: Settings) -> Workspace:
    api = cast(Api, None)
    return Workspace(api=api, run_id="r", namespace="ns", image="i", timeout_s=1, access_mode_of=of.access_mode_of)


@pytest.mark.parametrize(
    ("given", "mode"),
    [
        ("rwo", "ReadWriteOnce"),
        ("RWX", "ReadWriteMany"),
        ("rwop", "ReadWriteOncePod"),
        ("readwritemany", "ReadWriteMany"),
        ("ReadWriteOncePod", "ReadWriteOncePod"),
    ],
)
def test_a_mode_has_a_short_name(given: str, mode: str) -> None:
    assert settings(access_mode=given).access_mode == mode
    assert TargetSettings.model_validate({"access_mode": given}).access_mode == given


@pytest.mark.parametrize("given", ["ReadOnlyMany", "rox", "shared", ""])
def test_a_mode_in_which_nothing_can_be_written_is_refused(given: str) -> None:
    with pytest.raises(WrongUsage, match=r"^--storage-access-mode: expected one of ReadWriteOnce, ReadWriteMany, "):
        settings(access_mode=given)
    with pytest.raises(ValueError, match="expected one of"):
        TargetSettings.model_validate({"access_mode": given})


def test_directories_of_a_host_have_no_access_mode(tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match="--storage-access-mode ReadWriteMany: expected ReadWriteOnce"):
        settings(cluster="host", storage_class=[str(tmp_path)], access_mode="rwx")


def test_every_claim_has_the_mode_of_the_run_except_those_of_the_baseline() -> None:
    place = workspace(settings(storage_class=["shared"], baseline_class="local", access_mode="rwx"))
    candidate, baseline = (place.claim("load", storage_class=name, size=1) for name in ("shared", "local"))
    assert claim_spec(candidate)["accessModes"] == ["ReadWriteMany"]
    assert claim_spec(baseline)["accessModes"] == ["ReadWriteOnce"]
    assert claim_spec(workspace(settings()).claim("load", storage_class="any", size=1))["accessModes"] == [
        "ReadWriteOnce"
    ]


def test_a_class_that_is_only_shown_has_the_mode_of_the_run() -> None:
    assert settings(compare_with="other", access_mode="rwx").access_mode_of("other") == "ReadWriteMany"


def test_the_claims_of_a_set_have_the_mode_of_the_run() -> None:
    like = workspace(settings(access_mode="rwx")).claim("like", storage_class="shared", size=1)
    pod = PodPlan(name="p", claims=(like,), image="i", command=["true"], deadline_s=1)
    plan = SetPlan(name="s", pod=pod, nodes=())
    assert set_manifest(plan)["spec"]["volumeClaimTemplates"][0]["spec"]["accessModes"] == ["ReadWriteMany"]
    assert plan.claim(0) == replace(like, name="volume-0-s-0")


def test_a_capability_about_an_access_mode_has_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    created: list[Any] = []
    monkeypatch.setattr("acceptance.trials.features.bench.create_claim", lambda _, claim: created.append(claim))
    monkeypatch.setattr("acceptance.trials.features.bench.remove_claim", lambda *_, **__: None)
    place = replace(workspace(settings(access_mode="rwop")), api=cluster())
    with Bench(place, storage_class(), capability="locks", node=None, keep=False) as bench:
        bench.claim("own")
        bench.claim("both", access="ReadWriteMany")
    assert [(claim.access_mode, claim.mode_of_run) for claim in created] == [
        ("ReadWriteOncePod", True),
        ("ReadWriteMany", False),
    ]


def test_a_class_that_refuses_the_mode_of_the_run_is_not_tried() -> None:
    """Nothing else is known of such a class; one that refuses the mode that a capability is about lacks it."""
    of_run = outcome(replace(SHARED, mode_of_run=True), warning(REFUSED))
    assert type(of_run) is NotTried
    assert str(of_run).startswith("capability 'read-write-many': ") and "access mode of this run" in str(of_run)
    assert type(outcome(SHARED, warning(REFUSED))) is Unsupported


def test_a_refusal_of_something_else_stays_what_it_is() -> None:
    block = replace(CLAIM, access_mode="ReadWriteMany", mode_of_run=True, block=True)
    error = outcome(block, warning(csi("InvalidArgument", "block volumes are not supported")))
    assert type(error) is Unsupported and "raw block volumes" in str(error)


@pytest.mark.parametrize("refuses", [False, True])
def test_one_volume_shows_the_mode_before_many_are_requested(refuses: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []

    def run(_: Workspace, plan: PodPlan, **__: Any) -> None:
        steps.append(f"used in {plan.claims[0].access_mode}")
        if refuses:
            raise NotTried("refused")

    monkeypatch.setattr(offered_mode, "create_claim", lambda *_: steps.append("created"))
    monkeypatch.setattr(offered_mode, "remove_claim", lambda *_, **__: steps.append("removed"))
    monkeypatch.setattr(offered_mode, "run_one_shot_pod", run)
    with pytest.raises(NotTried, match="refused") if refuses else nullcontext():
        require_mode(workspace(settings(access_mode="rwx")), storage_class="any", size=1, block=False)
    assert steps == ["created", "used in ReadWriteMany", "removed"]


def test_in_the_default_mode_no_volume_is_created_to_show_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offered_mode, "create_claim", lambda *_: pytest.fail("a claim was created"))
    require_mode(workspace(settings()), storage_class="any", size=1, block=False)


def test_a_mode_that_a_class_is_known_to_lack_is_not_requested() -> None:
    settings_ = settings(access_mode="rwx")
    candidates = {"longhorn": storage_class()}
    lacking = lacking_mode_of(cluster(False, False), settings_, candidates)
    assert list(lacking) == ["longhorn"] and "Longhorn finds no NFS client" in lacking["longhorn"]
    assert lacking_mode_of(cluster(True, True), settings_, candidates) == {}
    assert lacking_mode_of(cluster(False, False), settings(), candidates) == {}


def test_the_plan_names_a_mode_other_than_the_default() -> None:
    plan = Plan(steps=(), skips=(), unknown=())
    assert "ReadWriteMany" in plan_text(plan, site=Site(), speeds=EMBEDDED_CLUSTER, access_mode="ReadWriteMany")
    assert "Access mode" not in plan_text(plan, site=Site(), speeds=EMBEDDED_CLUSTER)


def test_all_tests_of_a_class_that_lacks_the_mode_are_skipped_and_no_others() -> None:
    def item(**params: Any) -> Any:
        return SimpleNamespace(callspec=SimpleNamespace(params=params))

    lacking = {None: "no NFS client"}
    assert lacking_mode(item(storage_class=None, limit="a"), lacking) == "no NFS client"
    assert lacking_mode(item(storage_class="other"), lacking) is None
    assert lacking_mode(item(limit="a"), lacking) is None
    assert lacking_mode(cast(Any, SimpleNamespace()), lacking) is None


@pytest.mark.parametrize(
    ("mode", "fs_type", "why"),
    [
        ("ReadWriteMany", "ext4", "their access mode is ReadWriteMany"),
        ("ReadWriteOnce", "ext4", None),
        ("ReadWriteOncePod", "ext4", None),
        ("ReadWriteMany", "", "they have no file system type"),
    ],
)
def test_the_default_policy_gives_shared_volumes_to_no_group(mode: str, fs_type: str, why: str | None) -> None:
    """Source: `supportsFSGroup` of the kubelet's CSI plugin."""
    csi_volume = {"driver": "csi.example.com", "fsType": fs_type}
    bench = PolicyBench({"spec": {"csi": csi_volume, "accessModes": [mode]}})
    found = why_no_group(cast(Bench, bench), CLAIM)
    assert found is None if why is None else why in str(found)


class PolicyBench:
    """A driver with the default fsGroupPolicy, and this PV."""

    storage_class = storage_class()

    def __init__(self, volume: dict[str, Any]) -> None:
        self.api = self
        self._volume = volume

    def volume_of(self, _: object) -> str:
        return "pv"

    def get(self, *_: object) -> dict[str, Any]:
        return self._volume

    def find(self, *_: object) -> dict[str, Any]:
        return {"spec": {"fsGroupPolicy": "ReadWriteOnceWithFSType"}}


def test_longhorn_is_asked_only_for_shared_volumes() -> None:
    """A cluster whose answer about its nodes would be an error."""
    api = cluster(False)
    api.list = lambda *_, **__: pytest.fail(f"{LONGHORN_NODES.plural} were listed")
    assert lacking_mode_of(api, settings(access_mode="rwop"), {"longhorn": storage_class()}) == {}

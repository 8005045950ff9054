"""Two pods on one node, pods with a user namespace, pods with SELinux levels: seen, not tried, or a fail."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import cycle
from types import SimpleNamespace
from typing import Any, cast

import pytest

from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.claims import Claim
from acceptance.cluster.pod_manifest import PodPlan, pod_manifest
from acceptance.cluster.resources import CSI_DRIVERS, NODES, VOLUMES, Object
from acceptance.text.errors import NotTried, StorageFailure, Unsupported
from acceptance.trials.features import rolling_update, selinux, user_namespaces
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.ownership import FIRST
from acceptance.trials.features.rolling_update import try_rolling_update
from acceptance.trials.features.selinux import LEVELS, try_selinux_levels
from acceptance.trials.features.user_namespaces import ALL_IDS, try_user_namespaces
from selftests.unit.simulated_api import SimulatedApi
from selftests.unit.test_volume_features import CLAIM, TriedBench
from selftests.unit.test_volumes_and_pods import PLAN

MARKS = ("first-mark", "second-mark")
SUPPORTED: Object = {"runtimeHandlers": [{"name": "", "features": {"userNamespaces": True}}]}
OWNED = f"drwxrwsr-x 2 0 {FIRST} 6 Jan 1 00:00 /v\n-rw-r--r-- 1 65534 {FIRST} 6 Jan 1 00:00 /v/own\n"


@dataclass
class PrintingBench(TriedBench):
    """Pods that end have printed `says`, each its own text, or raise it; `steps`: what happened to those that run."""

    says: list[tuple[int, str] | Exception]
    node_status: Object = field(default_factory=dict)
    node: str | None = "n1"
    user: int | None = 1
    timeout_s: float = 0.1
    steps: list[str] = field(default_factory=list)
    plans: list[PodPlan] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.api = SimulatedApi({})
        self.api.create(NODES, {"metadata": {"name": "n1"}, "status": self.node_status})
        self.api.create(VOLUMES, {"metadata": {"name": "pv"}, "spec": {"csi": {"driver": "driver", "fsType": "xfs"}}})
        self.workspace = SimpleNamespace(pods=SimpleNamespace(user=self.user))
        self.missing, self.not_tried = Unsupported, NotTried

    def claim(self, part: str) -> Claim:
        return CLAIM

    def volume_of(self, claim: Claim) -> str:
        return "pv"

    def plan(self, *claims: Claim, script: str, node: str | None = None, **variables: str) -> PodPlan:
        return replace(PLAN, claims=claims, environment=variables, node=node)

    def run_plan(self, plan: PodPlan) -> Any:
        self.plans.append(plan)
        answer = self.says.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return SimpleNamespace(status=answer[0], output=answer[1], node="n1")

    def run(self, claim: Claim, script: str, **variables: str) -> str:
        return str(self.run_plan(self.plan(claim, script=script, **variables)).output)

    def start(self, claim: Claim, script: str, *, node: str | None = None, **variables: str) -> PodPlan:
        self.steps.append(f"start on {node}")
        return self.plan(claim, script=script, node=node, **variables)

    def end(self, plan: PodPlan) -> None:
        self.steps.append(f"end {plan.environment['MARK']}")


@pytest.fixture(autouse=True)
def known_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    for trial in (rolling_update, user_namespaces, selinux):
        marks = cycle(MARKS)
        monkeypatch.setattr(trial, "new_mark", lambda marks=marks: next(marks))


def tried(bench: PrintingBench) -> Bench:
    return cast(Bench, bench)


@pytest.fixture
def rolling(monkeypatch: pytest.MonkeyPatch) -> PrintingBench:
    """A bench on which two pods run at the same time, and print what they must."""
    bench = PrintingBench(says=[(0, "first-mark\nsecond-mark\n")])
    monkeypatch.setattr(rolling_update, "wait_printed", lambda _, __, word, **___: bench.steps.append(f"saw {word}"))
    monkeypatch.setattr(rolling_update, "wait_goes_on", lambda *_, **__: bench.steps.append("goes on"))
    return bench


def test_a_second_pod_on_the_node_starts_before_the_first_ends_and_goes_on_after_it(rolling: PrintingBench) -> None:
    assert "continued for 5 rounds after the first was deleted" in try_rolling_update(tried(rolling))
    assert rolling.steps == [
        *("start on None", "saw written", "start on n1", "saw first-mark", "saw second-mark"),
        *("end first-mark", "goes on", "end second-mark"),
    ]


def test_data_of_two_pods_that_a_third_does_not_find_fails(rolling: PrintingBench) -> None:
    rolling.says = [(0, "second-mark\n")]
    with pytest.raises(StorageFailure, match="a third one, after them, found other data: second-mark"):
        try_rolling_update(tried(rolling))


def mapped(*, ids: int = 65536, marks: str = "first-mark\nsecond-mark\n", listed: str = OWNED) -> str:
    """What a pod with a user namespace prints."""
    return f"ids {ids}\n{marks}{listed}"


def test_a_pod_with_a_user_namespace_that_uses_the_volume_is_seen() -> None:
    bench = PrintingBench(says=[(0, ""), (0, mapped()), (0, "second-mark\n")], node_status=SUPPORTED)
    assert "with a user namespace of its own read and wrote" in try_user_namespaces(tried(bench))
    assert [plan.host_users for plan in bench.plans] == [True, False, True]
    assert pod_manifest(bench.plans[1])["spec"]["hostUsers"] is False
    assert "hostUsers" not in pod_manifest(bench.plans[0])["spec"]


@pytest.mark.parametrize(
    ("answer", "ends_in", "said"),
    [
        ((0, mapped(ids=ALL_IDS)), NotTried, "without a user namespace of its own"),
        ((1, "ids 65536\ncat: permission denied"), StorageFailure, "cannot read and write it"),
        ((0, mapped(marks="second-mark\n")), StorageFailure, "cannot read and write it"),
        ((0, mapped(listed=OWNED.replace(str(FIRST), "0"))), StorageFailure, "expected volume and file to belong to"),
        (StorageFailure("runc: failed to set MOUNT_ATTR_IDMAP"), Unsupported, "cannot be mounted with mapped ids"),
        (StorageFailure("not mounted in time"), StorageFailure, "not mounted in time"),
    ],
)
def test_a_pod_with_a_user_namespace_that_cannot_use_the_volume(
    answer: tuple[int, str] | Exception, ends_in: type[Exception], said: str
) -> None:
    bench = PrintingBench(says=[(0, ""), answer, (0, "second-mark\n")], node_status=SUPPORTED)
    with pytest.raises(StorageFailure, match=said) as caught:
        try_user_namespaces(tried(bench))
    assert type(caught.value) is ends_in


def test_a_group_that_the_driver_excludes_is_not_expected_of_a_user_namespace() -> None:
    says: list[tuple[int, str] | Exception] = [(0, ""), (0, mapped(listed="")), (0, "second-mark\n")]
    bench = PrintingBench(says=says, node_status=SUPPORTED)
    bench.api.create(CSI_DRIVERS, {"metadata": {"name": "driver"}, "spec": {"fsGroupPolicy": "None"}})
    assert try_user_namespaces(tried(bench))


def test_without_user_namespaces_of_the_runtime_no_such_pod_is_created() -> None:
    statuses: list[Object] = [{}, {"runtimeHandlers": [{"name": "runc", "features": {"userNamespaces": False}}]}]
    for status in statuses:
        bench = PrintingBench(says=[(0, "")], node_status=status)
        with pytest.raises(NotTried, match="node n1 reports no user namespaces for pods"):
            try_user_namespaces(tried(bench))
        assert len(bench.plans) == 1


def context(level: str) -> str:
    """The line of a pod with that level."""
    return f"context system_u:system_r:container_t:{level}\n"


GOOD = [
    (0, context("s0:c1,c2")),
    (0, f"{context(LEVELS[0])}first-mark\n"),
    (0, f"{context(LEVELS[1])}first-mark\nsecond-mark\n"),
]


def test_pods_with_different_levels_that_use_the_volume_are_seen() -> None:
    bench = PrintingBench(says=[*GOOD])
    assert "used a volume one after the other" in try_selinux_levels(tried(bench))
    levels = [pod_manifest(plan)["spec"]["securityContext"].get("seLinuxOptions") for plan in bench.plans]
    assert levels == [None, {"level": LEVELS[0]}, {"level": LEVELS[1]}]


@pytest.mark.parametrize(
    ("says", "ends_in", "said"),
    [
        ([(0, "context \n")], NotTried, "SELinux is off there"),
        ([(0, "context unconfined\n")], NotTried, "SELinux is off there"),
        ([GOOD[0], (0, context("s0:c1,c2"))], NotTried, "ran as 'system_u:system_r:container_t:s0:c1,c2'"),
        (
            [GOOD[0], ApiError(status=403, request="POST", message="no level")],
            NotTried,
            "no pod may request SELinux level",
        ),
        ([*GOOD[:2], (1, f"{context(LEVELS[1])}cat: Permission denied")], StorageFailure, "with another level used"),
        ([*GOOD[:2], (0, f"{context(LEVELS[1])}second-mark\n")], StorageFailure, "with another level used"),
    ],
)
def test_pods_with_different_levels_that_cannot_be_tried_or_are_refused(
    says: list[tuple[int, str] | Exception], ends_in: type[Exception], said: str
) -> None:
    with pytest.raises(StorageFailure, match=said) as caught:
        try_selinux_levels(tried(PrintingBench(says=says)))
    assert type(caught.value) is ends_in

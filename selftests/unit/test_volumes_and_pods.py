"""Volumes and the pods that have them: what each trial takes for right, for wrong, and for nothing that it can tell."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from acceptance.cluster import claims
from acceptance.cluster.claims import Claim
from acceptance.cluster.events import WarningEvent
from acceptance.cluster.pod_manifest import PodPlan, ephemeral_name, pod_manifest
from acceptance.cluster.resources import CLAIMS, CSI_NODES, NODES, PODS, VOLUMES, Object
from acceptance.text.errors import AcceptanceError, NotTried, StorageFailure, Unsupported
from acceptance.trials.features import group_policy, mount_options, node_limit, protection, shared_block, statistics
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.statistics import Fullness, told_by_kubelet, wrong_with
from acceptance.trials.features.waiting_pods import wait_kept
from selftests.bounds import HANGS_S
from selftests.unit.simulated_api import SimulatedApi

CLAIM = Claim(name="claim", namespace="run", storage_class="fast", size=1, run_id="r")
PLAN = PodPlan(name="pod", claims=(CLAIM,), image="fio:1", command=["true"], deadline_s=1)
RUNS = {"phase": "Running", "containerStatuses": [{"name": "load", "state": {"running": {}}}]}
GIB = 1024**3


def kept(why: str) -> Object:
    """The status of a pod that the scheduler keeps."""
    return {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "message": why}]}


class Api(SimulatedApi):
    """Lists by field, too, as far as pods of a node go."""

    def list(self, resource: Any, *, fields: str = "", **more: Any) -> list[Object]:  # type: ignore[override]
        node = fields.partition("spec.nodeName=")[2]
        found = super().list(resource, **more)
        return [each for each in found if not node or each["spec"].get("nodeName") == node]


@dataclass
class PlayedBench:
    """A bench without a cluster: pods are in memory, `says` is what each prints, in turn."""

    api: Api = field(default_factory=lambda: Api({}))
    says: list[tuple[int, str]] = field(default_factory=list)
    node: str | None = "n1"
    node_volumes: int = 0
    timeout_s: float = 0.3

    def __post_init__(self) -> None:
        self.storage_class = SimpleNamespace(name="fast", provisioner="a.driver", reclaim_policy="Delete")
        self.workspace = SimpleNamespace(namespace="run", pods=SimpleNamespace(user=1, template=None))
        self.missing, self.not_tried = Unsupported, NotTried
        self.ran: list[PodPlan] = []

    def claim(self, part: str, **_: Any) -> Claim:
        return replace(CLAIM, name=part)

    def require_access(self, access: str) -> None:
        pass  # its nodes have what any access mode takes

    def volume_of(self, claim: Claim) -> str:
        return "pv"

    def plan(self, *claims: Claim, script: str, node: str | None = None, **_: str) -> PodPlan:
        return replace(PLAN, claims=claims)

    def run_plan(self, plan: PodPlan) -> Any:
        self.ran.append(plan)
        status, output = self.says[len(self.ran) - 1]
        return SimpleNamespace(status=status, output=output)

    def output_of(self, plan: PodPlan) -> str:
        return "".join(said for _, said in self.says)


def tried(bench: PlayedBench) -> Bench:
    return cast(Bench, bench)


@pytest.fixture(autouse=True)
def no_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "warnings_about", lambda *_, **__: [])
    monkeypatch.setattr(protection, "may", lambda *_: True)


def with_pod(status: Object) -> PlayedBench:
    bench = PlayedBench()
    bench.api.create(PODS, {"metadata": {"name": "pod"}, "spec": {}, "status": status})
    return bench


def keep(bench: PlayedBench) -> str:
    return wait_kept(tried(bench), PLAN, "a second pod to wait", words=("ReadWriteOncePod",), failure="both had it")


def test_a_pod_that_the_scheduler_keeps_for_that_reason_waits() -> None:
    why = "0/3 nodes are available: 1 node has pod using PersistentVolumeClaim with ReadWriteOncePod access mode."
    assert keep(with_pod(kept(why))) == why


@pytest.mark.parametrize(
    ("status", "said"),
    [(RUNS, "^both had it$"), (kept("1 Insufficient cpu"), "waited .* second pod to wait; .*Insufficient cpu")],
    ids=["it starts", "it waits for something else"],
)
def test_a_pod_that_starts_or_waits_for_something_else_fails(status: Object, said: str) -> None:
    with pytest.raises(StorageFailure, match=said):
        keep(with_pod(status))


def test_a_claim_that_goes_while_it_is_used_is_told() -> None:
    bench = with_pod(RUNS)
    with pytest.raises(StorageFailure, match="PVC claim of StorageClass fast was deleted while a pod used its volume"):
        protection._wait_in_use(tried(bench), PLAN, CLAIMS, "claim")


def test_a_pod_whose_volume_fails_after_the_deletion_is_told_with_its_words() -> None:
    bench = with_pod(
        {"phase": "Failed", "containerStatuses": [{"name": "load", "state": {"terminated": {"exitCode": 1}}}]}
    )
    bench.api.create(CLAIMS, {"metadata": {"name": "claim"}})
    bench.says = [(1, "round 1\nread 1 after writing 2\n")]
    with pytest.raises(StorageFailure, match=r"failed 0 rounds after the deletion of the PVC .*read 1 after writing 2"):
        protection._wait_in_use(tried(bench), PLAN, CLAIMS, "claim")


@pytest.mark.parametrize(
    ("finalizers", "policy", "why"),
    [
        ([protection._HONOURS_POLICY], "Delete", None),
        (["kubernetes.io/pv-protection"], "Delete", "would leave the storage behind it"),
        ([protection._HONOURS_POLICY], "Retain", "its reclaim policy is Retain"),
    ],
)
def test_a_volume_is_deleted_first_only_where_that_leaves_nothing_behind(
    finalizers: list[str], policy: str, why: str | None
) -> None:
    bench = PlayedBench()
    spec = {"persistentVolumeReclaimPolicy": policy}
    bench.api.create(VOLUMES, {"metadata": {"name": "pv", "finalizers": finalizers}, "spec": spec})
    found = protection._why_not_deleted(tried(bench), "pv")
    assert found is None if why is None else why in str(found)


def test_an_ephemeral_volume_is_made_of_its_pod_with_the_labels_of_the_run() -> None:
    (volume,) = pod_manifest(replace(PLAN, ephemeral=True))["spec"]["volumes"]
    template = volume["ephemeral"]["volumeClaimTemplate"]
    assert template["metadata"]["labels"]["storage-acceptance/run"] == "r"
    assert template["spec"]["storageClassName"] == "fast" and "persistentVolumeClaim" not in volume
    assert ephemeral_name("pod", 0) == f"pod-{volume['name']}"


SEEN = Fullness(capacity_bytes=GIB, used_bytes=GIB // 4, available_bytes=3 * GIB // 4)


@pytest.mark.parametrize(
    ("told", "wrong"),
    [
        (SEEN, None),
        (replace(SEEN, used_bytes=SEEN.used_bytes + GIB // 100), None),
        (replace(SEEN, used_bytes=0), "used 0 B, and the pod sees 256 MiB"),
        (replace(SEEN, capacity_bytes=2 * GIB), "capacity 2 GiB, and the pod sees 1 GiB"),
        (replace(SEEN, available_bytes=GIB), "available 1 GiB, and the pod sees 768 MiB"),
    ],
)
def test_a_kubelet_that_says_something_else_than_the_pod_sees_is_wrong(told: Fullness, wrong: str | None) -> None:
    found = wrong_with(told, SEEN)
    assert found is None if wrong is None else wrong in str(found)


def test_only_the_pods_own_volume_counts_with_all_its_figures() -> None:
    figures = {"name": "volume-0", "capacityBytes": 3, "usedBytes": 1, "availableBytes": 2}
    api = Api({})

    def told(*pods: Object) -> Fullness | None:
        api.create(NODES, {"metadata": {"name": "n1/proxy/stats/summary"}, "pods": list(pods)})
        return told_by_kubelet(cast(Any, api), PLAN, node="n1")

    own = {"name": "pod", "namespace": "run"}
    assert told({"podRef": own, "volume": [figures]}) == Fullness(capacity_bytes=3, used_bytes=1, available_bytes=2)
    assert told({"podRef": {**own, "namespace": "other"}, "volume": [figures]}) is None
    assert told({"podRef": own, "volume": [{"name": "volume-0", "capacityBytes": 3}]}) is None
    assert told({"podRef": own}) is None


def test_the_last_that_df_said_is_what_the_pod_sees() -> None:
    line = "/dev/loop1 1000 {} 900 10% /volumes/1\n"
    assert statistics.seen_by_pod("Filesystem 1024-blocks Used\n") is None
    seen = statistics.seen_by_pod(line.format(1) + line.format(100))
    assert seen == Fullness(capacity_bytes=1024000, used_bytes=102400, available_bytes=921600)


@pytest.mark.parametrize(
    ("shown", "lacking"),
    [
        ("xfs rw,noatime,nouuid", []),
        ("xfs rw,relatime,nouuid", ["noatime"]),
        ("no such mount", ["noatime"]),
    ],
)
def test_options_that_the_kernel_shows_must_show(shown: str, lacking: list[str]) -> None:
    assert mount_options.absent(["noatime", "nfsvers=4.1"], shown) == lacking


def test_only_options_that_can_show_are_said_to_hold() -> None:
    said = mount_options.held_in_words(["nodev", "nfsvers=4.1"], "nfs4 rw,nodev,noatime,vers=4.1")
    held, _, rest = said.partition(";")
    assert "nodev and noatime" in held and "nfsvers" not in held.partition("(")[0]
    assert rest.startswith(" the class's nfsvers=4.1 were not compared")
    assert ";" not in mount_options.held_in_words([], "xfs rw,noatime")


@pytest.mark.parametrize(
    ("message", "times", "refused"),
    [
        (f"MountVolume.SetUp failed: mount: exit status 32: -o {mount_options.WRONG} /dev/sda", 1, True),
        ("MountVolume.MountDevice failed: rpc error: code = Internal desc = wrong fs type, bad option", 3, True),
        ("MountVolume.WaitForAttach failed: the device is not there yet", 2, False),
    ],
)
def test_a_mount_that_only_was_not_ready_is_no_refusal(message: str, times: int, refused: bool) -> None:
    assert mount_options.is_refusal(WarningEvent(message=message, times=times, line=message)) is refused


@pytest.mark.parametrize(("policy", "stays"), [("Delete", False), ("Retain", True)])
def test_a_volume_that_is_retained_is_not_said_to_go(policy: str, stays: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = PlayedBench()
    bench.storage_class.reclaim_policy = policy
    bench.api.create(VOLUMES, {"metadata": {"name": "pv"}, "spec": {"persistentVolumeReclaimPolicy": policy}})
    monkeypatch.setattr(PlayedBench, "start", lambda *_, **__: PLAN, raising=False)
    for done in ("delete_claim", "end_pod", "_wait_in_use", "_wait_gone"):
        monkeypatch.setattr(protection, done, lambda *_, **__: None)
    assert ("the PV remains, because the reclaim policy is Retain" in protection.try_protection(tried(bench))) is stays


def listing(folder: int, file: int) -> tuple[int, str]:
    return 0, f"drwxrwsr-x 2 0 {folder} 18 Nov 24 15:00 /v\n-rw-rw-r-- 1 0 {file} 4 Nov 24 15:00 /v/file\n"


GOOD = [listing(*each.expected_groups) for each in group_policy.STARTS]


def test_both_policies_are_seen_by_five_pods() -> None:
    bench = PlayedBench(says=GOOD)
    assert "Always changed it at each start" in group_policy.try_group_policy(tried(bench))
    assert [(each.group_policy, each.fs_group) for each in bench.ran] == [
        (start.policy, start.group) for start in group_policy.STARTS
    ]
    manifest = pod_manifest(bench.ran[2])["spec"]["securityContext"]
    assert (manifest["fsGroupChangePolicy"], manifest["supplementalGroups"]) == ("Always", [group_policy.FURTHER_GROUP])


@pytest.mark.parametrize("number", range(len(GOOD)))
def test_each_pod_that_finds_other_groups_is_told_with_its_policy(number: int) -> None:
    bench = PlayedBench(says=[*GOOD[:number], listing(1, 2), *GOOD[number + 1 :]])
    bench.api.create(VOLUMES, {"metadata": {"name": "pv"}, "spec": {"csi": {"driver": "a.driver"}}})
    policy = group_policy.STARTS[number].policy
    with pytest.raises(StorageFailure, match=rf"pod {number + 1} .*{policy}; expected .* found \(1, 2\)") as found:
        group_policy.try_group_policy(tried(bench))
    assert not isinstance(found.value, Unsupported)


def on_node(name: str, driver: str, *, node: str = "n1", phase: str = "Running") -> list[tuple[Any, Object]]:
    """A pod of others there, with a volume of that driver."""
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": name}}]
    pod = {"metadata": {"name": name, "namespace": "o"}, "spec": {"nodeName": node, "volumes": volumes}}
    return [
        (PODS, pod | {"status": {"phase": phase}}),
        (CLAIMS, {"metadata": {"name": name}, "spec": {"volumeName": f"pv-{name}"}}),
        (VOLUMES, {"metadata": {"name": f"pv-{name}"}, "spec": {"csi": {"driver": driver}}}),
    ]


def limited(most: int | None, *there: tuple[Any, Object], consent: int = 0) -> PlayedBench:
    bench = PlayedBench(node_volumes=consent)
    told = {"name": "a.driver", **({} if most is None else {"allocatable": {"count": most}})}
    bench.api.create(CSI_NODES, {"metadata": {"name": "n1"}, "spec": {"drivers": [told]}})
    for resource, body in there:
        bench.api.create(resource, body)
    return bench


@pytest.mark.parametrize(
    ("bench", "error", "said"),
    [
        (limited(None), Unsupported, "reports no limit of volumes on any node"),
        (limited(8, consent=7), NotTried, "expected consent to 8 more, found --storage-with node-volumes=7"),
        (limited(1, *on_node("a", "a.driver")), NotTried, "of which other pods use 1: there is no room for one more"),
        (
            limited(4, *on_node("a", "a.driver"), *on_node("b", "b.driver"), *on_node("c", "a.driver", node="n2")),
            NotTried,
            "of which other pods use 1; expected consent to 3 more",
        ),
        (limited(2, *on_node("a", "a.driver", phase="Succeeded")), NotTried, "expected consent to 2 more"),
    ],
)
def test_a_node_is_filled_only_where_its_limit_is_known_and_agreed_to(
    bench: PlayedBench, error: type[AcceptanceError], said: str
) -> None:
    with pytest.raises(error, match=said) as found:
        node_limit.try_node_limit(tried(bench))
    assert type(found.value) is error


def test_a_node_that_takes_fewer_than_it_says_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any, **__: Any) -> Object:
        raise StorageFailure("waited 300 s for the pod to start")

    bench = limited(2, consent=2)
    bench.api.create(PODS, {"metadata": {"name": "pod"}, "spec": {}, "status": {"phase": "Pending"}})
    bench.ask_for = lambda plan: None  # type: ignore[attr-defined]
    monkeypatch.setattr(node_limit, "wait_started", never)
    with pytest.raises(
        StorageFailure, match="allows 2 volumes on n1, but a pod with the remaining 2 does not start"
    ) as found:
        node_limit.try_node_limit(tried(bench))
    assert not isinstance(found.value, Unsupported)


class ProcessBench(PlayedBench):
    """Pods are processes; each node has a file as its device. What a device is asked past all caches, a file is not."""

    def __init__(self, devices: dict[str, Path], *, timeout_s: float = HANGS_S) -> None:
        super().__init__(timeout_s=timeout_s)
        self.devices, self.processes = devices, []  # type: ignore[var-annotated]

    def start(self, claim: Claim, script: str, *, node: str = "n1", **variables: str) -> PodPlan:
        script = script.replace(" iflag=direct", "").replace(" oflag=direct", "")
        environment = os.environ | variables | {"VOLUME": str(self.devices[node])}
        process = subprocess.Popen(
            ["sh", "-c", script], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        self.processes.append(process)
        return replace(PLAN, name=str(len(self.processes) - 1))

    def output_of(self, plan: PodPlan) -> str:
        return str(self.processes[int(plan.name)].communicate(timeout=HANGS_S)[0].decode())


@pytest.fixture
def devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    monkeypatch.setattr(shared_block, "another_node", lambda *_: "n2")
    monkeypatch.setattr(shared_block, "wait_ended", lambda *_, **__: None)
    for name in ("one", "two"):
        (tmp_path / name).write_bytes(bytes(3 * 4096))
    return {"n1": tmp_path / "one", "n2": tmp_path / "two"}


def test_two_nodes_read_each_other_on_one_device(devices: dict[str, Path]) -> None:
    bench = ProcessBench({"n1": devices["n1"], "n2": devices["n1"]})
    assert "each read what the other wrote" in shared_block.try_shared_block(tried(bench))


def test_nodes_with_a_device_each_fail(devices: dict[str, Path]) -> None:
    said = "data that the other node wrote does not appear on n2 within 1 s; the pod there printed: found"
    with pytest.raises(StorageFailure, match=said):
        shared_block.try_shared_block(tried(ProcessBench(devices, timeout_s=1.0)))

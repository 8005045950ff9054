"""A whole ramp on a simulated API server: nothing lost, nothing counted twice, and each end told for what it is."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from typing import Any, cast

import pytest

from acceptance.cluster import watching
from acceptance.cluster.api import Api
from acceptance.cluster.resources import ATTACHMENTS, CLAIMS, NODES, PODS, VOLUMES
from acceptance.cluster.stateful_sets import claim_of
from acceptance.cluster.workspace import Workspace
from acceptance.limits.ramps import RampRules
from acceptance.results.ramps import ControlPlaneRecord
from acceptance.text.errors import EnvironmentFailure
from acceptance.trials.ramps import observer as observer_module
from acceptance.trials.ramps import ramp_down as ramp_down_module
from acceptance.trials.ramps import ramp_up as ramp_up_module
from acceptance.trials.ramps.runner import RampRunner, RampSettings
from selftests.unit.simulated_ramp import SimulatedApi, running, waiting

RULES = RampRules.model_validate(
    {
        "rate": "1800/min",
        "stop_when": {
            "slow_starts": {"longer_than": "20s", "more_than": 4, "because": "too slow"},
            "crashes": {"more_than": 3, "because": "not stable"},
        },
    }
)


def strict(**stop_when: Any) -> RampRules:
    """Rules with which a busy machine may well end a ramp early."""
    return RampRules.model_validate({"rate": "1800/min", "stop_when": stop_when})


SLOW = strict(slow_starts={"longer_than": "3s", "more_than": 4, "because": "too slow"})
RATE = strict(
    running_rate={"below": "200/min", "over": "600ms", "because": "too few"},
    crashes={"more_than": 3, "because": "not stable"},
)


class Steady:
    """A clock that leaves out the time in which the machine stood still: between two readings it makes one step."""

    def __init__(self) -> None:
        self._read_s = time.monotonic()
        self._now_s = 0.0
        self._lock = threading.Lock()

    def monotonic(self) -> float:
        with self._lock:
            read_s = time.monotonic()
            self._now_s += min(read_s - self._read_s, 0.05)
            self._read_s = read_s
            return self._now_s


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps of hundredths of a second, so that a ramp is over in one."""
    for module in (ramp_up_module, ramp_down_module):
        monkeypatch.setattr(module, "STEP_S", 0.02)
    monkeypatch.setattr(observer_module, "NO_ROOM_FOR_S", 0.2)
    monkeypatch.setattr(observer_module, "time", Steady())
    monkeypatch.setattr(watching, "PAUSE_S", 1.5)


def ramp(api: SimulatedApi, *, rules: RampRules = RULES, **settings: Any) -> ControlPlaneRecord:
    workspace = Workspace(api=cast(Api, api), run_id="r", namespace="ns", image="image:1", timeout_s=5)
    usual = {"goal": 40, "required_pods": 1, "volume_size": 2**30, "timeout_s": 60.0, "down_s": 60.0}
    kept: list[ControlPlaneRecord] = []
    runner = RampRunner(
        workspace,
        settings=RampSettings(**(usual | settings)),
        rules=rules,
        say=lambda text: None,
        keep=kept.append,
    )
    record = runner.record("fast")
    assert runner.record("fast") is record and kept == [record]
    return record


OTHER = {"source": {"persistentVolumeName": "pv-other"}}


def left(api: SimulatedApi) -> list[str]:
    kinds = ("jobs", "statefulsets", "pods", "persistentvolumeclaims", "persistentvolumes", "volumeattachments")
    return [name for kind in kinds for name in api.objects[kind]]


def test_it_reaches_its_goal_and_comes_back_with_nothing_left() -> None:
    api = SimulatedApi()
    found = ramp(api)
    assert (found.pods, found.volumes, found.per_node) == (40, 40, {"n0": 20, "n1": 20})
    assert (found.ended.kind, found.ended.since_pods, found.linear_until, found.observed_late) == ("goal", 40, 40, 0)
    assert 39 / 30 - 0.1 < found.ended.after_s < 60  # no faster than it was told to; slower on a busy machine
    assert found.ramp_down.cleanup_s is not None and found.ramp_down.remaining == []
    assert found.ramp_down.scale_down_s is not None and 39 / 60 - 0.1 < found.ramp_down.scale_down_s < 60
    assert {name: each.pods for name, each in found.phases.items()} == dict.fromkeys(
        ("bound", "scheduled", "attached", "running", "ready"), 40
    )
    assert (found.growth[0].at_s, found.growth[-1].requested, found.growth[-1].running) == (0.0, 40, 40)
    assert [start.pods for start in found.starts] == list(range(1, 41))
    assert left(api) == []


def test_it_asks_once_for_each_event_it_causes_and_never_polls() -> None:
    """A patch a step, a deletion a claim, a watch a kind; lists only before the first pod."""
    api = SimulatedApi()
    api.claims_go_after_s = 0.2
    ramp(api)
    assert api.request_counts["DELETE persistentvolumeclaims"] == 40
    assert api.request_counts["PATCH statefulsets"] <= 2 * 40
    kinds = ("nodes", "volumeattachments", "persistentvolumes", "persistentvolumeclaims", "events", "pods")
    assert {kind: api.request_counts[f"WATCH {kind}"] for kind in kinds} == dict.fromkeys(kinds, 1)
    assert all(api.request_counts[f"LIST {kind}"] <= 3 for kind in kinds)


def test_metrics_that_may_not_be_read_are_not_there_with_the_reason() -> None:
    found = ramp(SimulatedApi(), goal=2)
    assert (found.api_server, found.storage_operations) == ([], [])
    assert "answered 403: forbidden" in str(found.api_server_missing)
    assert "/api/v1/nodes/n0/proxy/metrics" in str(found.storage_operations_missing)


def test_one_set_for_each_node_shares_the_pods_in_turn() -> None:
    api = SimulatedApi(nodes=3)
    names: list[str] = []
    made = api.make_pod
    api.make_pod = lambda name, ordinal: (names.append(f"{name}-{ordinal}"), made(name, ordinal))[1]  # type: ignore
    found = ramp(api, goal=7, form="per-node")
    assert (found.pods, found.form) == (7, "per-node")
    assert sorted(names) == sorted(
        f"ramp-fast-{n}-{k}" for n, k in ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0), (2, 1))
    )
    assert left(api) == []


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (waiting("no volume to bind"), "running_rate"),
        (running(restarts=2), "crashes"),
    ],
)
def test_pods_that_fail_from_a_number_on_end_it_there(status: Any, kind: str) -> None:
    api = SimulatedApi()
    api.status = lambda number: status if number >= 20 else running()
    found = ramp(api, rules=RATE)
    assert (found.ended.kind, found.ended.since_pods) == (kind, 20)
    assert left(api) == []


def test_slow_pods_end_it() -> None:
    """Pods from number 20 on have not begun to run three seconds after they were made."""
    api = SimulatedApi()
    api.status = lambda number: waiting() if number >= 20 else running()
    found = ramp(api, rules=SLOW)
    assert (found.ended.kind, found.ended.since_pods) == ("slow_starts", 20)
    told = re.match(r"(\d+) pods took longer than 3 s from creation to running, more than 4", found.ended.reason)
    assert told and int(told[1]) >= 5, found.ended.reason
    assert left(api) == []


def running_pod() -> dict[str, Any]:
    """What stands for a pod that is not there."""
    return {"status": running()}


def late_starts(api: SimulatedApi, *, after_s: float) -> list[threading.Timer]:
    """Has each pod that was made to wait run so long after."""
    timers: list[threading.Timer] = []
    made = api.make_pod

    def make(set_name: str, ordinal: int) -> None:
        made(set_name, ordinal)
        name = f"{set_name}-{ordinal}"
        if api.objects["pods"].get(name, running_pod())["status"]["phase"] == "Pending":
            timers.append(threading.Timer(after_s, start, args=(name,)))
            timers[-1].start()

    def start(name: str) -> None:
        pod = api.objects["pods"].get(name)
        if pod is not None:
            api.put(PODS, name, spec={"nodeName": "n0"}, status=running(), labels=pod["metadata"]["labels"])

    api.make_pod = make  # type: ignore[method-assign]
    return timers


def test_a_quota_ends_it_and_the_count_stands() -> None:
    api = SimulatedApi()
    said = 'pods "ramp-fast-25" is forbidden: exceeded quota: few, requested: pods=1, used: pods=25, limited: pods=25'
    api.refuse = lambda number: said if number >= 25 else ""
    api.status = lambda number: waiting()
    timers = late_starts(api, after_s=0.3)
    found = ramp(api, goal=400)
    for timer in timers:
        timer.join()
    assert (found.pods, found.ended.kind, found.ended.reason) == (25, "quota", said)
    assert found.growth[-1].requested < 400, "what is refused is not asked for again and again"
    assert left(api) == [], "claims of pods that were never made go too"


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("0/2 nodes are available: 2 Too many pods.", "nodes_full"),
        ("2 node(s) exceed max volume count.", "attach_limit"),
    ],
)
def test_full_nodes_end_it_and_the_count_stands(message: str, kind: str) -> None:
    api = SimulatedApi()
    api.status = lambda number: waiting(message) if number >= 30 else running()
    found = ramp(api)
    assert (found.pods, found.ended.kind) == (30, kind)
    assert message.rstrip(".") in found.ended.reason
    assert left(api) == []


@pytest.mark.parametrize("lost", ["deleted", "not ready"])
def test_a_lost_node_ends_it(lost: str) -> None:
    api = SimulatedApi()

    def lose() -> None:
        if lost == "deleted":
            api.remove(NODES, "n1")
        else:
            api.put(NODES, "n1", spec={}, status={"conditions": [{"type": "Ready", "status": "Unknown"}]})

    when_running(api, 15, act=lose)
    found = ramp(api, goal=200)
    assert found.ended.kind == "node_lost" and "node n1" in found.ended.reason
    assert 0 < found.pods < 200
    assert left(api) == []


def after(seconds: float, act: Callable[[], None]) -> None:
    threading.Timer(seconds, act).start()


def when_running(api: SimulatedApi, count: int, *, act: Callable[[], None]) -> None:
    """Act once, when so many pods have become running."""
    put, ran, waits = api.put, [], [act]

    def counted(resource: Any, name: str, **fields: Any) -> None:
        put(resource, name, **fields)
        if resource is PODS and fields["status"].get("phase") == "Running":
            ran.append(name)
            if len(ran) >= count and waits:
                waits.pop()()

    api.put = counted  # type: ignore[method-assign]


def when_lowered(api: SimulatedApi, *, to: int, act: Callable[[], None]) -> None:
    """Act once, when the way down has come to `to` pods: how long that takes differs from machine to machine."""
    patch, waits = api.patch, [act]

    def patched(resource: Any, name: str, body: Any, **fields: Any) -> None:
        lowered = body["spec"]["replicas"] < api.objects[resource.plural][name]["spec"]["replicas"]
        patch(resource, name, body, **fields)
        if lowered and body["spec"]["replicas"] <= to and waits:
            waits.pop()()

    api.patch = patched  # type: ignore[method-assign]


def test_no_pod_is_lost_or_counted_twice_when_the_connection_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The API server goes, comes again and has forgotten; meanwhile pods are made again under their names."""
    api = SimulatedApi()

    def restart() -> None:
        api.forgets_once = True
        pods = list(api.objects["pods"].items())  # of those that wait none has run, whoever takes its name
        for name, pod in [each for each in pods if each[1]["status"]["phase"] == "Running"][:2]:
            api.remove(PODS, name)
            api.put(PODS, name, spec=pod["spec"], status=pod["status"], labels=pod["metadata"]["labels"])
        api.break_watches()

    api.status = lambda number: waiting()
    timers = late_starts(api, after_s=0.2)
    when_running(api, 10, act=restart)
    # The break lasts for longer than a rate is looked at, and that for longer than a machine may stand still.
    monkeypatch.setattr(watching, "PAUSE_S", 6.0)
    found = ramp(api, rules=strict(running_rate={"below": "60/min", "over": "2s", "because": "too few"}))
    for timer in timers:
        timer.join()
    assert (found.pods, found.volumes, found.ended.kind) == (40, 40, "goal")
    assert len(found.starts) == 42
    assert 0 < found.observed_late < 40
    assert found.phases["running"].pods == len(found.starts) - found.observed_late
    assert left(api) == []


def test_a_pod_that_is_made_again_on_the_way_down_keeps_its_claim_until_it_is_told_to_end() -> None:
    api = SimulatedApi()

    def renew() -> None:
        api.remove(PODS, "ramp-fast-0")
        api.make_pod("ramp-fast", 0)

    when_lowered(api, to=20, act=renew)
    assert ramp(api).ramp_down.cleanup_s is not None
    assert (api.torn, left(api)) == ([], [])


def test_a_claim_that_comes_late_goes_too() -> None:
    """A set makes a claim for a pod that is no longer asked for."""
    api = SimulatedApi()
    late = claim_of("ramp-fast-30")
    when_lowered(api, to=0, act=lambda: api.put(CLAIMS, late, spec={}, status={"phase": "Pending"}))
    assert ramp(api, goal=20).ramp_down.cleanup_s is not None
    assert left(api) == []


def test_volumes_that_stay_are_named() -> None:
    api = SimulatedApi()
    api.keeps_volumes = True
    found = ramp(api, goal=30, down_s=5.0)  # all else is gone by then on a busy machine, too
    assert found.ramp_down.cleanup_s is None and found.ramp_down.timeout_s == 5.0
    assert found.ramp_down.remaining[0] == "PV pv-volume-0-ramp-fast-0"
    assert found.ramp_down.remaining[-1] == "10 more" and len(found.ramp_down.remaining) == 21


def test_a_volume_that_was_there_before_is_left_alone() -> None:
    api = SimulatedApi()
    made = api.put

    def put(resource: Any, name: str, **fields: Any) -> None:
        made(resource, name, **fields)
        if resource is VOLUMES:
            api.objects["persistentvolumes"][name]["metadata"]["creationTimestamp"] = "2020-01-01T00:00:00Z"

    api.put = put  # type: ignore[method-assign]
    with pytest.raises(EnvironmentFailure, match=r"PVC volume-0-ramp-fast-0 was bound to PV pv-.*existed before"):
        ramp(api)


def test_an_image_that_cannot_be_pulled_ends_it_at_once() -> None:
    api = SimulatedApi()
    reason = {"reason": "ErrImagePull", "message": "no such image"}
    pending = {"phase": "Pending", "containerStatuses": [{"name": "load", "state": {"waiting": reason}}]}
    api.status = lambda number: pending
    with pytest.raises(EnvironmentFailure, match="image 'image:1' cannot be pulled on node None: no such image"):
        ramp(api)


def test_a_limit_of_cpu_that_the_cluster_gives_ends_it_at_once() -> None:
    """A probe that is throttled would be taken for a volume that does not answer."""
    api = SimulatedApi()
    api.cpu_limit = "10m"
    with pytest.raises(
        EnvironmentFailure, match=r"pod ramp-fast-\d+ was requested without a CPU limit, .* limit of 10m"
    ):
        ramp(api)


def test_nodes_that_cannot_hold_what_is_required_are_told_before_any_pod_is_made() -> None:
    api = SimulatedApi()
    with pytest.raises(EnvironmentFailure, match=r"2 nodes of the ramp hold 220 more pods .* the tier requires 300"):
        ramp(api, goal=300, required_pods=300)
    assert api.objects["statefulsets"] == {}


def test_what_others_have_in_the_namespace_is_no_part_of_it() -> None:
    api = SimulatedApi()
    api.put(CLAIMS, "volume-0-scale-fast-0", spec={"volumeName": "pv-other"}, status={"phase": "Bound"})
    api.put(PODS, "scale-fast-0", spec={"nodeName": "n0"}, status=running(), labels={})
    after(0.05, lambda: api.put(ATTACHMENTS, "other", spec=OTHER, status={"attached": True}))
    found = ramp(api, goal=6)
    assert (found.pods, found.volumes, len(found.starts)) == (6, 6, 6)
    assert found.ramp_down.cleanup_s is not None
    assert left(api) == ["scale-fast-0", "volume-0-scale-fast-0", "other"]


def test_pods_that_are_deleted_while_they_wait_are_waited_for_no_more() -> None:
    """One that waits is deleted and made anew by its set: it is another pod, and the old one is not slow."""
    api = SimulatedApi()
    api.status = lambda number: waiting() if number < 6 else running()

    def renew() -> None:
        api.status = lambda number: running()
        for number in range(6):
            api.remove(PODS, f"ramp-fast-{number}")
            api.make_pod("ramp-fast", number)

    when_running(api, 10, act=renew)
    found = ramp(api)
    assert (found.pods, found.ended.kind) == (40, "goal")


def test_a_ramp_that_finds_nothing_out_ends_in_time() -> None:
    began = time.monotonic()
    api = SimulatedApi()
    api.refuse = lambda number: "violates PodSecurity"
    found = ramp(api, goal=3, timeout_s=1.0)
    assert (found.pods, found.ended.kind) == (0, "stuck")
    assert "violates PodSecurity" in found.ended.reason
    assert time.monotonic() - began < 60

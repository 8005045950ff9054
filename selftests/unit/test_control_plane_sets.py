"""What a ramp makes: sets that scale at once, pods that are next to nothing, a probe that reads the volume itself."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any, cast

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.claims import Claim
from acceptance.cluster.stateful_sets import set_manifest
from acceptance.cluster.workspace import Workspace
from acceptance.trials.ramps.load import command, environment, probe
from acceptance.trials.ramps.sets import RampPlan, RampSets
from selftests.bounds import HANGS_S

TAINT = {"key": "dedicated", "value": "storage", "effect": "NoSchedule"}
SOFT = {"key": "soft", "effect": "PreferNoSchedule"}
CLAIM = Claim(name="like", namespace="ns", storage_class="fast", size=2**30, run_id="r")


def node(name: str, *, taints: Any = ()) -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": {"taints": list(taints)}}


def sets(*nodes: Any, **more: Any) -> RampSets:
    workspace = Workspace(api=cast(Api, None), run_id="r", namespace="ns", image="image:1", timeout_s=5)
    plan = {"storage_class": "fast", "goal": 60, "rate_per_s": 0.5, "volume_size": 2**30} | more
    return RampSets(workspace, RampPlan(**plan), nodes)


def manifest(found: RampSets, number: int = 0) -> dict[str, Any]:
    return set_manifest(found.plans[number])


def test_one_set_for_all_has_its_pods_in_order() -> None:
    found = sets(node("a"), node("b"))
    assert len(found.plans) == 1 and found.parts(7) == [7]
    assert [found.name(number) for number in range(2)] == ["ramp-fast-0", "ramp-fast-1"]
    spec = manifest(found)["spec"]
    assert spec["podManagementPolicy"] == "Parallel"
    (claim,) = spec["volumeClaimTemplates"]
    assert claim["spec"]["storageClassName"] == "fast"
    assert claim["spec"]["resources"]["requests"]["storage"] == str(2**30)


def test_one_set_for_each_node_keeps_its_pods_there() -> None:
    found = sets(node("a"), node("b"), node("c"), form="per-node")
    assert [each.nodes for each in found.plans] == [["a"], ["b"], ["c"]]
    assert [found.parts(pods) for pods in (0, 1, 5, 6)] == [[0, 0, 0], [1, 0, 0], [2, 2, 1], [2, 2, 2]]
    names = [found.name(number) for number in range(7)]
    assert len(set(names)) == 7
    for pods in range(8):
        asked = {
            f"{plan.name}-{k}" for plan, part in zip(found.plans, found.parts(pods), strict=True) for k in range(part)
        }
        assert asked == {found.name(number) for number in range(pods)}
    assert "affinity" in manifest(found)["spec"]["template"]["spec"]


def test_names_of_sets_leave_room_for_those_of_their_pods() -> None:
    found = sets(
        node("a"), form="per-node", storage_class="a-very-long-name-of-a-storage-class-that-somebody-has-given"
    )
    assert len(found.plans[0].name) <= 45


def test_chosen_nodes_are_used_whatever_their_taints_and_others_are_not() -> None:
    chosen = manifest(sets(node("a", taints=[TAINT, SOFT]), node_labels={"pool": "storage"}))
    pod = chosen["spec"]["template"]["spec"]
    assert pod["nodeSelector"] == {"kubernetes.io/os": "linux", "pool": "storage"}
    assert pod["tolerations"] == [{"key": "dedicated", "operator": "Equal", "value": "storage", "effect": "NoSchedule"}]
    free = manifest(sets(node("a")))["spec"]["template"]["spec"]
    assert free["nodeSelector"] == {"kubernetes.io/os": "linux"} and "tolerations" not in free


def test_a_full_node_does_not_keep_pods_from_others() -> None:
    pod = manifest(sets(node("a")))["spec"]["template"]["spec"]
    assert [spread_constraint["whenUnsatisfiable"] for spread_constraint in pod["topologySpreadConstraints"]] == [
        "ScheduleAnyway"
    ]


def test_the_probe_is_that_of_the_container() -> None:
    (container,) = manifest(sets(node("a")))["spec"]["template"]["spec"]["containers"]
    assert container["livenessProbe"] == probe(CLAIM)
    assert container["resources"]["requests"] == {"cpu": "10m", "memory": "16Mi"}


def block_claim() -> Claim:
    return Claim(name="like", namespace="ns", storage_class="fast", size=2**30, run_id="r", block=True)


@pytest.mark.parametrize("claim", [CLAIM, block_claim()], ids=["filesystem", "block"])
def test_the_script_writes_and_the_probe_reads_until_the_volume_fails(claim: Claim, tmp_path: Path) -> None:
    """Run for real, on a file: what the probe reads is gone, and it fails."""
    block = tmp_path / "block"
    block.touch()
    surroundings = os.environ | environment(claim) | {"FILE": str(block)}
    write = [*command(claim)[:2], command(claim)[2].partition("trap")[0]]
    assert subprocess.run(write, env=surroundings, check=False).returncode == 0
    assert block.stat().st_size == 4096
    read = probe(claim)["exec"]["command"]
    assert subprocess.run(read, env=surroundings, check=False, capture_output=True).returncode == 0
    block.unlink()
    assert subprocess.run(read, env=surroundings, check=False, capture_output=True).returncode != 0


def test_the_script_fails_where_nothing_can_be_written(tmp_path: Path) -> None:
    surroundings = os.environ | {"FILE": str(tmp_path / "no" / "such")}
    assert (
        subprocess.run(command(CLAIM), env=surroundings, check=False, timeout=HANGS_S, capture_output=True).returncode
        == 1
    )

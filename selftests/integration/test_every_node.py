"""Volumes on every node, through the suite's own command line: on good storage, on storage that one node has no path
to, and on a driver that mounts nothing."""

from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from embedded_cluster import EmbeddedCluster
from embedded_cluster.csi.part import CLASS
from selftests.integration.suite import left_behind, run_suite
from selftests.lab.csi_classes import class_of, class_of_a_node, faulty_classes

FILES = ("tests/test_every_node.py",)
LIMITS = """
version: 1
tiers:
  baseline:
    every_node:
      ready: {at_most: 10min, because: a rollout waits for the slowest node}
"""
FAULTS = {
    "mounts-nothing": "wrote to the disk of the kubelet: the volume was not mounted",
    "one-node-refuses": "1 of 3 nodes could not use a volume",
}


def test_every_node_of_good_storage_uses_a_volume(api: Api, tmp_path: Path, reports: Path) -> None:
    (limits := tmp_path / "limits.yaml").write_text(LIMITS)
    classes = ("--storage-class", "replicated", "--storage-class", "local-path")
    run = run_suite(*FILES, *classes, f"--storage-thresholds={limits}", reports=reports)
    assert run.status == 0, run.output
    for record in run.results["figures"]:
        assert [row["Problem"] for row in record["rows"]] == [""] * 3
        assert record["figures"][0]["value"] > 0
    assert len(run.results["figures"]) == 2
    assert left_behind(api) == []


@pytest.mark.full
def test_a_node_that_cannot_use_the_storage_is_named(cluster: EmbeddedCluster, api: Api, reports: Path) -> None:
    classes = [f"--storage-class={name}" for name in (CLASS, *map(class_of, FAULTS))]
    with faulty_classes(api, list(FAULTS)):
        run = run_suite(*FILES, *classes, "--storage-timeout=60s", "-k", "uses_a_volume", reports=reports)
    found = {each["storage_class"]: each for each in run.results["verdicts"]}
    assert found[CLASS]["status"] == "pass", found[CLASS]["reason"]
    for fault, said in FAULTS.items():
        verdict = found[class_of(fault)]
        assert verdict["status"] == "fail" and said in verdict["reason"], verdict["reason"]
    assert f"{cluster.name}-node-2: " in found[class_of("one-node-refuses")]["reason"]
    assert left_behind(api) == []


@pytest.mark.full
@pytest.mark.parametrize("binding", ["Immediate", "WaitForFirstConsumer"])
def test_nodes_that_the_class_excludes_are_left_out(
    binding: str, cluster: EmbeddedCluster, api: Api, reports: Path
) -> None:
    with class_of_a_node(api, f"{cluster.name}-node-1", binding=binding) as name:
        run = run_suite(*FILES, f"--storage-class={name}", "-k", "uses_a_volume", reports=reports)
    assert run.verdict("uses_a_volume")["status"] == "pass", run.output
    (record,) = run.results["figures"]
    problems = {row["Node"]: row["Problem"] for row in record["rows"]}
    assert problems.pop(f"{cluster.name}-node-1") == ""
    assert set(problems.values()) == {"not visited: allowedTopologies of the class exclude it"}
    assert left_behind(api) == []

"""Drains through the suite's own command line: a volume that moves in order, and ones that lose records or stay."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.resources import ATTACHMENTS, CLAIMS, NODES, PODS, Object
from acceptance.cluster.waiting import wait_for
from acceptance.trials.crashes.acknowledged_records import record
from selftests.bounds import HANGS_S
from selftests.integration.suite import SuiteRun, own, run_suite
from selftests.lab.background import in_background
from selftests.lab.provisioner import LabClass, lab_classes

DRAIN = ("tests/test_drain.py", "--storage-durability-time", "2s")
LAB = "lab-drained"
ATTACHED = "lab-stays-attached"
KEPT = 10


@pytest.fixture(scope="module")
def passed(api: Api, tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    """A class that moves, and one whose volumes stay on their node."""
    classes = ("--storage-class=replicated", "--storage-class=local-path")
    return run_suite(*DRAIN, *classes, reports=tmp_path_factory.mktemp("drained") / "reports")


def verdict(run: SuiteRun, part: str, storage_class: str) -> Any:
    """The verdict of that test on that class."""
    (found,) = [
        each for each in run.results["verdicts"] if part in each["test"] and each["storage_class"] == storage_class
    ]
    return found


def test_a_drain_is_timed_in_phases_and_all_records_are_there(passed: SuiteRun) -> None:
    assert passed.status == 0, passed.output
    (drain,) = passed.results["failovers"]
    assert (drain["storage_class"], drain["failure"]) == ("replicated", "drained")
    phases = {phase["name"]: phase["seconds"] for phase in drain["phases"]}
    assert [*list(phases)[:2], list(phases)[-1]] == ["pod ended", "pod taken off it", "first durable write"]
    # It ends when it is told to, not 30 s later by force.
    assert phases["pod ended"] < 30
    assert drain["failed_node"] != drain["node"] and drain["stayed"] is None
    timed = verdict(passed, "in_time", "replicated")
    assert timed["status"] == "pass" and timed["measured"] == pytest.approx(sum(phases.values()))
    (crash,) = passed.results["durability"]
    assert crash["failure"] == "drained" and crash["acknowledged"] >= 20 and crash["lost"] == []


def test_what_cannot_be_drained_or_seen_is_skipped_for_its_reason(passed: SuiteRun) -> None:
    bound = verdict(passed, "in_time", "local-path")
    assert bound["status"] == "skipped" and "capability 'another node'" in bound["reason"]
    unseen = verdict(passed, "is_detached", "replicated")
    assert unseen["status"] == "skipped" and "capability 'attachments'" in unseen["reason"]


def test_no_node_is_cordoned_or_tainted(passed: SuiteRun, api: Api) -> None:
    wait_for(
        "no node to be cordoned or tainted",  # Kubernetes itself taints one whose kubelet says nothing for a while
        look=lambda: [each for each in api.list(NODES) if {"unschedulable", "taints"} & set(each["spec"])],
        ready=lambda seen: not seen,
        state=lambda seen: str([each["spec"] for each in seen]),
        timeout_s=HANGS_S,
    )
    html = (passed.folder / "latest" / "report.html").read_text()
    assert "Drain of replicated: " in html
    assert "storage_acceptance_drain_seconds{" in (passed.folder / "latest" / "metrics.prom").read_text()


@contextmanager
def spoiled(api: Api, folder: Path) -> Iterator[None]:
    """While the block runs: an attachment to the writer's node that stays until its claim goes, and records that are
    cut off, one of them altered, when the writer is told to end."""

    def look() -> None:
        writers = [each for each in own(api, PODS) if each["metadata"]["name"].endswith("writer")]
        for claim in own(api, CLAIMS):
            _attach(api, claim, writers)
        for writer in writers:
            if writer["metadata"].get("deletionTimestamp"):
                for records in folder.glob("*/records"):
                    kept = bytearray(records.read_bytes()[: KEPT * len(record(1, token="0" * 16))])
                    kept[150:151] = b"#"
                    records.write_bytes(kept)

    def keep_looking(ended: threading.Event) -> None:
        while not ended.wait(0.1):
            look()

    try:
        with in_background(keep_looking):
            yield
    finally:
        api.delete(ATTACHMENTS, ATTACHED)


def _attach(api: Api, claim: Object, writers: list[Object]) -> None:
    if claim["metadata"].get("deletionTimestamp"):
        api.delete(ATTACHMENTS, ATTACHED)
        return
    node = next((writer["spec"]["nodeName"] for writer in writers if writer["spec"].get("nodeName")), None)
    volume = claim["spec"].get("volumeName")
    if node and volume and api.find(ATTACHMENTS, ATTACHED) is None:
        source = {"persistentVolumeName": volume}
        spec = {"attacher": "lab.storage-acceptance", "nodeName": node, "source": source}
        api.create(ATTACHMENTS, {"metadata": {"name": ATTACHED}, "spec": spec})


@pytest.mark.full
def test_lost_records_and_what_stays_attached_fail_each_for_its_reason(
    api: Api, lab_folder: Path, reports: Path, tmp_path: Path
) -> None:
    limits = tmp_path / "limits.yaml"
    time = "{at_most: 10ms, because: the test wants it so}"
    limits.write_text(
        f"version: 1\ntiers:\n  baseline:\n    description: for a test\n    failover: {{drain_time: {time}}}\n"
    )
    folder = lab_folder / "drained"
    folder.mkdir()
    folder.chmod(0o777)
    options = [f"--storage-class={LAB}", f"--storage-thresholds={limits}", "--storage-timeout=20s"]
    with lab_classes(api, [LabClass(name=LAB, folder=folder)]), spoiled(api, folder):
        run = run_suite(*DRAIN, *options, reports=reports)
    assert run.status == 1, run.output
    timed = verdict(run, "in_time", LAB)
    assert timed["status"] == "fail" and "10 ms (reason for the limit: the test wants it so)" in timed["reason"]
    lost = verdict(run, "records", LAB)
    assert lost["status"] == "fail" and f": 2, {KEPT + 1} to " in lost["reason"]
    assert "after the pod was evicted and the volume moved" in lost["reason"]
    stayed = verdict(run, "detached", LAB)
    assert stayed["status"] == "fail" and f"there was VolumeAttachment {ATTACHED};" in stayed["reason"]
    (drain,) = run.results["failovers"]
    assert drain["stayed"] == [f"VolumeAttachment {ATTACHED}"]

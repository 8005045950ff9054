"""Many volumes at once, through the suite's own command line: good storage passes, each limit is seen to fail for the
right reason, and whatever goes wrong in one pod is told by its name and leaves nothing behind."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.objects import RUN_LABEL
from acceptance.cluster.pod_manifest import MAIN
from acceptance.cluster.resources import PODS, Object
from acceptance.cluster.waiting import wait_for
from acceptance.measuring.load_log import MARK
from acceptance.trials.scaling.load_plan import STEP
from embedded_cluster import EmbeddedCluster
from selftests.bounds import HANGS_S
from selftests.integration.suite import ROOT, SuiteRun, finish, own, run_suite, started_suite
from selftests.lab.disks import memory_disk, nbdkit_disk
from selftests.lab.provisioner import LabClass, lab_classes

PROFILE = "random-write-iops"
SHORT = ("-m", "scale", "--storage-scale-window", "6s")
# In bits a second: a disk at full speed; one that serves one volume well, and without taking a processor; and one that
# has broken down under two.
UNHELD, ONE_VOLUME, TWO_VOLUMES = "10G", "80M", "8M"
# Of a load, and longer than what is left of it after its window, within a second.
AFTER_WINDOW_S = 3
LAX = """
        total_at_last_step: {at_least: 5%, because: the test wants it so}
        latency_growth: {metric: write.latency.mean, at_most: 1000 times, because: the test wants it so}
"""
STRICT = """
        per_volume: [{pods: 2, at_least: 100000000, because: each must be faster than light}]
        latency_growth: {metric: write.latency.mean, at_most: 1%, because: it must shrink}
        rate_limited: {of_capacity: 50%, at_least: 98%, because: one starves the others}
        node_scaling: {at_least: 100000%, because: nodes must work wonders}
"""


def limits(folder: Path, section: str = LAX) -> str:
    """The option for a limits file with scaling limits alone."""
    path = folder / "limits.yaml"
    path.write_text(
        "version: 1\ntiers:\n  baseline:\n    description: for a test of the suite\n    scaling:\n"
        f"      {PROFILE}:\n        metric: write.iops\n{section}"
    )
    return f"--storage-thresholds={path}"


@pytest.fixture(scope="module")
def passed(api: Api, tmp_path_factory: pytest.TempPathFactory) -> SuiteRun:
    """A small scale run of the replicated class, with a limit of each kind that this machine meets."""
    folder = tmp_path_factory.mktemp("scale")
    section = LAX + (
        "        per_volume: [{pods: 3, at_least: 5, because: the test wants it so}]\n"
        "        rate_limited: {of_capacity: 20%, at_least: 60%, because: the test wants it so}\n"
    )
    options = ["--storage-scale-steps", "1,3", "--storage-scale-rate-pods", "4", limits(folder, section)]
    return run_suite("--storage-class", "replicated", *SHORT, *options, reports=folder / "reports")


@pytest.mark.full
def test_good_storage_passes(passed: SuiteRun) -> None:
    assert passed.status == 0, passed.output
    judged = [verdict for verdict in passed.results["verdicts"] if verdict["status"] != "skipped"]
    assert {each["requirement"]["rule"] for each in judged} == {
        "total_at_last_step",
        "latency_growth",
        "per_volume_at_3",
        "rate_limited",
    }
    assert {each["status"] for each in judged} == {"pass"}


@pytest.mark.full
def test_every_step_has_a_common_window_on_evenly_loaded_nodes(passed: SuiteRun) -> None:
    (record,) = passed.results["scaling"]
    assert [step["pods"] for step in record["steps"]] == [1, 3]
    for step in record["steps"]:
        assert step["window_s"] == pytest.approx(6)
        assert len(step["volumes"]) == step["pods"]
        assert step["total"]["mean"] == pytest.approx(sum(volume["rate"] for volume in step["volumes"]), rel=0.2)
        assert step["total"]["low"] <= step["total"]["mean"] <= step["total"]["high"]
        assert all(volume["latency_p99_s"] > 0 for volume in step["volumes"])
    assert len({volume["node"] for volume in record["steps"][1]["volumes"]}) == 3
    assert record["rate_limited"]["pods"] == 4


@pytest.mark.full
def test_what_every_fio_printed_is_kept(passed: SuiteRun) -> None:
    kept = list((passed.folder / "latest" / "fio").glob(f"{PROFILE}-scale-replicated-3-*.json"))
    assert len(kept) == 3
    assert all('"jobname" : "random-write-iops"' in path.read_text() for path in kept)


@pytest.mark.full
def test_every_limit_fails_for_its_reason(clean: Api, reports: Path, tmp_path: Path) -> None:
    options = ["--storage-scale-steps", "1,2", "--storage-scale-rate-pods", "2", "--storage-scale-rate", "10000000"]
    run = run_suite("--storage-class", "local-path", *SHORT, *options, limits(tmp_path, STRICT), reports=reports)
    assert run.status == 1, run.output
    found = {
        verdict["requirement"]["rule"]: verdict for verdict in run.results["verdicts"] if verdict["status"] != "skipped"
    }
    assert {rule: each["status"] for rule, each in found.items()} == {
        "per_volume_at_2": "fail",
        "latency_growth": "fail",
        "rate_limited": "fail",
        "node_scaling": "fail",
    }
    assert "each must be faster than light" in found["per_volume_at_2"]["reason"]
    assert "it must shrink" in found["latency_growth"]["reason"]
    assert "the total rate exceeds what the storage can do" in found["rate_limited"]["reason"]
    assert re.search(r"total on 2 nodes .* as a multiple of that on 1", found["node_scaling"]["reason"])


@pytest.fixture
def collapsing(api: Api, lab_folder: Path) -> Iterator[Path]:
    """A class on a disk whose bandwidth follows a file, in bits a second."""
    speed = lab_folder / "speed"
    speed.write_text("0")
    with ExitStack() as undo:
        parameters = [f"rate={UNHELD}", f"rate-file={speed}"]
        disk = undo.enter_context(
            nbdkit_disk(lab_folder / "collapsing", filters=["rate"], parameters=parameters, size="300M")
        )
        speed.write_text(UNHELD)
        undo.enter_context(lab_classes(api, [LabClass(name="lab-collapses", folder=disk)]))
        yield speed


def test_total_that_breaks_down_with_more_volumes_fails(
    collapsing: Path, clean: Api, reports: Path, tmp_path: Path
) -> None:
    section = "        total_at_last_step: {at_least: 60%, because: it breaks down under many}\n"
    # A window of which most is there when a busy machine is some seconds late.
    options = ["--storage-scale-steps", "1,2", "--storage-scale-window", "12s", limits(tmp_path, section)]
    with started_suite("--storage-class", "lab-collapses", *SHORT, *options, reports=reports) as process:
        while process.poll() is None:
            annotations = [each["metadata"].get("annotations") or {} for each in own(clean, PODS)]
            told = [annotation[STEP].split() for annotation in annotations if STEP in annotation]
            collapsing.write_text(speed_for(told) if told else UNHELD)
            time.sleep(0.2)
        run = finish(process, reports=reports)
    collapsing.write_text(UNHELD)
    assert run.status == 1, run.output
    verdict = run.verdict("total_speed_holds_with_many_volumes")
    assert verdict["status"] == "fail" and verdict["high"] < 0.6
    assert "total of 2 volumes" in verdict["reason"] and "it breaks down under many" in verdict["reason"]


def speed_for(told: Sequence[Sequence[str]]) -> str:
    """The speed of the disk while its volumes are told to load it so: number, job, seconds, begin, rate.

    It is slow once the window of one volume is over, and not only when that of two begins: a busy machine has seconds
    to see that. A step of one volume may come again after that of two.
    """
    number, _, seconds, begin, _ = max(told, key=lambda each: int(each[0]))
    alone = [each[0] for each in told].count(number) == 1
    window_is_over = time.time() > int(begin) + int(seconds.removesuffix("s")) - AFTER_WINDOW_S
    return ONE_VOLUME if alone and not window_is_over else TWO_VOLUMES


def test_nodes_that_cannot_hold_the_pods_are_told_before_any_is_made(clean: Api, reports: Path, tmp_path: Path) -> None:
    options = ["--storage-scale-steps", "1,900", "--storage-claim-at-most=1Ti", limits(tmp_path)]
    run = run_suite("--storage-class", "replicated", *SHORT, *options, reports=reports)
    assert run.status == 10, run.output
    assert re.search(r"900 pods do not fit on 3 nodes .* lacks (cpu|memory|pods): 300 pods", run.output)
    assert not list((run.folder / "latest" / "fio").glob("*.json"))


@pytest.mark.full
def test_one_fio_that_dies_ends_the_step_naming_its_pod(clean: Api, reports: Path, tmp_path: Path) -> None:
    with loading(reports, tmp_path) as process:
        pods = wait_for_pods(clean, 2, opened="2 ")
        for fio in _processes(pods[1], "fio"):
            with suppress(ProcessLookupError):  # with the first of them the other one may go, too
                os.kill(fio, signal.SIGKILL)
        run = finish(process, reports=reports)
    assert run.status == 10, run.output
    assert (
        f"pod {pods[1]['metadata']['name']} on StorageClass local-path failed in step 2: fio was killed" in run.output
    )
    (kept,) = run.results["scaling"]
    assert [step["pods"] for step in kept["steps"]] == [1]
    assert "fio was killed" in kept["incomplete"]


@pytest.mark.full
def test_a_pod_that_never_joins_the_barrier_is_named(clean: Api, reports: Path, tmp_path: Path) -> None:
    """The shell of the second pod is stopped as soon as it is ready."""
    with loading(reports, tmp_path) as process:
        pods = wait_for_pods(clean, 2)
        name, namespace = pods[1]["metadata"]["name"], pods[1]["metadata"]["namespace"]
        wait_for(
            f"{name} to be ready",
            look=lambda: clean.log(name, namespace=namespace, container=MAIN),
            ready=lambda printed: f"{MARK} clock" in printed,
            state=lambda printed: f"{len(printed)} characters printed",
            timeout_s=HANGS_S,
        )
        for shell in _processes(pods[1], "sh"):
            os.kill(shell, signal.SIGSTOP)
        run = finish(process, reports=reports)
    assert run.status == 10, run.output
    late, early = pods[1]["metadata"]["name"], pods[0]["metadata"]["name"]
    told = re.search(r"waited \d+ s .* to (?:join the start barrier of|begin) step 2 .* not yet: (.*)", run.output)
    assert told and late in told[1] and f"{early}:" not in told[1]


@pytest.mark.full
def test_a_volume_that_is_too_small_is_told_before_load(
    api: Api, clean: Api, lab_folder: Path, reports: Path, tmp_path: Path
) -> None:
    with ExitStack() as undo:
        small = undo.enter_context(memory_disk(lab_folder / "scale-small", size="32M"))
        undo.enter_context(lab_classes(api, [LabClass(name="lab-small-scale", folder=small)]))
        options = ["--storage-scale-steps", "1,2", limits(tmp_path)]
        run = run_suite("--storage-class", "lab-small-scale", *SHORT, *options, reports=reports)
    assert run.status == 1, run.output
    assert re.search(
        r"pod scale-lab-small-scale-[01]", run.verdict("total_speed_holds_with_many_volumes")["reason"]
    )  # both begin at once
    assert "too little space for test files" in run.verdict("total_speed_holds_with_many_volumes")["reason"]


@pytest.mark.full
def test_an_interrupted_run_leaves_nothing_behind(clean: Api, reports: Path, tmp_path: Path) -> None:
    """The set would make its pods anew if they were removed before it; `clean` looks."""
    with loading(reports, tmp_path) as process:
        wait_for_pods(clean, 2)
        process.send_signal(signal.SIGINT)
        run = finish(process, reports=reports)
    assert run.status == 2, run.output


@pytest.mark.full
def test_a_killed_run_is_removed_with_its_set(
    cluster: EmbeddedCluster, clean: Api, reports: Path, tmp_path: Path
) -> None:
    with loading(reports, tmp_path) as process:
        pods = wait_for_pods(clean, 1)
        process.kill()
        process.wait()
    run_id = pods[0]["metadata"]["labels"][RUN_LABEL]
    words = [sys.executable, "-m", "acceptance", "cleanup", f"--kubeconfig={cluster.kubeconfig}", "--run", run_id]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "StatefulSet scale-local-path" in done.stdout


def test_wrong_options_are_told_all_at_once(reports: Path) -> None:
    wrong = {
        "--storage-scale-steps=3,1": "expected rising numbers of volumes such as 1,3,6, found '3,1'",
        "--storage-scale-window=1s": "expected a window of 4 s",
        "--storage-scale-rate=fast": "expected a rate of each volume such as 200 or 10MiB/s",
    }
    run = run_suite(*wrong, "-m", "scale", reports=reports)
    assert run.status == 4, run.output
    assert [said for said in wrong.values() if said not in run.output] == []


def test_an_unknown_profile_is_told(reports: Path) -> None:
    run = run_suite("--storage-scale-profiles=no-such", "-m", "scale", reports=reports)
    assert run.status == 4, run.output
    assert "expected fio profiles that exist" in run.output


def loading(reports: Path, folder: Path) -> Any:
    """A run of two volumes of local-path that goes on."""
    options = ["--storage-scale-steps", "1,2", limits(folder)]
    return started_suite("--storage-class", "local-path", *SHORT, *options, reports=reports)


def wait_for_pods(api: Api, count: int, *, opened: str = "") -> list[Object]:
    """Wait until so many load pods run, and with `opened` until their gates show that and fio runs."""

    def look() -> list[Object]:
        pods = [pod for pod in own(api, PODS) if pod["status"]["phase"] == "Running"]
        if opened:
            pods = [pod for pod in pods if (pod["metadata"].get("annotations") or {}).get(STEP, "").startswith(opened)]
            pods = [pod for pod in pods if _processes(pod, "fio")]
        return sorted(pods, key=lambda pod: str(pod["metadata"]["name"]))

    return wait_for(
        f"{count} load pods to run",
        look=look,
        ready=lambda seen: len(seen) >= count,
        state=lambda seen: f"{len(seen)} pods",
        timeout_s=HANGS_S,
    )


def _processes(pod: Object, name: str) -> list[int]:
    """The processes of that name of this very pod, found by its control group."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            ours = f"pod{pod['metadata']['uid']}" in (process / "cgroup").read_text()
            if ours and (process / "comm").read_text().strip() == name:
                found.append(int(process.name))
        except OSError:
            continue
    return found

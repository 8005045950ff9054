"""A run that is interrupted, or killed, leaves nothing that cannot be found and removed."""

import contextlib
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import embedded_cluster
from acceptance.__main__ import main
from acceptance.cluster.api import Api
from acceptance.cluster.resources import CLAIMS, JOBS, PODS, STATEFUL_SETS
from acceptance.cluster.waiting import wait_for
from acceptance.commands import cleanup as cleanup_command
from acceptance.process.private_folder import PREFIX
from selftests.bounds import HANGS_S
from selftests.integration.held_loads import held_profiles
from selftests.integration.suite import (
    ROOT,
    finish,
    left_behind,
    own,
    run_in,
    run_suite,
    started_suite,
    suite_command,
    suite_environment,
    wait_for_load,
)
from selftests.lab.provisioner import FINALIZER, LabClass, lab_classes, let_go

LOAD = ("--storage-class", "local-path", "-m", "data_plane", "-k", "sync-write")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_in_mid_measurement_leaves_nothing(number: signal.Signals, clean: Api, reports: Path) -> None:
    with started_suite(*LOAD, reports=reports) as process:
        wait_for_load(clean)
        process.send_signal(number)
        run = finish(process, reports=reports)
    assert run.status == 2, run.output
    ended = run.results["run"]
    assert (ended["exit_status"], ended["complete"]) == (2, False)
    assert run.results["overall"] == "inconclusive"


def test_second_signal_does_not_cut_the_cleaning_short(clean: Api, reports: Path) -> None:
    with started_suite(*LOAD, reports=reports) as process:
        wait_for_load(clean)
        process.send_signal(signal.SIGINT)
        for _ in range(10):
            process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=0.3)
        run = finish(process, reports=reports)
    assert run.status == 2, run.output
    assert "please wait" in run.output


def cleanup(cluster: embedded_cluster.EmbeddedCluster, *options: str) -> subprocess.CompletedProcess[str]:
    """It has longer than it waits for each of several things: one that is killed on the way leaves them."""
    command = [sys.executable, "-m", "acceptance", "cleanup", "--kubeconfig", str(cluster.kubeconfig), *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900, check=False)


def test_what_a_killed_run_leaves_is_listed_and_removed(
    cluster: embedded_cluster.EmbeddedCluster,
    clean: Api,
    reports: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    # Its load goes on until it is removed.
    with started_suite(*LOAD, held_profiles(tmp_path, "sync-write-iops", rate=200), reports=reports) as process:
        wait_for_load(clean)
        process.kill()
        process.wait()
    (private,) = temporary.iterdir()  # its copy of the kubeconfig, and no key beside it
    assert private.name.startswith(PREFIX) and private.stat().st_mode & 0o777 == 0o700
    (namespace,) = [name for name in left_behind(clean) if name.startswith("storage-acceptance-")]
    run_id = namespace.removeprefix("storage-acceptance-")

    spared = cleanup(cluster)
    assert f"run {run_id} is alive: not removed" in spared.stdout
    assert list(temporary.iterdir()) == []
    assert namespace in left_behind(clean)

    removed = cleanup(cluster, "--run", run_id)
    assert removed.returncode == 0, removed.stderr
    for kind in ("pod sync-write-iops", "PVC load-local-path", "PV pvc-"):
        assert kind in removed.stdout
    assert run_id not in cleanup(cluster, "--list").stdout


def test_what_is_provisioned_after_a_run_was_killed_is_removed_too(
    cluster: embedded_cluster.EmbeddedCluster, lab_folder: Path, clean: Api, reports: Path
) -> None:
    """Killed between its claim and the volume, which comes when nobody waits for it any more."""
    with lab_classes(clean, [LabClass(name="lab-after-the-run", folder=lab_folder, binds_after_s=3)]):
        options = ["--storage-class", "lab-after-the-run", "-k", "takes_a_write"]
        with started_suite(*options, reports=reports) as process:
            wait_for("a claim", look=lambda: own(clean, CLAIMS), ready=bool, state=str, timeout_s=HANGS_S)
            process.kill()
            process.wait()
        run_id = run_in(reports)
        done = cleanup(cluster, "--run", run_id)
        assert done.returncode == 0, done.stdout + done.stderr
        assert left_behind(clean) == []


def test_what_cannot_be_removed_keeps_no_night_from_its_run(
    cluster: embedded_cluster.EmbeddedCluster,
    lab_folder: Path,
    clean: Api,
    reports: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A claim that somebody holds: the job that begins with `cleanup --warn-only` is told, and goes on."""
    monkeypatch.setattr(cleanup_command, "REMOVAL_TIMEOUT_S", 3.0)
    words = ["cleanup", "--kubeconfig", str(cluster.kubeconfig), "--run"]
    with lab_classes(clean, [LabClass(name="lab-held-by-somebody", folder=lab_folder, holds="claim")]):
        with started_suite(
            "--storage-class", "lab-held-by-somebody", "-k", "takes_a_write", reports=reports
        ) as process:
            # Not before: one that is deleted can be held no more.
            wait_for(
                "a claim that somebody holds",
                look=lambda: [each["metadata"].get("finalizers") or [] for each in own(clean, CLAIMS)],
                ready=lambda seen: any(FINALIZER in each for each in seen),
                state=str,
                timeout_s=HANGS_S,
            )
            process.kill()
            process.wait()
        words.append(run_in(reports))
        for more, status in ((), 1), (("--warn-only",), 0):
            assert main([*words, *more]) == status
            assert re.search(r"left behind in the cluster:.*PVCs? .*finalizer", capsys.readouterr().err, re.DOTALL)
        let_go(clean, {"lab-held-by-somebody"})
        monkeypatch.undo()
        assert main(words) == 0


def test_sets_of_a_killed_run_end_by_themselves(
    cluster: embedded_cluster.EmbeddedCluster, clean: Api, reports: Path
) -> None:
    """Half an hour later: here the deadline comes, which a living run puts off."""
    with started_suite("-m", "scale", "--storage-class=local-path", reports=reports) as process:
        wait_for_load(clean, profile="scale")
        process.kill()
        process.wait()
    (job,) = own(clean, JOBS)
    namespace = job["metadata"]["namespace"]
    clean.patch(JOBS, job["metadata"]["name"], {"spec": {"activeDeadlineSeconds": 1}}, namespace=namespace)
    wait_for(
        "Kubernetes to remove the Job, the set and its pods",
        look=lambda: [each["metadata"]["name"] for kind in (JOBS, STATEFUL_SETS, PODS) for each in own(clean, kind)],
        ready=lambda seen: not seen,
        state=str,
        timeout_s=HANGS_S,
    )
    assert own(clean, CLAIMS) != []
    removed = cleanup(cluster, "--run", namespace.removeprefix("storage-acceptance-"))
    assert removed.returncode == 0, removed.stderr


def test_kept_when_asked_and_failed(cluster: embedded_cluster.EmbeddedCluster, clean: Api, reports: Path) -> None:
    options = ["--storage-class", "local-path", "--storage-timeout", "60s", "--storage-keep"]
    image = ["--storage-image", "127.0.0.1:9/no/such:image"]
    run = run_suite(*options, *image, "-k", "takes_a_write", reports=reports)
    assert run.status == 10, run.output
    assert "kept as requested: run" in run.output
    run_id = run.results["run"]["id"]
    assert f"storage-acceptance-{run_id}" in left_behind(clean)
    assert cleanup(cluster, "--run", run_id).returncode == 0


@pytest.mark.full
def test_progress_is_one_line_on_a_terminal(clean: Api, reports: Path) -> None:
    """On a terminal the line is written over and over; the verdicts stay readable."""
    ours, theirs = pty.openpty()
    command = suite_command(*LOAD, reports=reports)
    process = subprocess.Popen(command, cwd=ROOT, env=suite_environment(), stdin=theirs, stdout=theirs, stderr=theirs)
    try:
        os.close(theirs)
        wait_for_load(clean)
        shown, told = b"", re.compile(rb"\rsync-write-iops on local-path \(candidate\): loaded \d+ s \(at most 60 s\)")
        while not told.search(shown):
            shown += os.read(ours, 4096)
        process.send_signal(signal.SIGTERM)
        while process.poll() is None:
            try:
                shown += os.read(ours, 4096)
            except OSError:
                break
        assert process.wait(timeout=120) == 2, shown.decode(errors="replace")
    finally:
        process.kill()
        process.wait()
        os.close(ours)

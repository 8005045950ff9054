"""What the integration tests look through may be taken away while they look, and be others'; and runs that they do not
wait for are ended in order."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.objects import new_run_id, run_namespace
from acceptance.cluster.resources import ATTACHMENTS, CLAIMS, NAMESPACES, PODS, VOLUMES
from acceptance.cluster.waiting import wait_for
from selftests.bounds import HANGS_S
from selftests.integration import remains, suite
from selftests.integration.remains import files_below, objects, open_files, processes_of
from selftests.integration.suite import ROOT, run_suite, runs_of_others, started_suite, suite_environment
from selftests.unit.simulated_api import SimulatedApi


def test_a_folder_that_goes_while_files_are_looked_for_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("going", "going/deep", "staying"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "file").touch()
    look = os.scandir

    def take_away(path: Any) -> Iterator[os.DirEntry[str]]:
        if Path(path).name == "going":
            Path(path).rename(tmp_path.with_name("elsewhere"))
        return look(path)

    monkeypatch.setattr(os, "scandir", take_away)
    assert files_below(tmp_path, "*ing/file") == [tmp_path / "staying" / "file"]
    assert not (tmp_path / "going").exists()


def test_a_process_that_has_ended_has_nothing_open() -> None:
    with open(__file__) as held:
        assert Path(__file__) in open_files(os.getpid())
    assert Path(held.name) not in open_files(os.getpid())
    assert open_files(2**22 + 1) == []


def test_a_process_that_ends_while_one_looks_is_not_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether its parent waits for it at once or, as here, not yet."""
    words = [sys.executable, "-c", "import time; time.sleep(600)", "storage-acceptance/nobodys/"]
    with subprocess.Popen(words) as process:
        try:
            wait_for("its words", look=lambda: processes_of("nobodys"), ready=bool, state=repr, timeout_s=HANGS_S)
            assert processes_of("nobodys") == {process.pid}
        finally:
            process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        monkeypatch.setattr(remains, "mentioning", lambda traces: {process.pid})
        assert processes_of("nobodys") == set()


# Other sessions of tests


@contextmanager
def run_of_another_session(folder: Path) -> Iterator[str]:
    """The id of a run that goes on, of which this process knows nothing; here only its command line and its folder."""
    run_id = new_run_id(datetime.now(UTC))
    (folder / run_id).mkdir(parents=True)
    words = [sys.executable, "-c", "import time; time.sleep(600)", f"--storage-report={folder}"]
    process = subprocess.Popen(words, cwd=ROOT, env=suite_environment())
    try:
        # The kernel lets the parent go on before the new program's words can be read.
        wait_for(
            "the words of a program",
            look=Path(f"/proc/{process.pid}/cmdline").read_bytes,
            ready=lambda seen: b"--storage-report=" in seen,
            state=repr,
            timeout_s=HANGS_S,
        )
        yield run_id
    finally:
        process.kill()
        process.wait()


def made_by(api: SimulatedApi, run_id: str) -> set[str]:
    """One object of each kind that a run makes, by kind and name."""
    space, volume = run_namespace(run_id), f"pvc-{run_id}"
    api.create(NAMESPACES, {"metadata": {"name": space}})
    for resource in (PODS, CLAIMS):
        api.create(resource, {"metadata": {"name": f"load-{run_id}", "namespace": space}})
    api.create(VOLUMES, {"metadata": {"name": volume}, "spec": {"claimRef": {"namespace": space, "name": "load"}}})
    source = {"source": {"persistentVolumeName": volume}}
    api.create(ATTACHMENTS, {"metadata": {"name": f"csi-{run_id}"}, "spec": source})
    return {
        f"namespace {space}",
        f"pod {space}/load-{run_id}",
        f"claim {space}/load-{run_id}",
        f"volume {volume}",
        f"attachment csi-{run_id}",
    }


def test_what_a_run_of_another_session_has_is_not_left_behind_while_it_goes_on(tmp_path: Path) -> None:
    api = SimulatedApi({})
    own = made_by(api, new_run_id(datetime.now(UTC)))
    with run_of_another_session(tmp_path / "elsewhere") as run_id:
        assert runs_of_others() >= {run_id}
        others = made_by(api, run_id)
        assert objects(cast("Api", api)) == own
    assert run_id not in runs_of_others()
    assert objects(cast("Api", api)) == own | others


def test_pods_of_the_clusters_parts_that_were_made_anew_are_not_left_behind() -> None:
    """Another namespace that is there is, though it be called so: the lab's own Longhorn makes one."""
    api = SimulatedApi({})
    api.create(NAMESPACES, {"metadata": {"name": "longhorn-system"}})
    for name, space in (("csi-resizer-1", "longhorn-system"), ("coredns-1", "kube-system"), ("mine", "mine")):
        api.create(PODS, {"metadata": {"name": name, "namespace": space}})
    assert objects(cast("Api", api)) == {"namespace longhorn-system", "pod mine/mine"}


# Runs that nobody waits for

# Ends as a run does, in order, when it is told to; says so in a file.
ENDS = """
import signal, sys, time
from pathlib import Path

def interrupt(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGTERM, interrupt)
try:
    Path(sys.argv[1], "began").touch()
    print("x" * 100_000, flush=True)  # more than a pipe holds
    time.sleep(600)
except KeyboardInterrupt:
    time.sleep(0.5)
    Path(sys.argv[1], "ended").touch()
"""


@pytest.mark.parametrize("hangs", [False, True])
def test_a_run_that_a_failed_test_leaves_is_ended_in_order_and_by_force_where_it_hangs(
    hangs: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = (
        ENDS.replace("except KeyboardInterrupt:", "except KeyboardInterrupt:\n    time.sleep(600)") if hangs else ENDS
    )
    monkeypatch.setattr(suite, "suite_command", lambda *options, reports: [sys.executable, "-c", script, str(reports)])
    monkeypatch.setattr(suite, "ENDS_S", 2.0 if hangs else 60.0)
    with pytest.raises(AssertionError), started_suite(reports=tmp_path) as process:
        wait_for("it to begin", look=(tmp_path / "began").exists, ready=bool, state=str, timeout_s=HANGS_S)
        raise AssertionError
    assert process.returncode is not None
    assert (tmp_path / "ended").exists() != hangs


def test_a_run_that_does_not_end_fails_its_test_with_what_it_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here one that says nothing until it is asked to end: a machine may be too slow for it to begin."""
    (tmp_path / "hangs.py").write_text(ENDS.replace("time.sleep(0.5)", 'print("its stacks")'), encoding="utf-8")
    monkeypatch.setattr(suite, "suite_command", lambda *options, reports: [sys.executable, "-m", "hangs", str(reports)])
    with pytest.raises(pytest.fail.Exception) as failed:
        run_suite(reports=tmp_path, environment={"PYTHONPATH": str(tmp_path)}, timeout=3)
    assert "the run had not ended after 3 s" in str(failed.value)
    began, ended = ((tmp_path / each).exists() for each in ("began", "ended"))
    assert not began or (ended and "its stacks" in str(failed.value))

"""What is remembered of an embedded cluster, and which process is still the one that was started."""

import dataclasses
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from embedded_cluster import cluster, layout, processes
from embedded_cluster.layout import MARKER, Layout
from embedded_cluster.state import ClusterState, LoadedImages, ProcessRecord, boot_id, read_state, write_state
from selftests.bounds import HANGS_S

# What has its mark is found on all of the machine, and ended: other workers run these tests, too.
NAME = f"unit-{os.getpid()}"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layout:
    """A cluster's folders in a temporary place."""
    monkeypatch.setattr(layout, "STATE_ROOT", tmp_path)
    found = Layout(NAME)
    found.state.mkdir()
    return found


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(["sleep", "60"], env={**os.environ, MARKER: NAME})
    # The kernel lets the parent go on before the new program's environment can be read.
    while not Path(f"/proc/{process.pid}/environ").read_bytes():
        time.sleep(0.01)
    yield process
    process.kill()
    process.wait()


def a_state(*records: ProcessRecord) -> ClusterState:
    return ClusterState(
        name=NAME,
        boot_id=boot_id(),
        kubernetes_version="v1",
        image="image",
        pause_image="pause",
        snapshotter="overlayfs",
        gateway="10.0.0.1",
        subnet="10.0.0.0/20",
        node_addresses=("10.0.0.11",),
        ports={"etcd": 1},
        processes=records,
        complete=True,
    )


def record_of(process: subprocess.Popen[bytes], component: str = "kube-apiserver") -> ProcessRecord:
    ticks = processes.started_ticks(process.pid)
    assert ticks is not None
    return ProcessRecord(component=component, pid=process.pid, started_ticks=ticks)


def test_state_survives_writing(here: Layout) -> None:
    state = a_state(ProcessRecord(component="etcd", pid=1, started_ticks=2))
    write_state(here, state)
    assert read_state(here) == state
    assert here.state_file.stat().st_mode & 0o777 == 0o600


def test_images_that_were_loaded_later_are_remembered_once_by_name(here: Layout) -> None:
    one, other = (LoadedImages(archive=name, images=(f"{name}:1", f"{name}:2")) for name in ("a", "b"))
    anew = LoadedImages(archive="c", images=("a:2", "a:3"))
    state = a_state()
    for each in (one, other, anew):
        state = state.with_images(each)
    assert state.loaded == (other, anew)
    write_state(here, state)
    assert read_state(here) == state
    before = {key: each for key, each in json.loads(here.state_file.read_text()).items() if key != "loaded"}
    here.state_file.write_text(json.dumps(before))
    assert read_state(here) == a_state()  # of a cluster that an older suite started


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"processes": [{}]}'])
def test_damaged_state_is_none(here: Layout, content: str) -> None:
    here.state_file.write_text(content)
    assert read_state(here) is None


def test_state_of_another_boot_is_none(here: Layout) -> None:
    write_state(here, dataclasses.replace(a_state(), boot_id="another"))
    assert read_state(here) is None


def test_recorded_process_runs(sleeper: subprocess.Popen[bytes]) -> None:
    assert processes.is_running(record_of(sleeper))


def test_process_with_a_used_pid_is_another(sleeper: subprocess.Popen[bytes]) -> None:
    record = record_of(sleeper)
    assert not processes.is_running(dataclasses.replace(record, started_ticks=record.started_ticks - 1))


def test_zombie_does_not_run(sleeper: subprocess.Popen[bytes]) -> None:
    record = record_of(sleeper)
    sleeper.kill()
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)
    assert not processes.is_running(record)


def test_find_wants_a_finished_up_and_a_live_server(here: Layout, sleeper: subprocess.Popen[bytes]) -> None:
    record = record_of(sleeper)
    assert cluster.find(NAME) is None
    write_state(here, dataclasses.replace(a_state(record), complete=False))
    assert cluster.find(NAME) is None
    write_state(here, a_state(dataclasses.replace(record, started_ticks=0)))
    assert cluster.find(NAME) is None
    write_state(here, a_state(record))
    assert cluster.find(NAME) == cluster.EmbeddedCluster(name=NAME, kubeconfig=here.kubeconfig, image="image")


def test_marked_processes_are_found_and_no_others(here: Layout, sleeper: subprocess.Popen[bytes]) -> None:
    other = subprocess.Popen(["sleep", "60"], env={**os.environ, MARKER: f"{NAME}-2"})
    try:
        assert processes.of_cluster(here) == {sleeper.pid}
    finally:
        other.kill()
        other.wait()


def test_end_kills_the_marked_alone(here: Layout, sleeper: subprocess.Popen[bytes]) -> None:
    other = subprocess.Popen(["sleep", "60"])
    try:
        assert processes.end(here) == 1
        assert sleeper.wait(timeout=HANGS_S) == -9
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_importing_the_package_is_cheap() -> None:
    program = "import sys, embedded_cluster; print('kubernetes' in sys.modules, 'pytest' in sys.modules)"
    root = Path(__file__).parents[2]
    result = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["False", "False"]

"""Kubelets that are away while their pods run on, through the suite's own command line: good storage stands it, and
what is lost, or stays on the node, fails for its own reason."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from embedded_cluster import EmbeddedCluster, kubelet_commands
from embedded_cluster.commands import run
from embedded_cluster.layout import Layout
from embedded_cluster.mount_namespaces import MountNamespace, holder_of_node
from embedded_cluster.state import read_state
from selftests.integration.suite import SuiteRun, left_behind, run_suite
from selftests.lab.provisioner import LabClass, lab_classes

pytestmark = [pytest.mark.disrupts, pytest.mark.full]

TESTS = ("tests/test_kubelet_restart.py", "--storage-destructive", "--storage-durability-time", "2s")
CLASS = "lab-kubelet"


@contextmanager
def storage(api: Api, folder: Path) -> Iterator[Path]:
    """Volumes that all nodes see, each a folder there, mounted by kubelets."""
    folder.mkdir()
    folder.chmod(0o777)
    with lab_classes(api, [LabClass(name=CLASS, folder=folder)]):
        yield folder


def target(cluster: EmbeddedCluster, folder: Path, *, key: str, also: str) -> str:
    """A target file whose command `key` does something else, too."""
    commands = kubelet_commands(name=cluster.name)
    commands[key] = ["sh", "-c", f"{shlex.join(commands[key])} && {also}"]
    path = folder / "target.yaml"
    path.write_text("kubelet:\n" + "".join(f"  {name}: {words!r}\n" for name, words in commands.items()))
    return f"--storage-target={path}"


def holders(cluster: EmbeddedCluster) -> list[MountNamespace]:
    state = read_state(Layout(cluster.name))
    assert state is not None
    pids = {process.component: process.pid for process in state.processes}
    return [MountNamespace(pids[holder_of_node(number)]) for number in range(1, len(state.node_addresses) + 1)]


def asked(api: Api, folder: Path, *options: str) -> SuiteRun:
    found = run_suite(*TESTS, "--storage-class", CLASS, *options, reports=folder / "reports")
    assert left_behind(api) == []
    return found


def test_good_storage_stands_a_kubelet_that_is_away(clean: Api, lab_folder: Path, tmp_path: Path) -> None:
    with storage(clean, lab_folder / "good"):
        found = asked(clean, tmp_path)
    assert found.status == 0, found.output
    assert [verdict["status"] for verdict in found.results["verdicts"]] == ["pass"] * 3
    crashes = {each["failure"]: each for each in found.results["durability"]}
    restarted, away = crashes["kubelet-restarted"], crashes["kubelet-away"]
    assert "the pod continued to write, with" in restarted["what"] and restarted["node"] == restarted["read_on"]
    assert restarted["acknowledged"] >= 40 and restarted["lost"] == away["lost"] == []
    assert away["node"] != away["read_on"]
    (moved,) = found.results["failovers"]
    assert moved["stayed"] == [] and moved["phases"][0]["name"] == "its kubelet back"


def test_what_is_lost_while_the_kubelet_is_away_is_told(
    cluster: EmbeddedCluster, clean: Api, lab_folder: Path, tmp_path: Path
) -> None:
    with storage(clean, lab_folder / "lossy") as folder:
        cut = f"for each in {folder}/lab-*/records; do truncate --size 400 $each; done"
        option = target(cluster, tmp_path, key="stop", also=cut)
        found = asked(clean, tmp_path, option, "-k", "survive")
    assert found.status == 1, found.output
    verdict = found.verdict("survive_a_restarted_kubelet")
    assert verdict["status"] == "fail" and "are lost on lab-kubelet after the kubelet" in verdict["reason"]


def test_a_mount_that_stays_is_told(cluster: EmbeddedCluster, clean: Api, lab_folder: Path, tmp_path: Path) -> None:
    """As a driver that forgets a mount of its own when its node's kubelet comes back."""
    kept = lab_folder / "kept"
    kept.mkdir()
    all_ = holders(cluster)
    with storage(clean, lab_folder / "mounted") as folder:
        binds = [shlex.join(map(str, each.inside(["mount", "--bind"]))) for each in all_]
        also = "; ".join(f"{bind} {folder}/lab-* {kept}" for bind in binds)
        option = target(cluster, tmp_path, key="start", also=also)
        try:
            found = asked(clean, tmp_path, option, "--storage-timeout", "40s", "-k", "volume_is_detached")
        finally:
            for each in all_:
                run(each.inside(["umount", kept]))
    assert found.status == 1, found.output
    verdict = found.verdict("volume_is_detached_after_a_kubelet_outage")
    assert verdict["status"] == "fail" and f"mounted at {kept}" in verdict["reason"]


def test_without_consent_or_commands_no_kubelet_is_stopped(clean: Api, cluster: EmbeddedCluster, reports: Path) -> None:
    words = [test for test in TESTS if test != "--storage-destructive"]
    found = run_suite(*words, "--storage-class", "local-path", reports=reports)
    assert found.status == 5 and all(
        "--storage-destructive" in verdict["reason"] for verdict in found.results["verdicts"]
    )
    elsewhere = ("--storage-kubeconfig", str(cluster.kubeconfig))
    found = run_suite(*TESTS, *elsewhere, "--storage-class", "local-path", reports=reports)
    assert found.status == 5, found.output
    assert all("capability 'kubelet restart'" in verdict["reason"] for verdict in found.results["verdicts"])

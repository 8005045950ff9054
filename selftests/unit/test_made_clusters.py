"""Clusters that a run creates: programs in place of kind, k3d, minikube and docker, which note what they are asked.

Their cluster is an API server that answers reads, so that whole runs get as far as their own namespace.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from acceptance.cluster.new_cluster import NewCluster
from acceptance.planning.assumed_throughput import CREATED_CLUSTER, ELSEWHERE, assumed_throughput_of
from acceptance.process.commands import _last_line
from acceptance.settings.made_cluster import MAKERS, MadeCluster
from acceptance.settings.run import read_settings
from acceptance.text.errors import EnvironmentFailure, WrongUsage
from fixtures.cluster_makers import MANAGERS, MadeManager
from fixtures.made_clusters import load_images
from selftests.pytest_command import PYTEST_MODULE
from selftests.unit.json_server import JsonHandler, serving
from selftests.warm_start import run_module

ROOT = Path(__file__).parents[2]
RUN_ID = "20261128-010203-0123456789abcdef"
NAME = "pytest-20261128-010203-01234567"
# Its kubeconfig goes where it is told to, or to its output; $FAILS names what it refuses, $SLOW what it takes long for.
PROGRAM = """#!/bin/sh
echo "$(basename "$0") $*" >> "$CALLS"
case " $* " in *" delete "*) echo "$(basename "$0") $KUBECONFIG $*" >> "$CALLS.delete";; esac
echo "Preparing nodes" >&2
case " $* " in *" $FAILS "*) echo "the daemon is gone" >&2; exit 3;; esac
case " $* " in *" $SLOW "*) exec sleep 60;; esac
[ "$1 $2" = "kubeconfig get" ] && cat "$THEIRS"
[ "$1" = start ] && cp "$THEIRS" "$KUBECONFIG"
while [ $# -gt 0 ]; do [ "$1" = --kubeconfig ] && [ -n "$CREATES" ] && cp "$THEIRS" "$2"; shift; done
exit 0
"""


@dataclass
class Cluster:
    """What the API server has. `ready_after`: lists of nodes before these are ready; `was_ready`: when it was first
    asked to make something."""

    ready_after: int = 0
    version: str = "v1.34.4"
    made: list[str] = field(default_factory=list)
    was_ready: bool = False

    def objects(self, path: str) -> list[dict[str, Any]]:
        if path.endswith("/storageclasses"):
            about = {"name": "standard", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}
            return [{"metadata": about, "provisioner": "rancher.io/local-path", "reclaimPolicy": "Delete"}]
        if path.endswith("/pods"):
            conditions = [{"type": "Ready", "status": "True"}]
            about = {"name": "local-path-provisioner-x", "namespace": "local-path-storage"}
            return [{"metadata": about, "spec": {}, "status": {"phase": "Running", "conditions": conditions}}]
        if path.endswith("/nodes"):
            self.ready_after -= 1
            info = ("kubeletVersion", "kernelVersion", "osImage", "containerRuntimeVersion", "architecture")
            ready = {"type": "Ready", "status": "False" if self.ready_after >= 0 else "True"}
            status = {"conditions": [ready], "nodeInfo": dict.fromkeys(info, "x"), "allocatable": {"pods": "110"}}
            return [{"metadata": {"name": "node"}, "spec": {}, "status": status}]
        return []


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


@pytest.fixture
def kubeconfig(cluster: Cluster, tmp_path: Path) -> Iterator[Path]:
    """The kubeconfig of the cluster that the programs create."""

    class Server(JsonHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            if path == "/version":
                self.answer(200, {"gitVersion": cluster.version})
            elif path.endswith(("/namespaces/kube-system", "/serviceaccounts/default")):
                self.answer(200, {"metadata": {"uid": "u"}})
            else:
                self.answer(200, {"metadata": {}, "items": cluster.objects(path)})

        def do_POST(self) -> None:
            self.body()
            if self.path.endswith("/selfsubjectaccessreviews"):
                self.answer(201, {"status": {"allowed": True}})
            else:
                cluster.made.append(self.path)
                cluster.was_ready = cluster.ready_after < 0
                self.answer(403, {"message": "nothing is made here"})

    with serving(Server) as url:
        path = tmp_path / "theirs"
        server = {"server": url}
        context = {"name": "c", "context": {"cluster": "here", "user": "me"}}
        clusters, users = [{"name": "here", "cluster": server}], [{"name": "me", "user": {"token": "t"}}]
        path.write_text(
            yaml.safe_dump({"current-context": "c", "contexts": [context], "clusters": clusters, "users": users})
        )
        yield path


@pytest.fixture
def programs(kubeconfig: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """The programs, first in PATH; what they were asked, in order."""
    folder, calls = tmp_path / "bin", tmp_path / "calls"
    folder.mkdir()
    for name in (*MAKERS, "docker"):
        (folder / name).write_text(PROGRAM)
        (folder / name).chmod(0o755)
    calls.touch()
    for name in [each for each in os.environ if each.startswith(("STORAGE_", "PYTEST_ADDOPTS", "KUBE"))]:
        monkeypatch.delenv(name)
    given = {"PATH": f"{folder}:{os.environ['PATH']}", "CALLS": str(calls), "THEIRS": str(kubeconfig)}
    for name, value in (given | {"FAILS": "-", "SLOW": "-", "CREATES": "yes"}).items():
        monkeypatch.setenv(name, value)
    return lambda: calls.read_text().splitlines()


def manager(maker: str, folder: Path, *, told: list[str] | None = None, **made: Any) -> MadeManager:
    tell = (told if told is not None else []).append
    return MANAGERS[maker](  # type: ignore[index]
        run_id=RUN_ID, kubeconfig=folder / "kubeconfig", spec=MadeCluster(**made), tell=tell
    )


CREATED_BY = {
    "kind": ["kind create cluster --name {name} --kubeconfig {kubeconfig}"],
    "k3d": [
        "k3d cluster create {name} --kubeconfig-update-default=false --wait --timeout=600s",
        "k3d kubeconfig get {name}",
    ],
    "minikube": ["minikube start -p {name} --embed-certs{force}"],
}
DELETED_BY = {
    "kind": "kind delete cluster --name {name} --kubeconfig {kubeconfig}",
    "k3d": "k3d cluster delete {name}",
    "minikube": "minikube delete -p {name}",
}


@pytest.mark.parametrize("maker", MAKERS)
def test_the_makers_own_version_is_taken_and_what_is_deleted_is_what_was_created(
    maker: str, programs: Callable[[], list[str]], kubeconfig: Path, tmp_path: Path
) -> None:
    made = manager(maker, tmp_path)
    made.create_cluster()
    assert (tmp_path / "kubeconfig").read_text() == kubeconfig.read_text()
    made.load_image("suite:1")
    made.delete_cluster()
    values = {"name": NAME, "kubeconfig": tmp_path / "kubeconfig", "force": " --force" if os.geteuid() == 0 else ""}
    *created, loaded, deleted = programs()
    assert created == [each.format(**values) for each in CREATED_BY[maker]]
    assert deleted == DELETED_BY[maker].format(**values)
    assert "suite:1" in loaded and NAME in loaded
    assert str(tmp_path / "kubeconfig") in (tmp_path / "calls.delete").read_text()  # and not the user's own
    assert deleted.startswith(made.removed_by) and len(NAME) <= 32


@pytest.mark.parametrize(
    ("maker", "made", "words"),
    [
        ("kind", {"version": "1.34.0"}, "--image kindest/node:v1.34.0"),
        ("kind", {"version": "mine/node:1"}, "--image mine/node:1"),
        ("k3d", {"version": "v1.33.1"}, "--image rancher/k3s:v1.33.1-k3s1"),
        ("k3d", {"nodes": 3}, "--agents 2"),
        ("minikube", {"version": "1.34.0", "nodes": 2}, "--kubernetes-version v1.34.0 --nodes 2"),
    ],
)
def test_version_and_nodes_are_asked_for(
    maker: str, made: dict[str, Any], words: str, programs: Callable[[], list[str]], tmp_path: Path
) -> None:
    manager(maker, tmp_path, **made).create_cluster()
    assert words in programs()[0]


def test_nodes_of_kind_that_take_pods_are_workers(programs: Callable[[], list[str]], tmp_path: Path) -> None:
    made = manager("kind", tmp_path, nodes=2)
    made.create_cluster()
    config = yaml.safe_load(Path(programs()[0].split()[-1]).read_text())
    assert [node["role"] for node in config["nodes"]] == ["control-plane", "worker", "worker"]
    assert made.nodes == 3


@pytest.mark.parametrize("maker", ["kind", "k3d"])
def test_a_file_that_names_a_cluster_does_not_name_ours(
    maker: str, programs: Callable[[], list[str]], tmp_path: Path
) -> None:
    """Else a cluster of that name, which was there before, would be deleted with the run."""
    theirs = tmp_path / "theirs.yaml"
    theirs.write_text("name: production\nmetadata: {name: production}\n")
    made = manager(maker, tmp_path, config=theirs)
    made.create_cluster()
    made.delete_cluster()
    assert f"--config {theirs}" in programs()[0]
    assert all(NAME in program and "production" not in program for program in programs())


@pytest.mark.parametrize(
    ("load", "there", "loaded"),
    [("auto", True, True), ("auto", False, False), ("always", False, True), ("never", True, False)],
)
def test_images_of_this_machine_are_loaded(
    load: str, there: bool, loaded: bool, programs: Callable[[], list[str]], tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setenv("FAILS", "-" if there else "inspect")
    load_images(manager("kind", tmp_path, load=load), ["suite:1"])
    assert any(program.startswith("kind load docker-image suite:1") for program in programs()) is loaded


def test_an_image_that_cannot_be_loaded_is_told_with_the_way_out(
    programs: Callable[[], list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAILS", "docker-image")
    with pytest.raises(EnvironmentFailure, match=r"(?s)suite:1 .*the daemon is gone.*load=never"):
        load_images(manager("kind", tmp_path), ["suite:1"])


def test_a_maker_that_hangs_is_ended_and_told_of_meanwhile(
    programs: Callable[[], list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLOW", "create")
    told: list[str] = []
    with pytest.raises(EnvironmentFailure, match=r"(?s)did not end within 3 s: Preparing nodes.*time=TIME"):
        manager("kind", tmp_path, told=told, time="3s").create_cluster()
    assert any(each.startswith("kind create, ") and each.endswith("Preparing nodes") for each in told)


def test_to_look_at_what_a_program_says_does_not_move_where_it_writes(tmp_path: Path) -> None:
    """The file stands where the program writes next: the place is shared with it."""
    with (tmp_path / "said").open("w+b") as file:
        file.write(b"first\nsecond \n")
        file.seek(3)
        assert _last_line(file) == "second" and file.tell() == 3


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["version=1.25.3"], "expected Kubernetes 1.26 or later, found 1.25.3"),
        (["version=latest"], "such as 1.34.0"),
        (["nodes=0"], "nodes: "),
        (["nodes=2", "nodes=3"], "each KEY once"),
        (["workers=2"], "a KEY of version, nodes, config, load, time"),
        (["config=/no/such/file"], "file /no/such/file does not exist"),
        (["load=maybe"], "load: "),
        (["time=soon"], "time: "),
        ([f"config={__file__}", "nodes=2"], "leave out nodes=2"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_created(given: list[str], said: str) -> None:
    with pytest.raises(WrongUsage, match=said):
        read_settings({"cluster": "kind", "cluster_set": given, "thresholds": "t", "profiles": "p"})


@pytest.mark.parametrize("cluster_", ["minikube", "kubeconfig", None])
def test_what_only_another_cluster_has_is_told(cluster_: str | None) -> None:
    values = {"cluster": cluster_} if cluster_ else {}
    with pytest.raises(WrongUsage, match=r"--storage-cluster-set (config=|version=)"):
        given = [f"config={__file__}"] if cluster_ == "minikube" else ["version=1.34.0"]
        read_settings({**values, "cluster_set": given, "thresholds": "t", "profiles": "p"})


NODE = {"metadata": {"name": "n"}, "status": {"conditions": [{"type": "Ready", "status": "True"}]}}
DEFAULT = {"storageclass.kubernetes.io/is-default-class": "true"}
CLASS = {"metadata": {"name": "standard", "annotations": DEFAULT}, "provisioner": "rancher.io/local-path"}
POD = {
    "metadata": {"name": "local-path-provisioner-1"},
    "status": {"conditions": [{"type": "Ready", "status": "True"}]},
}


@pytest.mark.parametrize(
    ("new", "nodes", "lacks"),
    [
        (NewCluster(nodes=(NODE,), classes=(CLASS,), pods=(POD,)), 1, None),
        (NewCluster(nodes=(NODE,), classes=(CLASS,), pods=(POD,)), 2, "1 of 2 nodes"),
        (NewCluster(nodes=(NODE, {**NODE, "status": {}}), classes=(CLASS,), pods=(POD,)), 1, "1 of 2 nodes"),
        (NewCluster(nodes=(NODE,), classes=(CLASS,), pods=(POD,), has_account=False), 1, "no service account"),
        (NewCluster(nodes=(NODE,), classes=(), pods=(POD,)), 1, "no StorageClass"),
        (NewCluster(nodes=(NODE,), classes=(CLASS,), pods=()), 1, "standard has no pod"),
        (NewCluster(nodes=(NODE,), classes=(CLASS,), pods=({**POD, "status": {}},)), 1, "standard is not ready"),
        (NewCluster(nodes=(NODE,), classes=({**CLASS, "provisioner": "my.driver"},), pods=()), 1, None),
    ],
)
def test_what_a_new_cluster_lacks_is_named(new: NewCluster, nodes: int, lacks: str | None) -> None:
    found = new.lacks(nodes=nodes)
    assert found is None if lacks is None else lacks in str(found)


@dataclass(frozen=True)
class Ended:
    status: int
    output: str
    results: dict[str, Any]


@pytest.fixture
def run(programs: Callable[[], list[str]], tmp_path: Path) -> Callable[..., Ended]:
    """A run on a cluster that it has kind create, in a process of its own."""

    def run(*options: str, image: tuple[str, ...] = ("--storage-image=suite:1",), **environment: str) -> Ended:
        words = (*PYTEST_MODULE, "-m", "smoke", "-k", "takes_a_write")
        given = ("--storage-cluster=kind", "--storage-timeout=2s", f"--storage-report={tmp_path / 'reports'}")
        done = run_module(*words, *given, *image, *options, folder=ROOT, environment=os.environ | environment)
        path = tmp_path / "reports" / "latest" / "results.json"
        results = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        return Ended(done.returncode, " ".join((done.stdout + done.stderr).split()), results)

    return run


def asked(calls: list[str], what: str) -> list[str]:
    return [call for call in calls if call.startswith(f"kind {what}")]


def test_a_cluster_is_created_waited_for_and_deleted(
    run: Callable[..., Ended], programs: Callable[[], list[str]], cluster: Cluster
) -> None:
    """As far as its namespace, which this cluster refuses."""
    cluster.ready_after = 8
    ended = run("--storage-cluster-set=version=1.34.0", "--storage-keep", "--k8s-version=1.33.0")
    assert (ended.status, cluster.made) == (10, ["/api/v1/namespaces"]), ended.output
    assert cluster.was_ready and "kind creates cluster pytest-" in ended.output
    (created,), (loaded,) = asked(programs(), "create"), asked(programs(), "load")
    assert "--image kindest/node:v1.34.0" in created and "suite:1" in loaded
    name = created.split("--name ")[1].split()[0]
    assert asked(programs(), "delete") == []
    assert f"remove it with `kind delete cluster --name {name}`" in ended.output
    assert f"`kind export kubeconfig --name {name}`" in ended.output


def test_a_cluster_that_the_suite_cannot_use_is_kept_to_be_looked_at(
    run: Callable[..., Ended], programs: Callable[[], list[str]], cluster: Cluster
) -> None:
    cluster.version = "v1.25.0"
    ended = run("--storage-keep")
    assert ended.status == 10 and "kept as requested: cluster pytest-" in ended.output
    assert asked(programs(), "delete") == [] and len(ended.results["errors"]) == 1


def test_a_cluster_that_is_not_to_be_kept_goes(run: Callable[..., Ended], programs: Callable[[], list[str]]) -> None:
    ended = run("--k8s-version=1.33.0")
    assert ended.status == 10 and "kept as requested" not in ended.output
    (created,), (deleted,) = asked(programs(), "create"), asked(programs(), "delete")
    assert created.split("--name ")[1].split()[0] == deleted.split("--name ")[1].split()[0]
    assert "kindest/node:v1.33.0" in created


def test_a_cluster_that_cannot_be_deleted_costs_no_results(run: Callable[..., Ended], cluster: Cluster) -> None:
    ended = run(FAILS="delete")
    assert ended.status == 10
    assert "Traceback" not in ended.output and "INTERNALERROR" not in ended.output
    assert ended.results["run"]["finished"] is not None and ended.results["run"]["exit_status"] == 10
    assert "the daemon is gone" in ended.results["errors"][-1]
    assert "remove it later with `kind delete cluster --name pytest-" in ended.output


def test_a_cluster_that_cannot_be_created_is_told_in_the_makers_words(
    run: Callable[..., Ended], programs: Callable[[], list[str]]
) -> None:
    ended = run(FAILS="create")
    assert ended.status == 10 and "the daemon is gone" in ended.results["errors"][0]
    assert len(asked(programs(), "delete")) == 1  # what it left half made


def test_a_maker_that_writes_no_kubeconfig_is_told(
    programs: Callable[[], list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CREATES", "")
    with pytest.raises(EnvironmentFailure, match="kind succeeded but wrote no kubeconfig"):
        manager("kind", tmp_path).create_cluster()


@pytest.mark.parametrize("options", [(), ("--storage-plan",)])
def test_without_an_image_nothing_is_created(
    options: tuple[str, ...], run: Callable[..., Ended], programs: Callable[[], list[str]]
) -> None:
    ended = run(*options, image=())
    assert ended.status == (0 if options else 4)
    assert "no image: " in ended.output and "--storage-image REF" in ended.output
    assert programs() == []


def test_a_plan_holds_the_time_of_the_cluster(run: Callable[..., Ended], programs: Callable[[], list[str]]) -> None:
    ended = run("--storage-plan")
    assert ended.status == 0 and "kind creates the cluster" in ended.output and programs() == []
    assert all(assumed_throughput_of(maker) is CREATED_CLUSTER for maker in MAKERS)
    assert CREATED_CLUSTER.open_s - ELSEWHERE.open_s >= 60


def test_an_unusable_version_of_pytests_own_option_is_wrong_usage(
    run: Callable[..., Ended], programs: Callable[[], list[str]]
) -> None:
    ended = run("--k8s-version=1.25.3")
    assert ended.status == 4 and "--k8s-version: expected Kubernetes 1.26 or later" in ended.output
    assert asked(programs(), "create") == []

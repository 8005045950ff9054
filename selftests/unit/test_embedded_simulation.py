"""The nodes that are only played: which are added and removed, what is said, and what their objects promise."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import yaml

from acceptance.cluster.nodes import takes_pods
from acceptance.settings.pod_template import PodTemplate
from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import builds, golang, layout, simulation
from embedded_cluster.__main__ import main
from embedded_cluster.kubectl import MANIFESTS, Kubectl
from embedded_cluster.layout import Layout
from embedded_cluster.processes import Daemons, started_ticks
from embedded_cluster.state import ClusterState, ProcessRecord, boot_id, write_state
from selftests.lab import simulated_nodes as lab


@dataclasses.dataclass
class Nodes:
    """An API server that holds nodes alone; whatever is applied is Ready at once unless `dead`.

    A definition has no conditions when it is asked for first.
    """

    names: set[str]
    dead: bool = False
    defined: bool = False
    asked: list[tuple[str, ...]] = dataclasses.field(default_factory=list)

    def get(self, kind: str, *_: str) -> list[dict[str, Any]]:
        if kind == "customresourcedefinition":
            before, self.defined = self.defined, True
            return [{"status": {"conditions": [{"type": "Established", "status": "True"}] if before else None}}]
        ready = {"conditions": [{"type": "Ready", "status": str(not self.dead)}]}
        return [{"metadata": {"name": name}, "status": ready} for name in self.names]

    def run(self, *words: str, timeout: float = 0) -> str:
        self.asked.append(words)
        if words[:2] == ("delete", "node"):
            self.names -= set(words)
        return ""

    def apply(self, manifest: str) -> None:
        self.asked.append(("apply", manifest))

    def apply_each(self, manifest: str, each: list[dict[str, str]]) -> None:
        self.names |= {values["name"] for values in each}
        self.asked.append(("apply", manifest, *(values["name"] for values in each)))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layout:
    """A running cluster's folders in a temporary place."""
    monkeypatch.setattr(layout, "STATE_ROOT", tmp_path)
    found = Layout("unit")
    found.pki.mkdir(parents=True)
    (found.pki / "kwok.kubeconfig").touch()
    write_state(found, a_state())
    return found


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The components that were started, which this process then stands for."""
    components: list[str] = []

    def start(self: Daemons, component: str, _command: object, **_: object) -> None:
        components.append(component)
        ticks = started_ticks(1)
        assert ticks is not None
        self._record(ProcessRecord(component=component, pid=1, started_ticks=ticks))

    monkeypatch.setattr(Daemons, "start", start)
    kwok = builds.Kwok(program=Path("/kwok"), definition=Path("/definition"), stages=Path("/stages"))
    monkeypatch.setattr(builds, "ensure_kwok", lambda: kwok)
    return components


def a_state() -> ClusterState:
    return ClusterState(
        name="unit",
        boot_id=boot_id(),
        kubernetes_version="v1",
        image="image",
        pause_image="pause",
        snapshotter="overlayfs",
        gateway="10.0.0.1",
        subnet="10.0.0.0/20",
        node_addresses=("10.0.0.11",),
        ports={},
    )


def arrange(here: Layout, monkeypatch: pytest.MonkeyPatch, server: Nodes, nodes: int | None) -> Nodes:
    monkeypatch.setattr(Kubectl, "of", lambda _layout: server)
    simulation.arrange(here, nodes=nodes)
    return server


def test_the_first_nodes_bring_kwok(here: Layout, started: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    server = arrange(here, monkeypatch, Nodes(set()), 2)
    assert started == ["kwok"]
    assert server.names == {"unit-simulated-1", "unit-simulated-2"}


def test_more_nodes_are_added_to_those_there(here: Layout, started: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    server = arrange(here, monkeypatch, Nodes(set()), 1)
    arrange(here, monkeypatch, server, 3)
    assert started == ["kwok"]
    assert server.asked[-1] == ("apply", "simulated-node.yaml", "unit-simulated-2", "unit-simulated-3")


def test_surplus_nodes_are_removed(here: Layout, started: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    server = arrange(here, monkeypatch, Nodes({f"unit-simulated-{number}" for number in (1, 2, 3)}), 1)
    assert server.names == {"unit-simulated-1"}


def test_none_at_all_needs_no_kwok(here: Layout, started: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    server = arrange(here, monkeypatch, Nodes({"unit-simulated-1"}), 0)
    assert server.names == set()
    assert started == []


def test_not_asked_for_they_are_left_and_told(
    here: Layout, started: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    server = arrange(here, monkeypatch, Nodes({"unit-simulated-1", "unit-simulated-2"}), None)
    assert server.asked == started == []
    assert "simulated nodes: 2" in capsys.readouterr().out
    arrange(here, monkeypatch, Nodes(set()), None)
    assert capsys.readouterr().out == ""


def test_cluster_of_an_older_version_is_refused(
    here: Layout, started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here.pki / "kwok.kubeconfig").unlink()
    with pytest.raises(EnvironmentFailure, match=r"older version.*take the cluster down and start it again"):
        arrange(here, monkeypatch, Nodes(set()), 1)
    assert started == []


def test_nodes_that_never_come_up_are_named_with_the_log(
    here: Layout, started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulation, "_READY_WITHIN_S", 0.2)
    here.logs.mkdir()
    (here.logs / "kwok.log").write_text("forbidden: nodes\n")
    with pytest.raises(EnvironmentFailure, match=r"(?s)not Ready: unit-simulated-1; 1 in total.*forbidden: nodes"):
        arrange(here, monkeypatch, Nodes(set(), dead=True), 1)


def test_kwok_is_built_once_and_brings_its_own_stages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(golang, "find_go", lambda **_: Path("/go"))
    monkeypatch.setattr(builds, "module_folder", lambda *_, **__: tmp_path / "module")
    for manifest in builds._KWOK_MANIFESTS:
        path = tmp_path / "module" / "kustomize" / manifest
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(manifest)
    built: list[str] = []

    def build(packages: list[str], *, output: Path, **_: object) -> None:
        built.extend(packages)
        output.touch()

    monkeypatch.setattr(builds, "compile_packages", build)
    kwok = builds.ensure_kwok()
    assert builds.ensure_kwok() == kwok
    assert built == ["sigs.k8s.io/kwok/cmd/kwok"]
    assert kwok.program.exists()
    assert "crd" in kwok.definition.read_text()
    assert {path.stem for path in kwok.stages.iterdir()} >= {"node-initialize", "pod-ready", "pod-delete"}


@pytest.mark.parametrize("count", ["-1", "501", "many"])
def test_impossible_counts_are_refused(count: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["up", f"--simulated-nodes={count}"]) == 4
    assert "--simulated-nodes" in capsys.readouterr().err


def test_ordinary_pods_are_kept_away() -> None:
    node = yaml.safe_load((MANIFESTS / "simulated-node.yaml").read_text())
    node["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
    assert not takes_pods(node, PodTemplate())
    assert node["spec"]["taints"][0]["key"] == simulation.MARK == lab.NODE_LABEL
    assert node["metadata"]["labels"][simulation.MARK] == "true"


def test_what_tolerates_everything_is_kept_away_too() -> None:
    helper = yaml.safe_load((MANIFESTS / "helper-pod.yaml").read_text())
    (term,) = helper["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][
        "nodeSelectorTerms"
    ]
    assert term["matchExpressions"] == [{"key": simulation.MARK, "operator": "DoesNotExist"}]


def test_kwok_may_read_no_secrets_and_change_no_objects_of_others() -> None:
    documents = yaml.safe_load_all((MANIFESTS / "simulation.yaml").read_text())
    rules = [rule for document in documents for rule in document.get("rules", [])]
    assert all("*" not in (*rule["resources"], *rule["verbs"], *rule["apiGroups"]) for rule in rules)
    changed = {
        resource for rule in rules for resource in rule["resources"] if {"create", "patch", "delete"} & {*rule["verbs"]}
    }
    assert changed == {
        "nodes/status",
        "pods/status",
        "pods",
        "persistentvolumes",
        "events",
        "leases",
        "volumeattachments/status",
    }


def test_late_stage_differs_in_whom_and_when_alone() -> None:
    (usual,) = [
        document
        for document in yaml.safe_load_all((MANIFESTS / "simulation.yaml").read_text())
        if document["metadata"]["name"] == "claim-provision"
    ]
    late = lab.delayed(usual, lab.since(lab.CLAIM_ORDINAL, 7), seconds=2.5)["spec"]
    assert late["steps"] == usual["spec"]["steps"]
    assert late["selector"]["matchAnnotations"] == usual["spec"]["selector"]["matchAnnotations"]
    assert late["selector"]["matchExpressions"][:-1] == usual["spec"]["selector"]["matchExpressions"]
    assert late["selector"]["matchExpressions"][-1]["key"].endswith("| tonumber >= 7")
    assert (late["delay"], late["weight"]) == ({"durationMilliseconds": 2500}, lab.WEIGHT)
    assert "weight" not in usual["spec"]

"""Whole runs against an API server that tells how much is free: what is refused makes nothing, not even a namespace."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from acceptance.planning.table import ENDS_BEFORE
from selftests.pytest_command import PYTEST_MODULE
from selftests.unit.json_server import JsonHandler, serving
from selftests.warm_start import run_module

ROOT = Path(__file__).parents[2]
Run = Callable[..., tuple[int, str]]


@dataclass
class Lab:
    """What the server says is free, all nodes together, and which objects it was asked to make."""

    free: str | None = None
    largest: str | None = None
    forbidden: str = ""
    policy: str = "Delete"
    made: list[str] = field(default_factory=list)

    def objects(self, path: str) -> list[dict[str, Any]]:
        if path.endswith("/storageclasses"):
            spec = {"provisioner": "csi.example.com", "volumeBindingMode": "WaitForFirstConsumer"}
            return [{"metadata": {"name": "fast"}, "reclaimPolicy": self.policy, **spec}]
        if path.endswith("/csistoragecapacities") and self.free is not None:
            told = {"storageClassName": "fast", "nodeTopology": {}, "capacity": self.free}
            largest = {} if self.largest is None else {"maximumVolumeSize": self.largest}
            return [{"metadata": {"name": "a", "namespace": "driver"}, **told, **largest}]
        if path.endswith("/nodes"):
            info = ("kubeletVersion", "kernelVersion", "osImage", "containerRuntimeVersion", "architecture")
            status = {"conditions": [{"type": "Ready", "status": "True"}], "nodeInfo": dict.fromkeys(info, "x")}
            return [{"metadata": {"name": f"node-{n}"}, "spec": {}, "status": status} for n in range(3)]
        return []


@pytest.fixture
def lab() -> Lab:
    return Lab()


@pytest.fixture
def server(lab: Lab) -> Iterator[str]:
    """Where it listens."""

    class Server(JsonHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            if path == "/version":
                self.answer(200, {"gitVersion": "v1.34.4"})
            elif path.endswith("/namespaces/kube-system"):
                self.answer(200, {"metadata": {"uid": "u"}})
            else:
                self.answer(200, {"metadata": {}, "items": lab.objects(path)})

        def do_POST(self) -> None:
            asked = json.loads(self.body())
            if self.path.endswith("/selfsubjectaccessreviews"):
                resource = asked["spec"]["resourceAttributes"]["resource"]
                self.answer(201, {"status": {"allowed": resource != lab.forbidden}})
            else:
                lab.made.append(self.path)
                self.answer(403, {"message": "nothing is made here"})

    with serving(Server) as url:
        yield url


@pytest.fixture
def run(server: str, tmp_path: Path) -> Run:
    """A run on class `fast` of that cluster, in a process of its own."""
    path = tmp_path / "kubeconfig"
    cluster, user = {"cluster": "here", "user": "me"}, {"name": "me", "user": {"token": "t"}}
    clusters = [{"name": "here", "cluster": {"server": server}}]
    contexts = [{"name": "c", "context": cluster}]
    path.write_text(
        yaml.safe_dump({"current-context": "c", "contexts": contexts, "clusters": clusters, "users": [user]})
    )
    surroundings = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("STORAGE_", "PYTEST_", "KUBE")) and "proxy" not in name.lower()
    }
    given = ("--storage-class=fast", "--storage-image=i", "--storage-timeout=2s")

    def run(*options: str) -> tuple[int, str]:
        words = (*PYTEST_MODULE, *given)
        folders = (f"--storage-kubeconfig={path}", f"--storage-report={tmp_path / 'reports'}")
        done = run_module(*words, *folders, *options, folder=ROOT, environment=surroundings)
        return done.returncode, " ".join((done.stdout + done.stderr).split())

    return run


def results(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "reports" / "latest" / "results.json").read_text(encoding="utf-8")))


# Of five volumes of a GiB each, one after the other, and a second while the first goes.
SMOKE = ("-m", "smoke", "-k", "test_provisioning")
BEGUN = ["/api/v1/namespaces"]


def test_more_than_half_of_what_is_free_is_refused_with_the_figures(lab: Lab, run: Run, tmp_path: Path) -> None:
    lab.free = "3Gi"
    status, output = run(*SMOKE)
    assert (status, lab.made) == (10, [])
    assert "StorageClass fast: up to 2 GiB would be claimed at one time; 3 GiB is free (CSIStorageCapacity" in output
    assert "of which a run may claim 50 %, 1.5 GiB" in output and "--storage-pool-share=67%" in output
    (pool,) = results(tmp_path)["pools"]
    assert (pool["storage_class"], pool["claimed"], pool["free"]) == ("fast", 2 * 1024**3, 3 * 1024**3)


@pytest.mark.parametrize(("free", "options"), [("4Gi", ()), ("3Gi", ("--storage-pool-share=67%",))])
def test_with_enough_or_when_allowed_the_run_begins(free: str, options: tuple[str, ...], lab: Lab, run: Run) -> None:
    lab.free = free
    status, output = run(*SMOKE, *options)
    assert (status, lab.made) == (10, BEGUN), output
    assert "nothing is made here" in output


def test_where_nothing_is_known_the_run_begins_and_says_so(lab: Lab, run: Run, tmp_path: Path) -> None:
    assert run(*SMOKE)[0] == 10 and lab.made == BEGUN
    (pool,) = results(tmp_path)["pools"]
    assert pool["free"] is None
    assert pool["description"] == "at most 2 GiB claimed at one time; free space is not known"


@pytest.mark.full
def test_a_volume_larger_than_the_driver_makes_is_refused(lab: Lab, run: Run) -> None:
    lab.free, lab.largest = "100Gi", "512Mi"
    status, output = run(*SMOKE)
    assert (status, lab.made) == (10, [])
    assert "a PVC of 1 GiB is planned; no PV can be larger than 512 MiB" in output


def test_retained_volumes_all_count(lab: Lab, run: Run) -> None:
    lab.free, lab.policy = "9Gi", "Retain"
    status, output = run(*SMOKE)
    assert (status, lab.made) == (10, [])
    assert "up to 5 GiB would be claimed at one time; 9 GiB is free" in output


def test_without_the_right_to_ask_the_run_does_not_begin(lab: Lab, run: Run) -> None:
    lab.forbidden = "csistoragecapacities"
    status, output = run(*SMOKE)
    assert (status, lab.made) == (10, [])
    assert "list on csistoragecapacities.storage.k8s.io" in output


def test_much_is_claimed_with_consent_alone(lab: Lab, run: Run, tmp_path: Path) -> None:
    """51 volumes of 3 GiB; it is the command line that lacks something, so that there are no results."""
    status, output = run("-m", "scale")
    assert (status, lab.made) == (4, [])
    assert "up to 153 GiB would be claimed at one time (at most 153 GiB of fast; replicas not counted)" in output
    assert "--storage-claim-at-most=153Gi" in output
    assert not (tmp_path / "reports" / "latest").exists()
    assert run("-m", "scale", "--storage-claim-at-most=153Gi")[0] == 10 and lab.made == BEGUN


def test_on_the_defaults_a_run_begins_without_scale_runs(lab: Lab, run: Run, tmp_path: Path) -> None:
    status, output = run()
    assert (status, lab.made) == (10, BEGUN), output
    assert "scale runs are left out" in output and "include them with --storage-claim-at-most=" in output
    (pool,) = results(tmp_path)["pools"]
    assert pool["claimed"] <= 100 * 1024**3


def test_a_plan_says_what_would_be_refused(lab: Lab, run: Run) -> None:
    lab.free = "3Gi"
    status, output = run(*SMOKE, "--storage-plan")
    assert (status, lab.made) == (0, [])
    assert f"{ENDS_BEFORE}, with exit status 10: StorageClass fast: up to 2 GiB would be claimed" in output
    assert "fast: at most 2 GiB claimed at one time; 3 GiB is free (CSIStorageCapacity: all nodes), of which" in output

"""Where the cluster comes from: the embedded one, a kubeconfig that is never touched, a provider that is not there."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import embedded_cluster
from acceptance.cluster.api import Api
from acceptance.cluster.resources import CONFIG_MAPS, PODS
from selftests.integration.suite import ROOT, run_suite, suite_environment


def test_kubeconfig_is_copied_never_written_never_deleted_and_the_copy_goes(
    cluster: embedded_cluster.EmbeddedCluster, clean: Api, tmp_path: Path, reports: Path
) -> None:
    theirs = tmp_path / "kubeconfig"
    theirs.write_bytes(cluster.kubeconfig.read_bytes())
    theirs.chmod(0o400)
    os.utime(theirs, (1_000_000_000, 1_000_000_000))
    before = (theirs.read_bytes(), theirs.stat().st_mtime, stat.S_IMODE(theirs.stat().st_mode), theirs.stat().st_ino)
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    given = {"TMPDIR": str(temporary)}
    run = run_suite(f"--storage-kubeconfig={theirs}", "-k", "takes_a_write", reports=reports, environment=given)
    assert run.status == 0, run.output
    after = (theirs.read_bytes(), theirs.stat().st_mtime, stat.S_IMODE(theirs.stat().st_mode), theirs.stat().st_ino)
    assert after == before
    assert [path.name for path in temporary.iterdir() if path.name.startswith("storage-acceptance")] == []
    assert run.results["cluster"]["kind"] == "kubeconfig"


def test_context_alone_means_the_users_kubeconfig(
    cluster: embedded_cluster.EmbeddedCluster, clean: Api, reports: Path
) -> None:
    environment = {"KUBECONFIG": str(cluster.kubeconfig)}
    run = run_suite("--storage-context", "no-such-context", reports=reports, environment=environment)
    assert run.status == 4, run.output
    assert "no-such-context" in run.output


@pytest.mark.parametrize(
    "kind", ["kind", *(pytest.param(each, marks=pytest.mark.full) for each in ("k3d", "minikube"))]
)
def test_provider_that_is_not_there_says_so_in_one_line(kind: str, tmp_path: Path, reports: Path) -> None:
    environment = {"PATH": str(tmp_path)}
    run = run_suite(f"--storage-cluster={kind}", "--storage-image=suite", reports=reports, environment=environment)
    assert run.status == 10, run.output
    lines = [line for line in run.output.splitlines() if f"--storage-cluster {kind} needs {kind}" in line]
    assert len(lines) >= 1
    assert "not found on this machine" in lines[0]


def test_collecting_needs_no_cluster_and_no_network(tmp_path: Path) -> None:
    """In a network name space of its own there is not even a loopback."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", f"--storage-report={tmp_path / 'reports'}"]
    done = subprocess.run(
        ["unshare", "--net", *command], cwd=ROOT, env=suite_environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "test_claim_binds_and_takes_a_write[default-class]" in done.stdout
    assert not (tmp_path / "reports").exists()


# In place of kind: it has a cluster, and notes what it is asked.
KIND = """#!/bin/sh
echo "kind $*" >> "$CALLS"
[ "$1" = create ] && while [ $# -gt 0 ]; do [ "$1" = --kubeconfig ] && cp "$THEIRS" "$2"; shift; done
exit 0
"""


def test_a_cluster_that_kind_creates_is_used_and_deleted(
    cluster: embedded_cluster.EmbeddedCluster, clean: Api, tmp_path: Path, reports: Path
) -> None:
    """Its cluster is the embedded one; the image is its own, which no Docker here has, and is loaded nowhere."""
    image = str(clean.get(CONFIG_MAPS, "storage-acceptance", namespace="kube-public")["data"]["image"])
    for name, text in (("kind", KIND), ("docker", '#!/bin/sh\n[ "$1" = info ]\n')):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    # There the provisioner is a pod, and here a process of this machine.
    about = {"name": "local-path-provisioner-in-name", "namespace": "local-path-storage"}
    container = {"name": "stays", "image": image, "command": ["sh", "-c", "while :; do sleep 1; done"]}
    spec = {"containers": [container], "terminationGracePeriodSeconds": 0}
    clean.create(PODS, {"metadata": about, "spec": spec}, namespace=about["namespace"])
    calls = tmp_path / "calls"
    given = {"CALLS": str(calls), "THEIRS": str(cluster.kubeconfig), "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    options = ["--storage-cluster=kind", f"--storage-image={image}", "-k", "takes_a_write"]
    try:
        run = run_suite(*options, reports=reports, environment=given)
    finally:
        clean.delete(PODS, about["name"], namespace=about["namespace"])
    assert run.status == 0, run.output
    assert run.results["cluster"]["kind"] == "kind" and run.verdict("takes_a_write")["status"] == "pass"
    created, deleted = calls.read_text().splitlines()
    assert created.startswith("kind create cluster --name pytest-") and "--image" not in created
    assert deleted.split()[:5] == ["kind", "delete", "cluster", "--name", created.split()[4]]

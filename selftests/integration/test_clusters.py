"""Where the cluster comes from: the embedded one, a kubeconfig that is never touched, a provider that is not there."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import embedded_cluster
from acceptance.cluster.api import Api
from selftests.integration.suite import ROOT, run_suite, suite_environment


def test_kubeconfig_is_copied_never_written_never_deleted(
    cluster: embedded_cluster.EmbeddedCluster, clean: Api, tmp_path: Path, reports: Path
) -> None:
    theirs = tmp_path / "kubeconfig"
    theirs.write_bytes(cluster.kubeconfig.read_bytes())
    theirs.chmod(0o400)
    os.utime(theirs, (1_000_000_000, 1_000_000_000))
    before = (theirs.read_bytes(), theirs.stat().st_mtime, stat.S_IMODE(theirs.stat().st_mode), theirs.stat().st_ino)
    run = run_suite(f"--storage-kubeconfig={theirs}", "-k", "takes_a_write", reports=reports)
    assert run.status == 0, run.output
    after = (theirs.read_bytes(), theirs.stat().st_mtime, stat.S_IMODE(theirs.stat().st_mode), theirs.stat().st_ino)
    assert after == before
    assert run.results["cluster"]["kind"] == "kubeconfig"


def test_context_alone_means_the_users_kubeconfig(
    cluster: embedded_cluster.EmbeddedCluster, clean: Api, reports: Path
) -> None:
    environment = {"KUBECONFIG": str(cluster.kubeconfig)}
    run = run_suite("--storage-context", "no-such-context", reports=reports, environment=environment)
    assert run.status == 10, run.output
    assert "no-such-context" in run.output


def test_private_copy_is_gone_afterwards(clean: Api, tmp_path: Path, reports: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    run = run_suite("-k", "takes_a_write", reports=reports, environment={"TMPDIR": str(temporary)})
    assert run.status == 0, run.output
    assert [each.name for each in temporary.iterdir() if each.name.startswith("storage-acceptance")] == []


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

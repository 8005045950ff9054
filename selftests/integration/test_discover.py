"""`discover` on the embedded cluster: it reads, and says what to run next."""

from __future__ import annotations

import subprocess
import sys

from acceptance.cluster.api import Api
from acceptance.cluster.resources import NAMESPACES
from embedded_cluster import EmbeddedCluster
from selftests.integration.suite import ROOT


def test_classes_are_shown_with_what_to_run_next(clean: Api, cluster: EmbeddedCluster) -> None:
    kubeconfig = cluster.kubeconfig
    before = {each["metadata"]["name"] for each in clean.list(NAMESPACES)}
    words = [sys.executable, "-m", "acceptance", "discover", "--kubeconfig", str(kubeconfig)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "local-path (local)" in done.stdout and "replicated" in done.stdout
    option = f"--storage-kubeconfig={kubeconfig}"
    assert f"storage-acceptance quick replicated {option}" in done.stdout
    assert f"run --storage-class=replicated --storage-baseline-class=local-path {option}" in done.stdout
    assert {each["metadata"]["name"] for each in clean.list(NAMESPACES)} == before

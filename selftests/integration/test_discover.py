"""`discover` on the embedded cluster: its classes, and what to run next."""

from __future__ import annotations

import re
import subprocess
import sys

from embedded_cluster import EmbeddedCluster
from selftests.integration.suite import ROOT


def test_classes_are_shown_with_what_to_run_next(cluster: EmbeddedCluster) -> None:
    """Which are proposed depends on those that other tests have on the cluster meanwhile, however short a time."""
    kubeconfig = cluster.kubeconfig
    words = [sys.executable, "-m", "acceptance", "discover", "--kubeconfig", str(kubeconfig)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "local-path (local)" in done.stdout and "replicated" in done.stdout
    option = re.escape(f"--storage-kubeconfig={kubeconfig}")
    quick = re.search(rf"storage-acceptance quick (\S+) {option}", done.stdout)
    run = re.search(rf"run --storage-class=(\S+) --storage-baseline-class=\S+ {option}", done.stdout)
    assert quick and run and quick[1] == run[1] and quick[1] != "local-path"
    table, _, _ = done.stdout.partition("Next commands:")
    assert re.search(rf"^ *{re.escape(quick[1])} ", table, re.MULTILINE)

"""How much a run is asked to judge: every limit of the tier, on every candidate class, whatever was selected."""

from __future__ import annotations

import json
import os
from pathlib import Path

from selftests.pytest_command import PYTEST_MODULE
from selftests.warm_start import run_module

ROOT = Path(__file__).parents[2]
LIMITS = """version: 1
tiers:
  mine:
    limits:
      random-write-iops:
        write.iops: {at_least: 1, because: it is asked for}
        write.latency.p99: {at_most: 1s, because: it is asked for}
    comparison:
      random-write-iops:
        write.iops: {not_better_than_baseline_by: 50%, because: it is asked for}
    scaling:
      random-write-iops:
        metric: write.iops
        total_at_last_step: {at_least: 50%, because: it is asked for}
        per_volume: [{pods: 1, at_least: 1, because: it is asked for}, {pods: 3, at_least: 1, because: it is asked for}]
"""


def test_limits_rules_and_scaling_limits_of_all_classes_count(tmp_path: Path) -> None:
    classes = [tmp_path / "one", tmp_path / "other"]
    for folder in classes:
        folder.mkdir()
    (tmp_path / "limits.yaml").write_text(LIMITS, encoding="utf-8")
    run_module(
        *(*PYTEST_MODULE, "-q", "-m", "provisioning"),
        *("--storage-cluster=host", *(f"--storage-class={folder}" for folder in classes)),
        *(f"--storage-thresholds={tmp_path / 'limits.yaml'}", "--storage-tier=mine", f"--storage-report={tmp_path}"),
        folder=ROOT,
        environment={name: value for name, value in os.environ.items() if not name.startswith(("STORAGE_", "PYTEST_"))},
    )
    results = json.loads((tmp_path / "latest" / "results.json").read_text(encoding="utf-8"))
    assert results["tier_limits"] == 2 * (2 + 1 + 3)

"""More and more volumes on one node, through the suite's own command line: on good storage, and on a driver that takes
four and does not say so."""

from __future__ import annotations

from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from embedded_cluster.csi.part import CLASS
from selftests.integration.suite import left_behind, run_suite
from selftests.lab.csi_classes import class_of, faulty_classes

FILES, FOUR = ("tests/test_many_volumes_on_a_node.py",), "node-takes-four"
LIMITS = """
version: 1
tiers:
  baseline:
    node_volumes:
      used: {at_least: 8, because: the test wants it so}
"""


@pytest.mark.full
def test_a_node_is_filled_as_far_as_its_driver_goes(clean: Api, reports: Path, tmp_path: Path) -> None:
    (limits := tmp_path / "limits.yaml").write_text(LIMITS)
    classes = [f"--storage-class={name}" for name in (CLASS, class_of(FOUR))]
    options = (*classes, f"--storage-thresholds={limits}", "--storage-with=node-volumes=8", "--storage-timeout=60s")
    with faulty_classes(clean, [FOUR]):
        run = run_suite(*FILES, *options, reports=reports)
    assert run.status == 1, run.output
    verdicts = {
        (verdict["storage_class"], "required" in verdict["test"]): verdict for verdict in run.results["verdicts"]
    }
    assert {key: verdict["status"] for key, verdict in verdicts.items()} == {
        (CLASS, False): "pass",
        (CLASS, True): "pass",
        (class_of(FOUR), False): "pass",
        (class_of(FOUR), True): "fail",
    }
    failed = verdicts[class_of(FOUR), True]
    assert "takes no more" in failed["reason"] and failed["measured"] == 4
    assert left_behind(clean) == []


@pytest.mark.full
def test_a_limit_above_the_permitted_number_is_not_judged(clean: Api, reports: Path, tmp_path: Path) -> None:
    (limits := tmp_path / "limits.yaml").write_text(LIMITS)
    options = (f"--storage-class={CLASS}", f"--storage-thresholds={limits}", "--storage-with=node-volumes=2")
    run = run_suite(*FILES, *options, reports=reports)
    verdict = run.verdict("required_number")
    assert verdict["status"] == "skipped" and "node-volumes=8 or more" in verdict["reason"], run.output
    assert left_behind(clean) == []

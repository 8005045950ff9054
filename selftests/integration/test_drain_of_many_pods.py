"""Several pods of a node that are evicted at the same time, through the suite's own command line: on good storage, on a
driver that mounts one volume after the other, and on one that loses data when a pod ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from embedded_cluster.csi.part import CLASS
from selftests.integration.suite import left_behind, run_suite
from selftests.lab.csi_classes import class_of, faulty_classes

FILES, SLOW, LOSES = ("tests/test_drain_of_many_pods.py",), "mounts-one-at-a-time", "data-lost-at-unpublish"
PODS = 4
# A driver that mounts one volume after the other takes 15 s for each.
LIMITS = """
version: 1
tiers:
  baseline:
    drain_of_many:
      time: {at_most: 55s, because: the test wants it so}
"""


@pytest.mark.full
def test_a_drain_of_many_fails_for_what_is_wrong_with_the_storage(clean: Api, reports: Path, tmp_path: Path) -> None:
    (limits := tmp_path / "limits.yaml").write_text(LIMITS)
    classes = [f"--storage-class={name}" for name in (CLASS, class_of(SLOW), class_of(LOSES))]
    with faulty_classes(clean, [SLOW, LOSES]):
        run = run_suite(
            *FILES,
            *classes,
            f"--storage-thresholds={limits}",
            f"--storage-with=drained-pods={PODS}",
            reports=reports,
        )
    assert run.status == 1, run.output
    verdicts = {
        (verdict["storage_class"], "in_time" in verdict["test"]): verdict for verdict in run.results["verdicts"]
    }
    assert {key: verdict["status"] for key, verdict in verdicts.items()} == {
        (CLASS, False): "pass",
        (CLASS, True): "pass",
        (class_of(SLOW), False): "pass",
        (class_of(SLOW), True): "fail",
        (class_of(LOSES), False): "fail",
        (class_of(LOSES), True): "pass",
    }
    assert "acknowledged records are lost" in verdicts[class_of(LOSES), False]["reason"]
    (record,) = [record for record in run.results["figures"] if record["storage_class"] == CLASS]
    assert len(record["rows"]) == PODS and record["figures"][0]["value"] < verdicts[class_of(SLOW), True]["measured"]
    assert left_behind(clean) == []

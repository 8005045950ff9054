"""Which earlier runs can be compared, and what is kept of a run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from acceptance.results.clusters import Cluster, Image
from acceptance.results.document import Estimate, Measurement, RelativeEstimate
from acceptance.results.history import AcceptedLevel, KeptMeasurement, KeptMetric, RunRecord
from acceptance.results.history_series import Series, past, record_of
from acceptance.results.recorder import Recorder

NIGHT = datetime(2026, 11, 21, 2, tzinfo=UTC)
SETTINGS = {
    "baseline_class": "local-path",
    "volume_size": 3 * 1024**3,
    "test_size": 1024**3,
    "volume_mode": "filesystem",
}


def run(mean: float = 1000.0, *, of: dict[str, Any] | None = None, **changed: Any) -> RunRecord:
    """A run of synchronous writes; `of`: what is other about its measurement, `changed`: about itself."""
    measurement: dict[str, Any] = {
        "profile": "sync-write-iops",
        "profile_digest": "ab",
        "storage_class": "fast",
        "role": "candidate",
        "node": "node-1",
        "metrics": {"write.iops": KeptMetric(mean=mean, low=None, high=None, unit="1/s")},
    }
    values: dict[str, Any] = {
        "run": f"run-{mean:g}",
        "date": NIGHT,
        "suite_version": "0.1.0",
        "exit_status": 0,
        "cluster_kind": "kubeconfig",
        "cluster": "0d1e",
        **SETTINGS,
        "measurements": [KeptMeasurement.model_validate(measurement | (of or {}))],
    }
    return RunRecord.model_validate(values | changed)


def measured_run() -> Recorder:
    """A run that has measured synchronous writes."""
    recorder = Recorder(run_id="r", started_at=NIGHT, settings=SETTINGS, tier_limits=1)
    recorder.cluster = Cluster(
        kind="kubeconfig",
        kubernetes_version="v1.34",
        nodes=[],
        storage_classes=[],
        image=Image(reference="i", digest=None),
        identity="0d1e",
    )
    recorder.keep(
        Measurement(
            id="m",
            profile="sync-write-iops",
            storage_class="fast",
            role="candidate",
            node="node-1",
            pods=[],
            started=NIGHT,
            duration_s=4.0,
            fio_version="fio-3.33",
            metrics={
                "write.iops": Estimate(mean=1000.0, low=990.0, high=1010.0, unit="1/s", samples=4),
                "stall.longest": Estimate(mean=0.01, low=0.01, high=0.01, unit="s", samples=4),
            },
            series={},
            warnings=[],
            against_baseline={"write.iops": RelativeEstimate(ratio=0.25, low=0.2, high=0.3, confidence=0.95)},
        )
    )
    return recorder


THIS = run()
SERIES = Series.of(THIS, THIS.measurements[0])


@pytest.mark.parametrize(
    "other",
    [
        run(cluster="f00d"),
        run(baseline_class=None),
        run(volume_size=1),
        run(test_size=1),
        run(volume_mode="block"),
        run(access_mode="ReadWriteMany"),
        run(of={"profile_digest": "cd"}),
    ],
    ids=["cluster", "baseline class", "volume size", "test size", "volume mode", "access mode", "profile's text"],
)
def test_runs_that_differ_are_counted_and_not_compared(other: RunRecord) -> None:
    found = past([run(900.0), other], SERIES, metric="write.iops")
    assert [point.mean for point in found.points] == [900.0]
    assert found.incomparable_runs == 1


@pytest.mark.parametrize("other", [run(of={"storage_class": "slow"}), run(of={"profile": "etcd-fsync"})])
def test_other_classes_and_profiles_are_not_even_counted(other: RunRecord) -> None:
    assert past([other], SERIES, metric="write.iops").incomparable_runs == 0


@pytest.mark.parametrize("same", [run(of={"node": "node-2"}), run(cluster_kind="in-cluster"), run(exit_status=1)])
def test_another_node_another_way_in_and_a_failure_are_no_other_series(same: RunRecord) -> None:
    assert len(past([same], SERIES, metric="write.iops").points) == 1


def test_a_baseline_and_a_run_that_stood_still_are_no_points() -> None:
    runs = [run(of={"role": "baseline"}), run(0.0), run(5.0)]
    found = past(runs, SERIES, metric="write.iops")
    assert [point.run for point in found.points] == ["run-5"]
    assert past(runs, SERIES, metric="read.iops").points == ()


def accepted(run: str, **about: Any) -> AcceptedLevel:
    return AcceptedLevel(accepted=run, date=NIGHT, suite_version="0.1.0", **about)


@pytest.mark.parametrize(
    ("levels", "first"),
    [
        ([], 0),
        ([accepted("run-2")], 1),
        ([accepted("run-3"), accepted("run-2")], 1),
        ([accepted("run-2"), accepted("run-3", storage_class="fast", profile="sync-write-iops")], 2),
        ([accepted("run-2"), accepted("run-3", storage_class="slow")], 1),
        ([accepted("run-2", profile="etcd-fsync")], 0),
        ([accepted("gone")], 0),
    ],
    ids=["none", "one", "the last counts", "of this", "of another class", "of another profile", "of no run"],
)
def test_a_level_counts_from_its_run_on_for_what_it_is_about(levels: list[AcceptedLevel], first: int) -> None:
    runs = [run(float(number), date=NIGHT + timedelta(days=number)) for number in (1, 2, 3)]
    assert past(runs, SERIES, metric="write.iops", levels=levels).accepted_from == first


def test_a_run_is_kept_with_what_it_measured() -> None:
    recorder = measured_run()
    kept = record_of(recorder.results(exit_status=1), profiles={"sync-write-iops": "[job]\n"})
    assert (kept.run, kept.date, kept.exit_status, kept.cluster) == ("r", NIGHT, 1, "0d1e")
    (measurement,) = kept.measurements
    assert measurement.metrics["write.iops"] == KeptMetric(
        mean=1000.0, low=990.0, high=1010.0, unit="1/s", of_baseline=0.25
    )
    assert measurement.metrics["stall.longest"].of_baseline is None
    # sha256sum of the text
    assert measurement.profile_digest == "42e8e3b2023b203d16c58ae33dc98a742850d5eb59b8612e645ec6dfe7268378"


def test_other_comments_in_a_shipped_profile_begin_no_other_series() -> None:
    results = measured_run().results(exit_status=0)
    shipped = (Path(__file__).parents[2] / "profiles" / "sync-write-iops.fio").read_text(encoding="utf-8")
    options = "".join(shipped.partition("[global]")[1:])
    one, other = (record_of(results, profiles={"sync-write-iops": text}) for text in (shipped, f"# More.\n{options}"))
    assert Series.of(one, one.measurements[0]) == Series.of(other, other.measurements[0])


def test_results_without_a_cluster_are_no_run() -> None:
    recorder = Recorder(run_id="r", started_at=NIGHT, settings=SETTINGS, tier_limits=1)
    with pytest.raises(ValueError, match="expected the results of a run that has reached its cluster"):
        record_of(recorder.results(), profiles={})

"""What is made of rebuilds that are over: the foreground where it is known, and what a reader must know of times."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from acceptance.loads.fio.samples import Sample
from acceptance.loads.fio.snapshots import Counts
from acceptance.measuring.windows import TimedSample, Window
from acceptance.text.errors import AcceptanceError, EnvironmentFailure, StorageFailure
from acceptance.trials.rebuild.findings import impact_of, warnings
from acceptance.trials.rebuild.foreground import Foreground
from selftests.unit.rebuild_records import timed

REBUILD = timed(30.0)
BEGAN_S = REBUILD.started.timestamp()
BEFORE = [Window(start_s=BEGAN_S - 22, end_s=BEGAN_S - 2)]


def foreground(*, until_s: float = 31, error: AcceptanceError | None = None) -> Foreground:
    """A load of 1,000 writes a second until the rebuild began, and of 100 then."""
    samples = [
        TimedSample(
            end_s=BEGAN_S + at_s,
            sample=Sample(duration_s=1, counts={"write": Counts(ios=100 if at_s > 0 else 1000, histogram={1000: 1})}),
        )
        for at_s in range(-25, int(until_s) + 1)
    ]
    return SimpleNamespace(samples=samples, error=error)  # type: ignore[return-value]


def test_the_foreground_is_that_before_and_during_the_rebuild() -> None:
    found, unknown = impact_of(foreground(), before=BEFORE, rebuilds=[REBUILD])
    assert found is not None and unknown is None
    assert (found.iops_before.mean, found.iops_during.mean) == (1000, 100)


def test_a_load_that_ended_too_soon_leaves_it_unknown() -> None:
    assert impact_of(foreground(until_s=10), before=BEFORE, rebuilds=[REBUILD]) == (
        None,
        "20 s of the load are missing",
    )
    gone = foreground(error=EnvironmentFailure("the pod was evicted"))
    assert impact_of(gone, before=BEFORE, rebuilds=[REBUILD]) == (
        None,
        "the load ended too early: the pod was evicted",
    )


def test_a_write_that_was_refused_is_the_storages_failure() -> None:
    with pytest.raises(StorageFailure, match="Input/output error"):
        impact_of(foreground(error=StorageFailure("Input/output error")), before=BEFORE, rebuilds=[REBUILD])


def test_tries_that_failed_are_told() -> None:
    tried = timed(31.0).model_copy(update={"failures": ["replica r-4: no space left"]})
    assert warnings([timed(31.0), tried]) == [
        "a rebuild attempt failed, and the storage repeated it: replica r-4: no space left"
    ]
    assert len(warnings([tried, timed(10.0, exact_to_s=2.0)])) == 2


def test_only_times_that_are_rough_are_told() -> None:
    assert warnings([timed(31.0, exact_to_s=1.5)]) == []
    (told,) = warnings([timed(31.0, exact_to_s=1.5), timed(10.0, exact_to_s=2.0), timed(31.0, exact_to_s=3.0)])
    assert told.startswith("a rebuild time of 10 s is known only to within 2 s")

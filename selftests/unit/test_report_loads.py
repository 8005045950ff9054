"""The first screen of the report: how long loads were, and how many of them a cache may have helped."""

from __future__ import annotations

from acceptance.report.overview import overview
from acceptance.results.document import Measurement, Results
from selftests.unit.compared_runs import measured, run_of

MIB, GIB = 1024**2, 1024**3


def load(name: str, *, bandwidth: float, duration_s: float = 12.0) -> Measurement:
    one = measured({"read.bandwidth": bandwidth, "read.iops": 100.0}, profile=name)
    return one.model_copy(update={"duration_s": duration_s})


def facts(results: Results) -> dict[str, str]:
    return dict(overview(results).facts)


def test_how_long_loads_were() -> None:
    run = run_of(*(load(f"p{each}", bandwidth=1.0, duration_s=float(each)) for each in (4, 4, 12, 36, 60)))
    assert facts(run)["Loads"] == "5 measurements of 4 s to 60 s each, half of them at least 12 s"
    assert facts(run_of(load("p", bandwidth=1.0)))["Loads"] == "1 measurement of 12 s each"
    short = run_of(*(load(f"p{each}", bandwidth=1.0, duration_s=each) for each in (4.0, 4.0, 40.0)))
    assert facts(short)["Loads"] == "3 measurements of 4 s to 40 s each"


def test_what_was_loaded_beside_is_not_counted() -> None:
    beside = measured({"read.iops": 1.0}, profile="p", storage_class="local", role="baseline")
    assert facts(run_of(load("p", bandwidth=1.0), beside))["Loads"].startswith("1 measurement of")


def test_a_file_that_is_small_for_what_was_read_of_it() -> None:
    texts = {"fast": "[job]", "slow": "[job]", "own": "[job]\nsize=64g"}
    loads = [load("fast", bandwidth=100 * MIB), load("slow", bandwidth=MIB), load("own", bandwidth=100 * MIB)]
    run = run_of(*loads, texts=texts, settings={"test_size": GIB})
    assert facts(run)["Caches"] == (
        "may have helped 1 of 3 measurements: the file loaded holds less than 25 s of what was read or written; "
        "larger with --storage-test-size"
    )
    large = run_of(*loads, texts=texts, settings={"test_size": 4 * GIB})
    assert facts(large)["Caches"] == "no file loaded held less than 25 s of what was read or written"


def test_nothing_is_said_where_nothing_was_measured_or_the_loads_are_not_known() -> None:
    assert not {"Loads", "Caches"} & set(facts(run_of()))
    assert "Caches" not in facts(run_of(load("p", bandwidth=1.0)))
    assert "Caches" not in facts(run_of(load("p", bandwidth=1.0), texts={"another": "[job]"}))

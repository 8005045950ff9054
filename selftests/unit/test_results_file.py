"""Reading results again: what is whole is read, of any age; what is not is told by what it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from acceptance.results.document import Results
from acceptance.results.file import LARGEST_B, read_results
from acceptance.results.recorder import Recorder
from acceptance.text.errors import WrongUsage

Data = dict[str, Any]


STARTED = datetime(2026, 11, 21, 7, 15, 2, tzinfo=UTC)
RESULTS = Recorder(run_id="r", started_at=STARTED, settings={"tier": "baseline"}, tier_limits=1).results(exit_status=5)
MEASURED: Data = {
    "id": "fast/writes/candidate",
    "profile": "writes",
    "storage_class": "fast",
    "role": "candidate",
    "node": "n1",
    "pods": [],
    "started": "2026-11-21T07:15:02Z",
    "duration_s": 4.0,
    "fio_version": "fio-3.33",
    "metrics": {},
    "series": {},
    "warnings": [],
}


def written(folder: Path, text: str) -> Path:
    path = folder / "results.json"
    path.write_text(text, encoding="utf-8")
    return path


def document(folder: Path, change: Callable[[Data], object] = lambda data: None) -> Path:
    data = json.loads(RESULTS.model_dump_json())
    change(data)
    return written(folder, json.dumps(data))


def problem(path: Path) -> str:
    with pytest.raises(WrongUsage) as found:
        read_results(path)
    return str(found.value)


def test_what_a_run_wrote_is_read_from_the_file_and_from_its_folder(tmp_path: Path) -> None:
    path = document(tmp_path)
    assert read_results(path) == read_results(tmp_path) == RESULTS


def test_a_run_that_was_killed_is_read_and_known_as_incomplete(tmp_path: Path) -> None:
    path = document(tmp_path, lambda data: data["run"].update(complete=False, finished=None, exit_status=None))
    assert read_results(path).run.complete is False


def test_results_of_an_older_suite_lack_fields_and_are_read(tmp_path: Path) -> None:
    old = [name for name, field in Results.model_fields.items() if not field.is_required() and name != "schema_version"]
    assert {"durability", "tier_limits"} < set(old)
    found = read_results(document(tmp_path, lambda data: [data.pop(name) for name in old]))
    counts = {"tier_limits": 0, "tier_limits_applying": None, "tier_limits_judged": None}
    assert found == RESULTS.model_copy(update=counts)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            lambda data: data.update(schema_version=4),
            "expected results of schema version 3 or older, found version 4, written by suite 0.1.0; this is suite ",
        ),
        (
            lambda data: data["run"].update(moon="full", suite_version="0.9.0\x1b[2J"),
            r"found run.moon, written by suite 0.9.0\x1b[2J; read it with that suite or a newer one",
        ),
        (lambda data: data["run"].update(suite_version=7, moon="full"), "run.suite_version: Input should be a valid"),
        (lambda data: data.pop("run"), "found other JSON"),
        (lambda data: data.update(run=None), "found one that does not fit (run: Input should be a valid"),
        (lambda data: data.pop("overall"), "found one that does not fit (overall: Field required)"),
        (lambda data: data.pop("overall"), "was changed, or is of an older suite than can be read: get the file"),
        (lambda data: data["run"].update(started="2026-11-21T07:15:02"), "run.started: Input should have timezone"),
        (lambda data: data["run"].update(finished="2026-11-21T07:15:02"), "run.finished: Input should have timezone"),
        (
            lambda data: data.update(measurements=[MEASURED | {"started": "2026-11-21T07:15:02"}]),
            "measurements.0.started: Input should have timezone",
        ),
        (lambda data: data.update(schema_version="one"), "schema_version: Input should be 3"),
    ],
)
def test_what_does_not_fit_is_named(change: Callable[[Data], object], told: str, tmp_path: Path) -> None:
    path = document(tmp_path, change)
    assert problem(path).startswith(f"{path}: expected ")
    assert told in problem(path)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "found an empty file; get it from the run again"),
        ("verdict: pass", "found no JSON"),
        ('{"schema_version": 1, "run": {"id"', "found a truncated one"),
        ("[1, 2]", "found other JSON; name another file"),
        ('{"asked": NaN}', "found one with the number NaN"),
        ('{"asked": 1e999}', "found one with the number 1e999"),
        ('{"asked": 1' + "0" * 400 + "}", "found one with the number 10000000000000000000..."),
        ('{"a":' * 100_000, "expected the results.json of a run, found"),
    ],
)
def test_what_is_no_results_is_told_by_what_it_is(text: str, told: str, tmp_path: Path) -> None:
    assert told in problem(written(tmp_path, text))


def test_what_cannot_be_read_at_all(tmp_path: Path) -> None:
    assert "found no such file; name one, or a run's folder" in problem(tmp_path)
    (tmp_path / "results.json").write_bytes(b"\xff\xfe")
    assert "expected a readable results.json, found: 'utf-8' codec" in problem(tmp_path)


def test_figures_that_no_run_finds_are_refused(tmp_path: Path) -> None:
    estimate = {"mean": -1.0, "low": None, "high": None, "unit": "1/s", "samples": 4}
    found = MEASURED | {"metrics": {"write.iops": estimate}}
    below = document(tmp_path, lambda data: data.update(measurements=[found]))
    assert "write.iops of fast/writes/candidate is below zero; it was changed after the run" in problem(below)
    text = found | {"duration_s": "NaN"}
    assert "it holds a number that is not finite" in problem(
        document(tmp_path, lambda data: data.update(measurements=[text]))
    )
    sure = found | {"metrics": {"write.iops": estimate | {"mean": 1.0, "confidence": 95}}}
    path = document(tmp_path, lambda data: data.update(measurements=[sure]))
    assert "the confidence of write.iops of fast/writes/candidate is 95.0" in problem(path)
    alone = found | {"metrics": {}, "compared_with": "local/writes/baseline"}
    path = document(tmp_path, lambda data: data.update(measurements=[alone]))
    assert "was compared with local/writes/baseline, which is not in it" in problem(path)


@pytest.mark.parametrize("nested", ["[" * 450 + "]" * 450, "[" * 100_000, '{"a":' * 450 + "1" + "}" * 450])
def test_brackets_without_end_are_told_and_no_traceback(nested: str, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text('{"schema_version": 1, "run": ' + nested + "}", encoding="utf-8")
    with pytest.raises(WrongUsage, match=r"results\.json"):
        read_results(path)


def test_a_file_larger_than_any_run_writes_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    with path.open("wb") as file:
        file.truncate(LARGEST_B + 1)
    with pytest.raises(WrongUsage, match=r"more than any run writes"):
        read_results(path)

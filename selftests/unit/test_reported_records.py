"""Every record of results.json and every limit that can be declared has its figures in metrics.prom."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import get_args, get_origin

import pytest

from acceptance.limits.declared import SECTIONS
from acceptance.limits.file import load_limits
from acceptance.limits.limit import Limit
from acceptance.report.prometheus.document import metrics_text
from acceptance.report.record_modules import GAUGES, chapters
from acceptance.report.subjects import TITLES
from acceptance.results.document import Results, SustainedRecord
from acceptance.results.figures import FiguresRecord, NamedFigure
from acceptance.results.file import read_results
from acceptance.results.history import TrendRecord
from acceptance.results.imports import ImportedBehaviour, ImportRecord
from acceptance.results.model import Frozen
from selftests.unit.compared_runs import judged, run_of
from selftests.unit.read_gauges import gauges_of
from selftests.unit.test_metrics_file import of, read

ROOT = Path(__file__).parents[2]
EVIDENCE = read_results(ROOT / "docs/evidence/longhorn-1.10/results.json")
ELSEWHERE = [
    TrendRecord(
        storage_class="fast",
        profile="sync-write-iops",
        metric="write.iops",
        unit="1/s",
        higher_is_better=True,
        margin=0.1,
        points=[],
        this_run=None,
        compared_with=5,
        typical=500.0,
        expected_low=450.0,
        expected_high=550.0,
        status="pass",
    ),
    ImportRecord(
        name="e2e",
        tool="other",
        file="e2e.xml",
        sha256="0",
        made="2026-11-01",
        made_from="timestamp",
        behaviours=[ImportedBehaviour(suite="s", behaviour="b", passed=3, failed=1)],
        failures=[],
    ),
    FiguresRecord(
        subject="provisioning",
        storage_class="fast",
        done="a pod ran on each of 3 nodes",
        figures=[NamedFigure(metric="every_node.ready", value=4.0, low=3.0, high=4.0, unit="s")],
    ),
]
"""records that the evidence has none of"""
FIELDS = {
    name: get_args(field.annotation)[0]
    for name, field in Results.model_fields.items()
    if get_origin(field.annotation) is list and issubclass(get_args(field.annotation)[0], Frozen)
}
"""the lists of records in results.json"""


def classes_of(records: Iterable[object]) -> list[str]:
    """Those that they are about; any where they are about none."""
    about = [record.load if isinstance(record, SustainedRecord) else record for record in records]
    return [*dict.fromkeys(getattr(each, "storage_class", "fast") for each in about)]


@pytest.mark.parametrize("name", FIELDS)
def test_the_records_of_each_list_are_in_the_metrics(name: str) -> None:
    """A list of a new subject has no metric before somebody has declared one."""
    records = getattr(EVIDENCE, name) or [each for each in ELSEWHERE if isinstance(each, FIELDS[name])]
    assert records, f"expected an example of {FIELDS[name].__name__}"
    bare = run_of().model_copy(update={"settings": {"storage_class": classes_of(records)}})
    without, with_them = (set(read(metrics_text(each))) for each in (bare, bare.model_copy(update={name: records})))
    assert with_them - without, f"expected a metric of {name}"


@pytest.mark.parametrize("name", sorted(FIELDS.keys() - {"verdicts", "measurements", "imports", "pools"}))
def test_the_records_of_each_list_are_a_part_of_a_chapter(name: str) -> None:
    """All but those that have a form of their own, or are told of where the run is."""
    records = getattr(EVIDENCE, name) or [each for each in ELSEWHERE if isinstance(each, FIELDS[name])]
    assert chapters(run_of()) == {}
    ((chapter, made),) = chapters(run_of().model_copy(update={name: records})).items()
    assert chapter in TITLES and made.parts


@pytest.mark.parametrize("name", GAUGES)
def test_each_gauge_that_is_declared_for_a_list_is_read_from_its_records(name: str) -> None:
    records = [*getattr(EVIDENCE, name), *(each for each in ELSEWHERE if isinstance(each, FIELDS[name]))]
    results = run_of().model_copy(update={name: records})
    found = {gauge for storage_class in classes_of(records) for gauge in gauges_of(results, storage_class)}
    silent = {gauge.name for gauge in GAUGES[name]} - found
    assert silent <= {"scaling_bandwidth_bytes_per_second", "scaling_capacity_bytes_per_second", *SOMETIMES}


SOMETIMES = {"history_change_ratio"}
"""that neither the evidence nor the examples have"""


def declared() -> list[Limit]:
    """A limit for each key of each section, and those of the shipped tiers."""
    keyed = [
        section.limit(path, 1.0, because="so", profile="sync-write-iops")
        for section in SECTIONS
        for path in section.bounds
    ]
    profiles = {path.stem for path in (ROOT / "profiles").iterdir()}
    shipped = load_limits(ROOT / "thresholds.yaml", profiles=profiles).tiers.values()
    return [*keyed, *(limit for tier in shipped for limit in tier.limits)]


def test_all_sections_are_tried() -> None:
    assert {limit.section for limit in declared()} == {section.key for section in SECTIONS}


@pytest.mark.parametrize("section", [section.key for section in SECTIONS])
def test_figure_and_bound_of_each_limit_are_in_the_metrics(section: str) -> None:
    for limit in (each for each in declared() if each.section == section):
        verdict = judged("fail").model_copy(
            update={
                "id": f"fast/{limit.profile}/{limit.path}/{limit.rule}",
                "requirement": limit.requirement,
                "unit": limit.unit,
                "measured": 2.0,
            }
        )
        text = metrics_text(run_of(verdicts=[verdict]))
        about = {"profile": limit.profile, "metric": limit.path, "rule": limit.rule, "unit": limit.unit}
        assert of(text, "verdict_value", **about, bound="mean") == [2.0]
        assert of(text, "verdict_bound", **about, operator=limit.operator) == [limit.bound]

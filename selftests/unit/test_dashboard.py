"""`deploy/grafana/dashboard.json` can be imported, and asks only for metrics that there are."""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from acceptance.report.gauges import PREFIX, Gauge
from acceptance.report.prometheus import judged, measured
from acceptance.report.record_modules import GAUGES as OF_RECORDS

DASHBOARD: dict[str, Any] = json.loads((Path(__file__).parents[2] / "deploy/grafana/dashboard.json").read_text())
PANELS: list[dict[str, Any]] = DASHBOARD["panels"]
GAUGES = {
    PREFIX + gauge.name: gauge
    for gauges in (vars(judged).values(), vars(measured).values(), *OF_RECORDS.values())
    for gauge in gauges
    if isinstance(gauge, Gauge)
}
SHARED = {"cluster", "candidate", "tier"}
EXPRESSIONS = [target["expr"] for panel in PANELS for target in panel.get("targets", [])]
EXPRESSIONS += [each["definition"] for each in DASHBOARD["templating"]["list"] if "definition" in each]


def test_it_has_what_an_import_needs() -> None:
    assert DASHBOARD["schemaVersion"] >= 36 and DASHBOARD["title"] and DASHBOARD["uid"]
    assert "id" not in DASHBOARD  # Grafana would take it for one of its own
    ids = [panel["id"] for panel in PANELS]
    assert len(set(ids)) == len(ids)


def test_each_panel_asks_the_data_source_that_was_chosen() -> None:
    variables = {each["name"]: each["type"] for each in DASHBOARD["templating"]["list"]}
    assert variables["datasource"] == "datasource"
    for panel in PANELS:
        for target in panel.get("targets", []):
            assert target["datasource"] == panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}


def test_panels_lie_beside_each_other_within_the_width() -> None:
    places = [panel["gridPos"] for panel in PANELS]
    assert all(place["x"] >= 0 and place["x"] + place["w"] <= 24 for place in places)
    for one, other in combinations(places, 2):
        apart_x = one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"]
        apart_y = one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"]
        assert apart_x or apart_y


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_metrics_labels_and_variables_are_ones_that_there_are(expression: str) -> None:
    metrics = re.findall(rf"\b({PREFIX}\w+)(?:{{([^}}]*)}})?", expression)
    assert metrics
    for name, matchers in metrics:
        assert set(re.findall(r"(\w+)\s*=~?", matchers)) <= SHARED | set(GAUGES[name].labels)
    variables = {each["name"] for each in DASHBOARD["templating"]["list"]}
    assert set(re.findall(r"\$(\w+)", expression)) <= variables


@pytest.mark.parametrize("panel", [each for each in PANELS if each["type"] != "row"], ids=lambda panel: panel["title"])
def test_a_legend_names_labels_that_its_metric_has(panel: dict[str, Any]) -> None:
    for target in panel["targets"]:
        (name, *_) = re.findall(rf"\b{PREFIX}\w+", target["expr"])
        assert set(re.findall(r"{{(\w+)}}", target["legendFormat"])) <= SHARED | set(GAUGES[name].labels)

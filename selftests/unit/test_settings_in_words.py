"""The settings in the report: with their options and units, without those that are not set or have no effect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acceptance.report.settings_in_words import setting_rows
from acceptance.settings.run import read_settings

FILES: dict[str, Any] = {"thresholds": Path("thresholds.yaml"), "profiles": Path("profiles")}


def rows(**values: Any) -> dict[str, tuple[str, str]]:
    """Option and value by name, of settings as results hold them."""
    settings = read_settings(FILES | values).model_dump(mode="json")
    return {row.name: (row.option, row.value) for row in setting_rows(settings)}


def test_values_have_units_and_options() -> None:
    shown = rows(destructive=True, rebuild_timeout="10min", ramp_rate="30/min", ramp_node_selector="pool=a")
    assert shown["rebuild_timeout"] == ("--storage-rebuild timeout", "10 min")
    assert shown["ramp_rate"] == ("--storage-ramp rate", "30/min")
    assert shown["ramp_node_selector"] == ("--storage-ramp node-selector", "pool=a")
    assert shown["test_size"] == ("--storage-test-size", "1Gi")
    assert shown["pool_share"] == ("--storage-pool-share", "50 %")
    assert shown["scale_steps"] == ("--storage-scale steps", "1, 3, 6, 9, 12, 15")
    assert shown["destructive"] == ("--storage-destructive", "yes")


def test_a_mapping_shows_the_values_that_are_set() -> None:
    shown = rows(cluster="kind", cluster_set=["version=1.34.0", "nodes=3"])
    assert shown["cluster_set"] == (
        "--storage-cluster-set",
        "version=1.34.0, nodes=3, load=auto, time=10 min",
    )
    assert "cluster_set" not in rows()


@pytest.mark.parametrize(
    "name",
    [
        *("rebuild_timeout", "ramp_form", "sustained", "sustained_time", "noisy_neighbours", "price_of"),
        *("imported_failures", "limit", "node", "plan", "load_time"),
    ],
)
def test_what_is_not_set_or_has_no_effect_is_left_out(name: str) -> None:
    assert name not in rows()


def test_the_value_of_a_requested_trial_is_shown() -> None:
    shown = rows(sustained=True, noisy_neighbours="2")
    assert shown["sustained_time"] == ("--storage-with sustained", "40 min")
    assert shown["noisy_neighbours"] == ("--storage-with noisy-neighbors", "2")


def test_a_directory_has_no_volumes(tmp_path: Path) -> None:
    shown = rows(cluster="host", storage_class=[str(tmp_path)])
    assert "volume_size" not in shown and "timeout" not in shown and shown["test_size"][1] == "1Gi"


def test_settings_of_other_suites_are_shown_as_they_are() -> None:
    (row,) = setting_rows({"former": {"a": 1, "b": None, "c": {"d": [1, "e"]}}})
    assert (row.name, row.option, row.value) == ("former", "", "a=1, c={d=1, e}")

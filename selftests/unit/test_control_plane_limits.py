"""The section `control_plane` of a tier: strict, inherited part by part, and in the words of its reader."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from acceptance.limits.declared import CONTROL_PLANE
from acceptance.limits.file import load_limits
from acceptance.text.errors import WrongUsage
from selftests.unit.made_limits import words_of
from selftests.unit.tier_family import family

SLOW = {"longer_than": "4min", "more_than": 10, "because": "a"}
RATE = {"below": "10/min", "because": "b"}
CRASHES = {"more_than": 3, "because": "c"}
RAMP: dict[str, Any] = {
    "rate": "30/min",
    "stop_when": {"slow_starts": SLOW, "running_rate": RATE, "crashes": CRASHES},
}
WHOLE: dict[str, Any] = {
    "ramp": RAMP,
    "pods": {"at_least": 60, "because": "d"},
    "ramp_down": {"at_most": "5min", "because": "e"},
}


def test_all_of_it_is_read_with_its_units() -> None:
    tier = family(control_plane=(WHOLE, None, None))["parent"]
    assert tier.ramp is not None and tier.ramp.rate_per_s == 0.5
    stop = tier.ramp.stop_when
    assert stop.slow_starts and (stop.slow_starts.longer_than_s, stop.slow_starts.more_than) == (240.0, 10)
    assert stop.running_rate and (stop.running_rate.below_per_s * 60, stop.running_rate.over_s) == (10.0, 60.0)
    assert stop.crashes and stop.crashes.more_than == 3
    pods, down = tier.limits
    assert (pods.path, pods.operator, pods.bound, pods.because) == ("pods", "at_least", 60, "d")
    assert (down.path, down.operator, down.bound, down.unit) == ("ramp-down", "at_most", 300.0, "s")
    assert words_of(pods) == "at least 60 pods with a volume each"
    assert words_of(down) == "PVCs and PVs deleted at most 5 min after the request to end the last pod"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"pods": {"at_least": 0, "because": "d"}}, "greater than or equal to 1"),
        ({"pods": {"at_least": "60", "because": "d"}}, "valid integer"),
        ({"pods": {"at_least": 60, "because": " "}}, "expected a sentence"),
        ({"pods": {"at_most": 60, "because": "d"}}, "Extra inputs"),
        ({"ramp_down": {"at_most": "5", "because": "e"}}, "has no unit"),
        ({"ramp_down": {"at_most": "0s", "because": "e"}}, "above zero"),
        ({"ramp": RAMP | {"rate": "0/min"}}, "above zero"),
        ({"ramp": RAMP | {"rate": "10MiB/s"}}, "expected a rate"),
        ({"ramp": {"rate": "30/min"}}, "Field required"),
        ({"ramp": RAMP | {"stop_when": {}}}, "found none of them"),
        ({"ramp": RAMP | {"stop_when": {"slow_starts": SLOW | {"more_than": -1}}}}, "greater than or equal to 0"),
        ({"ramp": RAMP | {"stop_when": {"running_rate": RATE | {"below": "1/h"}}}}, "every ramp reaches it"),
        ({"ramp": RAMP | {"stop_when": {"running_rate": {"below": "10/min"}}}}, "Field required"),
        ({"volumes": {"at_least": 60, "because": "d"}}, "Extra inputs"),
    ],
)
def test_mistakes_are_told(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        CONTROL_PLANE.form.model_validate(WHOLE | change)


def test_an_empty_section_is_a_mistake() -> None:
    with pytest.raises(ValidationError, match="found none of them"):
        CONTROL_PLANE.form.model_validate({})


def test_a_tier_keeps_what_it_does_not_repeat() -> None:
    found = family(control_plane=(WHOLE, None, {"pods": {"at_least": 150, "because": "more"}}))["grandchild"]
    assert found.ramp is not None
    assert [(each.path, each.bound, each.because) for each in found.of("control_plane")] == [
        ("pods", 150, "more"),
        ("ramp-down", 300.0, "e"),
    ]


def test_how_to_ramp_is_inherited_as_a_whole() -> None:
    ramp = {"rate": "60/min", "stop_when": {"crashes": CRASHES}}
    found = family(control_plane=(WHOLE, {"ramp": ramp}, None))["grandchild"].ramp
    assert found is not None and found.rate_per_s == 1.0
    assert found.stop_when.crashes and found.stop_when.slow_starts is None


def test_limits_without_a_ramp_anywhere_are_a_mistake_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "limits.yaml"
    path.write_text(
        "version: 1\ntiers:\n  mine:\n    description: mine\n    control_plane:\n"
        "      pods: {at_least: 5, because: some}\n"
    )
    with pytest.raises(WrongUsage, match=r"limits.yaml:5: tiers.mine.control_plane: expected the key ramp, its own or"):
        load_limits(path, profiles=())

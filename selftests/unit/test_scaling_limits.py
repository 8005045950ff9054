"""The section `scaling` of a tier: strict, and in the words of its reader."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from acceptance.limits.scaling import ScalingEntry
from selftests.unit.made_limits import words_of
from selftests.unit.tier_family import family

WHOLE: dict[str, Any] = {
    "metric": "write.iops",
    "total_at_last_step": {"at_least": "80%", "because": "a"},
    "per_volume": [{"pods": 15, "at_least": 350, "because": "b"}],
    "latency_growth": {"metric": "write.latency.mean", "at_most": "20 times", "because": "c"},
    "rate_limited": {"of_capacity": "80%", "at_least": "98%", "because": "d"},
    "node_scaling": {"at_least": "180%", "because": "e"},
}


def test_every_kind_of_limit_is_read() -> None:
    found = family(scaling=({"p": WHOLE}, None, None))["parent"].limits
    assert [(each.rule, each.bound, each.because) for each in found] == [
        ("total_at_last_step", 0.8, "a"),
        ("per_volume", 350.0, "b"),
        ("latency_growth", 20.0, "c"),
        ("rate_limited", 0.98, "d"),
        ("node_scaling", 1.8, "e"),
    ]
    assert {each.profile for each in found} == {"p"}
    assert [each.path for each in found] == ["write.iops"] * 2 + ["write.latency.mean"] + ["write.iops"] * 2
    assert (found[1].at["pods"], found[3].at["of_capacity"]) == (15, 0.8)
    assert len({words_of(each) for each in found}) == 5
    assert words_of(found[1]) == "write.iops of each of 15 volumes at least 350 IOPS"


def test_bandwidth_has_its_unit() -> None:
    entry = {"metric": "read.bandwidth", "per_volume": [{"pods": 3, "at_least": "10MiB/s", "because": "b"}]}
    (found,) = family(scaling=({"p": entry}, None, None))["parent"].limits
    assert (found.bound, found.unit) == (10 * 1024**2, "B/s")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"metric": "write.latency.mean"}, "expected a rate such as write.iops"),
        ({"metric": "write.speed"}, "expected a metric such as"),
        ({"latency_growth": {"metric": "write.iops", "at_most": "2 times", "because": "c"}}, "expected a latency"),
        ({"latency_growth": {"metric": "write.latency.mean", "at_most": "2", "because": "c"}}, "has no unit"),
        ({"total_at_last_step": {"at_least": "120%", "because": "a"}}, "share of at most 100%"),
        ({"total_at_last_step": {"at_least": "0%", "because": "a"}}, "value above zero"),
        ({"total_at_last_step": {"at_least": "80%", "because": " "}}, "expected a sentence"),
        ({"total_at_last_step": {"at_most": "80%", "because": "a"}}, "Extra inputs"),
        ({"per_volume": [{"pods": 0, "at_least": 1, "because": "b"}]}, "greater than or equal to 1"),
        ({"per_volume": [{"pods": 15, "at_least": "10MiB/s", "because": "b"}]}, "expected a rate such as 750"),
        ({"per_volume": [{"pods": 15, "at_least": 0, "because": "b"}]}, "above zero"),
        ({"per_volume": [{"pods": 3, "at_least": 1, "because": "b"}] * 2}, "once for each number of pods"),
        ({"last_step": {"at_least": "80%", "because": "a"}}, "Extra inputs"),
    ],
)
def test_mistakes_are_told(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        ScalingEntry.model_validate(WHOLE | change)


def test_a_profile_without_any_limit_is_a_mistake() -> None:
    with pytest.raises(ValidationError, match="found none of them"):
        ScalingEntry.model_validate({"metric": "write.iops"})


def test_a_child_replaces_a_step_and_keeps_other_steps_and_their_metric() -> None:
    def steps(metric: str, *pods: int, at_least: object) -> dict[str, Any]:
        limits = [{"pods": pod, "at_least": at_least, "because": "b"} for pod in pods]
        return {"p": {"metric": metric, "per_volume": limits}}

    child = steps("read.bandwidth", 15, at_least="1MiB/s")
    found = family(scaling=(steps("write.iops", 3, 15, at_least=10), child, None))["grandchild"].of("scaling")
    assert [(each.path, each.at["pods"], each.bound) for each in found] == [
        ("write.iops", 3, 10.0),
        ("read.bandwidth", 15, 1024.0**2),
    ]

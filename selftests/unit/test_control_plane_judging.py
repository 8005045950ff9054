"""Ramps judged: reached is reached, the storage's failings fail, and what others stopped says nothing of it."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from acceptance.judging.ramps import judge_ramp
from acceptance.results.ramps import ControlPlaneRecord, Ended, RampDownRecord, StopKind
from acceptance.results.requirement import Outcome
from selftests.unit.made_limits import of_control_plane

PODS = of_control_plane("pods", 60, because="a small cluster runs as many.")
DOWN = of_control_plane("ramp-down", 300.0, because="they take space")


def record(*, pods: int = 60, kind: StopKind = "goal", behind_s: float | None = 12.0, left: Any = ()) -> Any:
    return ControlPlaneRecord(
        storage_class="fast",
        form="set",
        goal=60,
        rate_per_s=0.5,
        pods=pods,
        volumes=pods,
        per_node={"n0": pods},
        ended=Ended(kind=kind, reason="that is how it was.", since_pods=pods, after_s=130.0),
        linear_until=pods,
        phases={},
        observed_late=0,
        growth=[],
        starts=[],
        ramp_down=RampDownRecord(scale_down_s=118.0, cleanup_s=behind_s, timeout_s=300.0, remaining=list(left)),
        api_server=[],
        storage_operations=[],
        requests={},
    )


@pytest.mark.parametrize("kind", get_args(StopKind))
def test_as_many_as_required_pass_whatever_ended_the_ramp(kind: StopKind) -> None:
    verdict = judge_ramp(record(kind=kind), PODS)
    assert (verdict.status, verdict.measured, verdict.unit) == ("pass", 60, "pods")
    assert verdict.id == "fast/control-plane/pods/at-least"


@pytest.mark.parametrize("kind", get_args(StopKind))
def test_one_too_few_fails_where_the_storage_ended_the_ramp(kind: StopKind) -> None:
    verdict = judge_ramp(record(pods=59, kind=kind), PODS)
    assert verdict.status == ("inconclusive" if kind in ("goal", "quota", "nodes_full", "node_lost") else "fail")
    assert "59 pods with a volume each ran on fast (on one node) when the ramp of 30 pods a minute" in verdict.reason
    assert f"{kind.replace('_', ' ')}, that is how it was" in verdict.reason
    if verdict.status == "fail":
        assert verdict.reason.endswith("is at least 60 pods (reason for the limit: a small cluster runs as many).")


@pytest.mark.parametrize(("behind_s", "status"), [(0.0, "pass"), (300.0, "pass"), (300.1, "fail"), (None, "fail")])
def test_the_way_back_has_its_time(behind_s: float | None, status: str) -> None:
    verdict = judge_ramp(record(behind_s=behind_s), DOWN)
    assert (verdict.status, verdict.measured, verdict.unit) == (status, behind_s, "s")
    assert verdict.id == "fast/control-plane/ramp-down/at-most"


def test_what_is_still_there_is_named() -> None:
    verdict = judge_ramp(record(behind_s=None, left=["PVC a", "PV b"]), DOWN)
    assert "still existed 5 min after the request to end the last pod; remaining: PVC a, PV b" in verdict.reason
    assert verdict.reason.endswith("The limit is at most 5 min (reason for the limit: they take space).")


def test_of_a_lost_node_nothing_can_be_expected_back() -> None:
    assert judge_ramp(record(kind="node_lost", behind_s=None), DOWN).status == "inconclusive"


@pytest.mark.parametrize(
    ("pods", "kind", "code"),
    [
        (60, "stuck", "ramps.enough_pods"),
        (59, "stuck", "ramps.too_few_pods"),
        (59, "quota", "ramps.not_asked_for_enough"),
    ],
)
def test_how_far_a_ramp_came_is_data(pods: int, kind: StopKind, code: str) -> None:
    found = record(pods=pods, kind=kind)
    told = {"nodes": 1, "rate_per_s": 0.5, "ended": found.ended.model_dump()}
    verdict = judge_ramp(found, PODS)
    assert verdict.outcome == Outcome(code=code, facts=told)
    assert (verdict.requirement.operator, verdict.requirement.bound) == ("at_least", 60.0)


@pytest.mark.parametrize(
    ("behind_s", "kind", "code", "more"),
    [
        (12.0, "goal", "ramps.gone_in_time", None),
        (300.1, "goal", "ramps.gone_late", {}),
        (None, "goal", "ramps.not_gone", {}),
        (None, "node_lost", "ramps.node_lost", {"because": "that is how it was."}),
        (12.0, "node_lost", "ramps.gone_in_time", None),
    ],
)
def test_how_the_way_back_went_is_data(
    behind_s: float | None, kind: StopKind, code: str, more: dict[str, str] | None
) -> None:
    late = {} if more is None else {"timeout_s": 300.0, "remaining": ["PVC a"], **more}
    verdict = judge_ramp(record(behind_s=behind_s, kind=kind, left=["PVC a"]), DOWN)
    assert verdict.outcome == Outcome(code=code, facts={"pods": 60, **late})

"""The small record of each pod: by uid, first times kept, and what was told late is known to be."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from acceptance.trials.ramps.pod_view import PodView, view
from acceptance.trials.ramps.timeline import Timeline

VIEW = PodView(
    uid="u",
    name="a",
    set_name="s",
    node="",
    is_scheduled=False,
    running=False,
    running_for_s=None,
    ready=False,
    faults=0,
    no_room="",
    attach_limit=False,
    problem="",
)
SCHEDULED = replace(VIEW, node="n", is_scheduled=True)
RUNNING = replace(SCHEDULED, running=True, running_for_s=3.0)


def test_the_first_time_of_each_phase_is_kept() -> None:
    found = Timeline()
    for now_s, seen in (
        (1.0, VIEW),
        (2.0, SCHEDULED),
        (4.5, RUNNING),
        (9.0, RUNNING),
        (9.0, replace(RUNNING, ready=True)),
    ):
        record = found.take_pod(seen, now_s, late=False)
    assert (record.created_s, record.scheduled_s, record.running_s, record.ready_s) == (1.0, 2.0, 4.5, 9.0)
    assert (record.took_s, record.late, record.node, record.number) == (3.5, False, "n", 1)


@pytest.mark.parametrize("late_at", range(3))
def test_a_pod_of_which_anything_was_told_late_is_timed_by_kubernetes(late_at: int) -> None:
    found = Timeline()
    for number, seen in enumerate((VIEW, SCHEDULED, RUNNING)):
        record = found.take_pod(seen, 10.0 * number, late=number == late_at)
    assert record.late and record.took_s == 3.0


def test_a_pod_that_was_made_again_under_its_name_is_another_one() -> None:
    found = Timeline()
    found.take_pod(RUNNING, 1.0, late=False)
    found.take_pod(replace(RUNNING, uid="v"), 2.0, late=False)
    found.pod_gone("u")
    assert [record.number for record in found.pods.values()] == [1, 2]
    assert found.live == {"a": "v"}
    assert [record.number for record in found.running_pods()] == [2]


def pod(*, phase: str = "Running", deleted: bool = False, **status: Any) -> dict[str, Any]:
    metadata = {"name": "a", "uid": "u", "resourceVersion": "1", "creationTimestamp": "2026-11-21T10:00:00Z"}
    if deleted:
        metadata["deletionTimestamp"] = "2026-11-21T10:01:00Z"
    container = {"name": "load", "restartCount": 0, "state": {}} | status
    return {
        "metadata": metadata,
        "spec": {"nodeName": "n"},
        "status": {"phase": phase, "containerStatuses": [container]},
    }


CRASHED = {"terminated": {"exitCode": 1, "reason": "Error"}}
LOOP = {"waiting": {"reason": "CrashLoopBackOff"}}


@pytest.mark.parametrize(
    ("seen", "faults"),
    [
        (pod(state={"running": {"startedAt": "2026-11-21T10:00:05Z"}}), 0),
        (pod(state={"running": {"startedAt": "2026-11-21T10:00:05Z"}}, restartCount=2), 2),
        (pod(state=CRASHED), 1),
        (pod(state=LOOP, restartCount=1), 1),
        (pod(phase="Failed"), 1),
        (pod(phase="Pending", state={"waiting": {"reason": "ContainerCreating"}}), 0),
        (pod(state=CRASHED, deleted=True), 0),
    ],
)
def test_each_crash_and_each_restart_is_one_fault(seen: dict[str, Any], faults: int) -> None:
    assert view(seen, image="image:1").faults == faults


def test_a_pod_runs_when_its_container_does() -> None:
    running = view(pod(state={"running": {"startedAt": "2026-11-21T10:00:05Z"}}), image="image:1")
    assert (running.running, running.running_for_s) == (True, 5.0)
    assert not view(pod(state=LOOP, restartCount=1), image="image:1").running

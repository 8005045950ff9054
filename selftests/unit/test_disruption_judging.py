"""Killed pods of the storage system: limits on what they may cost, verdicts, and the report's part on them."""

from __future__ import annotations

from typing import Any

import pytest

from acceptance.judging.disruptions import FIELDS, judge_disruption, judge_records_kept, skip_judging
from acceptance.limits.declared import DISRUPTION
from acceptance.limits.limit import Limit
from acceptance.limits.tiers import ALL_OPTIONS
from acceptance.planning.assumed_throughput import EMBEDDED_CLUSTER
from acceptance.planning.failures import storage_pods as planned
from acceptance.report.summary import render_summary
from acceptance.results.document import Verdict
from selftests.unit.storage_pod_records import kill, storage_pods
from selftests.unit.test_report_crashes import results
from selftests.unit.tier_family import family


def limit(path: str, *, at_most: float = 20.0) -> Limit:
    return DISRUPTION.limit(path, at_most, because="clients give up.")


POD_READY, WRITE_GAP, NEW_VOLUME = "storage_pods.ready", "storage_pods.write_gap", "storage_pods.new_volume"
WORSE = {POD_READY: "ready_s", WRITE_GAP: "gap_s", NEW_VOLUME: "new_volume_s"}


@pytest.mark.parametrize("kind", FIELDS)
@pytest.mark.parametrize(("seconds", "status"), [(18.9, "pass"), (20.4, "inconclusive"), (21.2, "fail")])
def test_the_worst_of_all_kills_decides(kind: str, seconds: float, status: str) -> None:
    records = [storage_pods(), storage_pods(kill(), kill("csi-2", **{WORSE[kind]: seconds}), kill())]
    verdict = judge_disruption(records, limit(kind))
    assert (verdict.status, verdict.measured, verdict.unit) == (status, seconds, "s")
    assert "pod csi-2 on node node-1" in verdict.reason and "(the longest of 4)" in verdict.reason
    assert ("clients give up)." in verdict.reason) == (status == "fail")


def test_a_pod_that_never_comes_back_fails_and_what_was_not_looked_at_is_open() -> None:
    gone = kill("csi-2", ready_s=None, new_volume_s=None, problem="waited 300 s for another pod")
    records = [storage_pods(kill(), gone)]
    found = judge_disruption(records, limit(POD_READY))
    assert found.status == "fail" and "no replacement became Ready after pod csi-2 on node node-1" in found.reason
    assert "waited 300 s for another pod" in found.reason and "No further pod was killed" in found.reason
    assert judge_disruption(records, limit(NEW_VOLUME)).status == "inconclusive"
    assert judge_disruption(records, limit(WRITE_GAP)).status == "pass"


def test_new_volumes_that_never_come_fail() -> None:
    found = judge_disruption([storage_pods(kill(new_volume_s=None, problem="PVC Pending"))], limit(NEW_VOLUME))
    assert found.status == "fail" and ": PVC Pending; expected at most 20 s" in found.reason
    assert found.outcome is not None and found.outcome.code == "disruptions.never"


def test_a_writer_that_broke_off_is_told_beside_the_time_that_it_took_to_replace_it() -> None:
    found = judge_disruption([storage_pods(kill(gap_s=25.0, broke="Input/output error"))], limit(WRITE_GAP))
    assert found.status == "fail"
    assert "for 25.0 s while pod " in found.reason
    assert ", and the writing pod had to be replaced (Input/output error)" in found.reason


@pytest.mark.parametrize(("lost", "status"), [([], "pass"), ([(12, 14)], "fail")])
def test_every_acknowledged_record_is_demanded(lost: list[tuple[int, int]], status: str) -> None:
    verdict = judge_records_kept([storage_pods(), storage_pods(lost=lost)])
    assert (verdict.status, verdict.id) == (status, "fast/storage-pods/records/holds")
    assert (verdict.measured, verdict.unit) == (3.0 if lost else 0.0, "count")
    assert ("3 of 400 after pods vendor/app=manager were killed: 12 to 14" in verdict.reason) == bool(lost)
    assert ("all 800 acknowledged records" in verdict.reason) != bool(lost)


def test_records_that_nobody_can_read_are_no_pass() -> None:
    found = judge_records_kept([storage_pods(read_on="", unread="the pod did not start")])
    assert found.status == "fail" and "nothing could be read: the pod did not start" in found.reason
    assert found.measured is None
    assert "the pod did not start" in render_summary(
        results(storage_pods=[storage_pods(unread="the pod did not start")])
    )


@pytest.mark.parametrize("kind", FIELDS)
def test_without_a_limit_it_is_measured_and_not_judged(kind: str) -> None:
    verdict = skip_judging([storage_pods()], kind)
    assert verdict.status == "skipped" and f"`disruption: {{{DISRUPTION.bounds[kind][0]}: " in verdict.reason


def test_limits_are_inherited_each_alone_and_asked_for_only_where_pods_may_be_killed() -> None:
    said = (("pod_ready", "2min"), ("write_gap", "9s"))
    early, late = ({name: {"at_most": text, "because": "so"}} for name, text in said)
    tier = family(disruption=(early, late, None))["grandchild"]
    assert [each.path for each in tier.of("disruption")] == [POD_READY, WRITE_GAP]
    assert tier.asked_with(ALL_OPTIONS - {"kill_pods"}) == tier.asked_with(ALL_OPTIONS - {"destructive"}) == ()
    assert tier.asked_with(["destructive", "kill_pods"]) == tier.of("disruption")
    with pytest.raises(ValueError, match="expected pod_ready, write_gap or new_volume, found none"):
        DISRUPTION.form.model_validate({})


def test_the_report_has_a_row_for_each_kill_and_tells_what_was_lost() -> None:
    assert "killed one at a time" not in render_summary(results())
    html = render_summary(
        results(storage_pods=[storage_pods(kill(), kill("<b>", ready_s=None, problem="<i>"), lost=[(7, 9)], left=2)])
    )
    assert "Pods of the storage system, killed one at a time" in html
    assert "&lt;b&gt;" in html and "&lt;i&gt;" in html and '<td class="number">never</td>' in html
    assert "3: 7 to 9" in html


def test_the_plan_counts_each_selector() -> None:
    one, two = (planned("fast", number, write_s=5, speeds=EMBEDDED_CLUSTER) for number in (1, 2))
    assert two.about_s == 2 * one.about_s > 120
    assert "killed one at a time (2 selectors)" in two.description


GONE = kill("csi-2", ready_s=None, new_volume_s=None, problem="waited 300 s")
POD = {"pod": "csi-2", "node": "node-1"}
UNREAD = storage_pods(read_on="", unread="no pod started")


@pytest.mark.parametrize(
    ("verdict", "code", "facts"),
    [
        (judge_disruption([storage_pods()], limit(POD_READY)), "within", {"what": "pod_ready", "kills": 1}),
        (
            judge_disruption([storage_pods(kill("csi-2", gap_s=25.0, broke="I/O error"))], limit(WRITE_GAP)),
            "outside",
            {**POD, "what": "write_gap", "broke": "I/O error"},
        ),
        (judge_disruption([storage_pods(kill(gap_s=20.4))], limit(WRITE_GAP)), "on_both_sides", {"kills": 1}),
        (judge_disruption([storage_pods(GONE)], limit(POD_READY)), "never", {**POD, "problem": "waited 300 s"}),
        (judge_disruption([storage_pods(GONE)], limit(NEW_VOLUME)), "not_tried", {"what": "new_volume"}),
        (skip_judging([storage_pods()], WRITE_GAP), "not_judged", {"what": "write_gap", "seconds": 0.3}),
        (skip_judging([storage_pods(GONE)], POD_READY), "not_judged", {**POD, "seconds": None}),
        (judge_records_kept([storage_pods()]), "records_kept", {"acknowledged": 400, "kills": 1}),
        (
            judge_records_kept([storage_pods(lost=[(12, 14)]), UNREAD]),
            "records_lost",
            {
                "lost": [
                    {
                        "selector": "vendor/app=manager",
                        "acknowledged": 400,
                        "lost": [[12, 14]],
                        "read_on": "node-1",
                    }
                ]
            },
        ),
        (
            judge_records_kept([UNREAD]),
            "records_unreadable",
            {"unread": [{"selector": "vendor/app=manager", "unread": "no pod started"}]},
        ),
    ],
)
def test_what_was_found_is_data(verdict: Verdict, code: str, facts: dict[str, Any]) -> None:
    assert verdict.outcome is not None and verdict.outcome.code == f"disruptions.{code}"
    assert {name: verdict.outcome.facts.get(name, "none") for name in facts} == facts


def test_that_no_record_is_lost_is_asked_for_as_a_count() -> None:
    asked = judge_records_kept([storage_pods()]).requirement
    assert (asked.operator, asked.bound, asked.unit) == ("at_most", 0.0, "count")

"""Verdicts on crashes and failovers: what is lost is told by number, and a failover's time by its phases."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from acceptance.judging.crashes import judge_durability, judge_failover, judge_release, skip_judging
from acceptance.limits.declared import FAILOVER
from acceptance.results.crashes import Failure
from acceptance.results.document import Verdict
from acceptance.text.errors import Unsupported
from acceptance.trials.crashes.failing_over import Stopwatch
from acceptance.wording.records import ranges_in_words
from selftests.unit.crash_records import durability, failover
from selftests.unit.made_limits import words_of
from selftests.unit.tier_family import family

LIMIT = FAILOVER.limit("failover.time", 60.0, because="nobody waits longer.")


def test_all_records_there_is_a_pass() -> None:
    verdict = judge_durability(durability())
    assert verdict.status == "pass"
    assert verdict.reason == (
        "all 1,930 acknowledged records are present and intact on fast after the node failed and came back (read on "
        "node-1)."
    )


def test_lost_records_are_told_by_how_many_and_which() -> None:
    verdict = judge_durability(durability(lost=[(1519, 1930)], whole=1518))
    assert verdict.status == "fail"
    assert verdict.reason == (
        "412 of 1,930 acknowledged records are lost on fast after the node failed and came back (read on node-1): "
        "1,519 to 1,930; the storage acknowledged them before they were durable, or lost them later."
    )


def test_one_lost_record_is_enough() -> None:
    verdict = judge_durability(durability(lost=[(7, 7)]))
    assert (verdict.status, verdict.measured, verdict.unit) == ("fail", 1.0, "count")
    assert judge_durability(durability()).measured == 0.0


def test_all_lost_is_said_as_all() -> None:
    assert judge_durability(durability(lost=[(1, 1930)])).reason.startswith("all 1,930 acknowledged records")


def test_each_kind_of_crash_has_a_verdict_of_its_own() -> None:
    verdicts = [judge_durability(durability(failure=argument)) for argument in get_args(Failure)]
    assert len({verdict.id for verdict in verdicts}) == len({verdict.rule for verdict in verdicts}) == len(verdicts) > 1


@pytest.mark.parametrize(
    ("ranges", "words"),
    [
        ([(7, 7)], "7"),
        ([(7, 7), (12, 19)], "7, 12 to 19"),
        ([(index, index) for index in range(2, 14, 2)], "2, 4, 6, 8, 10 and 1 more range"),
        ([(index, index) for index in range(2, 18, 2)], "2, 4, 6, 8, 10 and 3 more ranges"),
    ],
)
def test_many_places_are_counted(ranges: list[tuple[int, int]], words: str) -> None:
    assert ranges_in_words(ranges) == words


@pytest.mark.parametrize(
    ("seconds", "status"), [(58.9, "pass"), (59.5, "inconclusive"), (60.9, "inconclusive"), (61.1, "fail")]
)
def test_a_failover_is_judged_to_the_second(seconds: float, status: str) -> None:
    assert judge_failover(failover(seconds), LIMIT).status == status


def test_a_failover_that_took_too_long_tells_where_the_time_went() -> None:
    verdict = judge_failover(failover(44.0, 370.0, 0.25), LIMIT)
    assert verdict.measured == 414.25
    assert verdict.reason == (
        "failover on fast took 6.903 min from the last durable write on node-1 to the first on node-2: node seen to be "
        "lost 44.0 s, new pod runs with the volume 6.167 min, first durable write 0.2 s; expected at most 60 s (reason "
        "for the limit: nobody waits longer)."
    )


def test_without_a_limit_it_is_measured_and_not_judged() -> None:
    verdict = skip_judging(failover(44.0))
    assert verdict.status == "skipped"
    assert "took 44.0 s" in verdict.reason and "`failover: {time: {at_most: TIME, because: REASON}}`" in verdict.reason


def test_a_drain_is_judged_by_a_limit_of_its_own() -> None:
    limit = FAILOVER.limit("drain.time", 10.0, because="upgrades wait.")
    verdict = judge_failover(failover(9.0, 5.0, 0.5, failure="drained"), limit)
    assert (verdict.status, verdict.profile, verdict.measured) == ("fail", "drain", 14.5)
    assert verdict.reason.startswith("drain on fast took 14.5 s from the last durable write on node-1 to the first on")
    assert verdict.limit == "time until the volume of a drained node is written on another: at most 10 s"
    without = skip_judging(failover(9.0, failure="drained"))
    assert without.profile == "drain" and "failover: {drain_time: " in without.reason


@pytest.mark.parametrize(("stayed", "status"), [([], "pass"), (["VolumeAttachment csi-1"], "fail")])
def test_what_stays_on_a_drained_node_is_told(stayed: list[str], status: str) -> None:
    verdict = judge_release(failover(9.0, failure="drained", stayed=stayed))
    assert (verdict.status, verdict.id) == (status, "fast/drain/stayed/holds")
    assert ("but it remained on node-1: VolumeAttachment csi-1;" in verdict.reason) == bool(stayed)
    assert verdict.outcome is not None
    assert verdict.outcome.code == ("crashes.volume_stayed" if stayed else "crashes.volume_released")
    assert verdict.outcome.facts["failed_node"] == "node-1"


def test_where_the_cluster_shows_no_volume_on_any_node_nothing_is_known_of_what_stays() -> None:
    with pytest.raises(
        Unsupported, match="capability 'attachments': the cluster shows no attachment of volumes of fast"
    ):
        judge_release(failover(9.0, failure="drained"))


def test_a_tier_may_limit_failovers_and_drains_each_alone() -> None:
    both = {name: {"at_most": "2min", "because": "so"} for name in ("time", "drain_time")}
    tiers = family(failover=({"time": both["time"]}, {"drain_time": both["drain_time"]}, None))
    assert {name: [FAILOVER.bounds[each.path][0] for each in tier.of("failover")] for name, tier in tiers.items()} == {
        "parent": ["time"],
        "child": ["time", "drain_time"],
        "grandchild": ["time", "drain_time"],
    }
    asked = tiers["child"].asked_with(())
    assert [words_of(each) for each in asked] == [
        "time until the volume of a drained node is written on another: at most 2 min"
    ]
    with pytest.raises(ValueError, match="expected time, out_of_service_time or drain_time, found none"):
        FAILOVER.form.model_validate({})


def test_a_limit_is_inherited_and_replaced() -> None:
    early, late = ({"time": {"at_most": text, "because": "so"}} for text in ("8min", "2min"))
    found = {
        name: [words_of(each) for each in tier.of("failover")]
        for name, tier in family(failover=(None, early, late)).items()
    }
    about = "time until the volume of a failed node is written on another: at most"
    assert found == {"parent": [], "child": [f"{about} 8 min"], "grandchild": [f"{about} 2 min"]}


@pytest.mark.parametrize("text", ["0s", "8", "8MiB", 8])
def test_a_limit_that_is_no_time_is_refused(text: object) -> None:
    with pytest.raises(ValueError, match=r"expected a (time|value above zero)"):
        FAILOVER.form.model_validate({"time": {"at_most": text, "because": "so"}})


def test_phases_follow_each_other_and_add_up() -> None:
    now = iter([12.0, 15.0, 99.0, 18.5])
    watch = Stopwatch(began_s=10.0, clock=lambda: next(now))
    for name in ("lost", "scheduled", "lost", "writes"):
        watch.note(name)
    assert [(phase.name, phase.seconds) for phase in watch.phases()] == [
        ("lost", 2.0),
        ("scheduled", 3.0),
        ("writes", 3.5),
    ]
    assert sum(phase.seconds for phase in watch.phases()) == 8.5


MOVE = {"failed_node": "node-1", "node": "node-2"}
DRAINED = failover(9.0, failure="drained", stayed=["VolumeAttachment csi-1"])
LOSS = {"failure": "node-failed", "acknowledged": 1930, "read_on": "node-1"}


@pytest.mark.parametrize(
    ("verdict", "code", "facts"),
    [
        (judge_durability(durability()), "records_kept", LOSS),
        (judge_durability(durability(lost=[(7, 9)])), "records_lost", LOSS | {"lost": [[7, 9]]}),
        (judge_failover(failover(44.0), LIMIT), "failover_within", {"failure": "failover"}),
        (
            judge_failover(failover(70.0), LIMIT),
            "failover_outside",
            {**MOVE, "phases": [{"name": "node seen to be lost", "seconds": 70.0}]},
        ),
        (judge_failover(failover(60.9), LIMIT), "failover_on_both_sides", MOVE),
        (skip_judging(failover(9.0, failure="drained")), "failover_not_judged", {"key": "drain_time"}),
        (judge_release(DRAINED), "volume_stayed", {**MOVE, "stayed": ["VolumeAttachment csi-1"]}),
        (judge_release(DRAINED.model_copy(update={"stayed": []})), "volume_released", {"failure": "drained"}),
    ],
)
def test_what_was_found_is_data(verdict: Verdict, code: str, facts: dict[str, Any]) -> None:
    assert verdict.outcome is not None and verdict.outcome.code == f"crashes.{code}"
    assert {name: verdict.outcome.facts.get(name) for name in facts} == facts


def test_no_loss_and_nothing_left_behind_are_asked_for_as_counts() -> None:
    for verdict, count in ((judge_durability(durability(lost=[(7, 9)])), 3), (judge_release(DRAINED), 1)):
        asked = verdict.requirement
        assert (asked.operator, asked.bound, asked.unit) == ("at_most", 0.0, "count")
        assert (verdict.measured, verdict.unit) == (count, "count")

"""The report of a run on a lab: the first screen says that it is one, and which limits were only floors."""

from __future__ import annotations

import pytest

from acceptance.cluster.description import describe_cluster
from acceptance.cluster.resources import NODES
from acceptance.judging.rebuilds import judge_rebuild
from acceptance.limits.rebuilds import rebuild_limit
from acceptance.report.overview import subjects
from acceptance.report.summary import render_summary
from acceptance.report.tiles import Tile, tiles
from acceptance.results.clusters import Cluster
from acceptance.results.document import Results, Verdict
from selftests.unit.compared_runs import cluster, judged, measured, run_of
from selftests.unit.rebuild_records import record, timed
from selftests.unit.test_cluster_identity import api

THREE = ("node-1", "node-2", "node-3")
NOTICE = 'class="lab"'


def where(*, kind: str = "kubeconfig", machines: int | None = None, stand_ins: tuple[str, ...] = ()) -> Cluster:
    return cluster(nodes=THREE, kind=kind).model_copy(update={"machines": machines, "stand_ins": list(stand_ins)})


@pytest.mark.parametrize(
    ("there", "said"),
    [
        (where(kind="embedded"), "one machine plays all 3 nodes"),
        (where(machines=1), "one machine plays all 3 nodes"),
        (where(machines=2), "2 machines play all 3 nodes"),
        (where(stand_ins=("<iscsi>: a loop device",)), "&lt;iscsi&gt;: a loop device"),
        (where(machines=3), None),
        (where(), None),
    ],
)
def test_the_first_screen_says_that_it_is_a_lab_before_any_figure(there: Cluster, said: str | None) -> None:
    html = render_summary(run_of(measured({"write.iops": 1000.0}), verdicts=[judged()], where=there))
    assert (NOTICE in html) == (said is not None)
    if said is not None:
        assert html.index(NOTICE) < html.index(said) < html.index('class="tiles"')


@pytest.mark.parametrize(
    ("boots", "machines"), [(("a", "a", "a"), 1), (("a", "b", "b"), 2), (("a", "b", "c"), 3), (("a", "", "a"), None)]
)
def test_nodes_of_one_kernel_are_one_machine(boots: tuple[str, ...], machines: int | None) -> None:
    there = api(uid="u")
    names = ("kubeletVersion", "kernelVersion", "osImage", "containerRuntimeVersion", "architecture")
    for number, boot in enumerate(boots):
        info = dict.fromkeys(names, "x") | ({"bootID": boot} if boot else {})
        there.create(NODES, {"metadata": {"name": f"node-{number}"}, "status": {"nodeInfo": info}})
    assert describe_cluster(there, kind="kubeconfig", image="i").machines == machines  # type: ignore[arg-type]


def tile(run: Results, title: str) -> Tile:
    return next(each for each in tiles(run)["fast"] if each.title == title)


def figures(*, low: float, there: Cluster, shipped: bool = False) -> Results:
    """A figure whose interval begins at `low`, with a limit of 10 IOPS."""
    found = judged(limit="write.iops at least 10 IOPS", measured=1000.0, low=low, confidence=0.98)
    run = run_of(measured({"write.iops": 1000.0}), verdicts=[found], where=there, texts={"a.fio": ""})
    assert run.tested_with is not None
    return run.model_copy(update={"tested_with": run.tested_with.model_copy(update={"limits_shipped": shipped})})


@pytest.mark.parametrize(
    ("low", "there", "shipped", "floor"),
    [
        (900.0, where(kind="embedded"), False, True),
        (900.0, where(kind="embedded"), True, False),
        (900.0, where(), False, False),
        (99.0, where(kind="embedded"), False, False),
    ],
)
def test_a_limit_of_a_lab_that_is_met_ten_times_over_is_a_floor(
    low: float, there: Cluster, shipped: bool, floor: bool
) -> None:
    run = figures(low=low, there=there, shipped=shipped)
    html = render_summary(run)
    # As the page shows it: with the interval that the verdict rests on.
    assert ("floor of the lab" in html) == ("tile-skipped" in html) == floor
    assert ("tile-pass" in html) == (not floor)


def rebuilt(seconds: float, *, exact_to_s: float, wanted: float) -> tuple[Results, Verdict]:
    found = record(timed(seconds, exact_to_s=exact_to_s), size=512 << 20)
    limit = rebuild_limit("full-data", "largest_volume", wanted, because="data is at risk")
    verdict = judge_rebuild(found, limit).model_copy(update={"subject": "rebuild", "test": "t"})
    return run_of(verdicts=[verdict], settings={"storage_class": ["fast"]}).model_copy(
        update={"rebuilds": [found]}
    ), verdict


def test_a_volume_projected_from_a_rebuild_that_was_not_timed_is_not_known() -> None:
    """A rebuild of 20 s, known to within 20 s, took up to 40 s: a day holds at least 2,160 times 512 MiB."""
    run, verdict = rebuilt(20.0, exact_to_s=20.0, wanted=float(10 << 30))
    assert (verdict.status, verdict.measured, verdict.low) == ("pass", None, None)
    assert "that is not known, but at least 1.055 TiB" in verdict.reason
    shown = tile(run, "Rebuilt within 24 h")
    assert (shown.value, shown.interval, shown.bar) == ("not known", "at least 1.055 TiB", None)


def test_an_older_verdict_on_it_is_shown_without_its_figure() -> None:
    run, verdict = rebuilt(20.0, exact_to_s=20.0, wanted=float(10 << 30))
    old = verdict.model_copy(update={"measured": 2.3e12})
    assert tile(run.model_copy(update={"verdicts": [old]}), "Rebuilt within 24 h").value == "not known"


def test_what_it_does_not_surely_reach_is_not_passed() -> None:
    _, verdict = rebuilt(20.0, exact_to_s=20.0, wanted=1.1 * 1024**4)
    assert (verdict.status, verdict.measured) == ("inconclusive", None)


def test_a_rebuild_that_was_timed_has_its_figure() -> None:
    run, verdict = rebuilt(20.0, exact_to_s=19.0, wanted=float(10 << 30))
    assert verdict.measured is not None
    assert tile(run, "Rebuilt within 24 h").value == "2.109 TiB"


def test_a_subject_of_which_most_was_not_judged_does_not_look_like_a_pass() -> None:
    verdicts = [judged(subject="features") for _ in range(12)] + [judged("skipped", subject="features")] * 27
    run = run_of(verdicts=verdicts)
    (found,) = (subject for subject in subjects(run) if subject.verdicts)
    assert (found.in_part, found.counts_in_words) == (True, "12 of 39 pass, 27 skipped")
    html = render_summary(run)
    assert html.count("pass in part</span>") == 2, "in the list of subjects, and above its own"
    whole = run_of(verdicts=verdicts[:12])
    assert "pass in part</span>" not in render_summary(whole)

"""Ramps in the report: how far, what ended it, two pictures, and nothing that is not escaped."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from acceptance.judging.ramps import judge_ramp
from acceptance.report.pictures import pods_over_time, start_times
from acceptance.report.records.ramps import ramp_parts
from acceptance.report.summary import render_summary
from acceptance.results.document import Results, Run
from acceptance.results.ramps import (
    ControlPlaneRecord,
    Ended,
    GrowthPoint,
    OperationTimes,
    PhaseTimes,
    RampDownRecord,
    RequestTimes,
    StartPoint,
)
from selftests.unit.made_limits import of_control_plane
from selftests.unit.read_parts import pictures_of, sentences_of, tables_of

GROWTH = [GrowthPoint(at_s=at_s, requested=round(at_s / 2), running=round(at_s / 2) - 1) for at_s in (2.0, 50.0, 100.0)]
STARTS = [StartPoint(pods=1, took_s=2.0), StartPoint(pods=50, took_s=8.0)]


def record(**change: object) -> ControlPlaneRecord:
    whole = ControlPlaneRecord(
        storage_class="fast<b>",
        form="per-node",
        goal=60,
        rate_per_s=0.5,
        pods=49,
        volumes=51,
        per_node={"n0": 25, "n1": 24},
        ended=Ended(kind="slow_starts", reason="11 pods took <i>long</i>", since_pods=40, after_s=100.0),
        linear_until=1,
        phases={"bound": PhaseTimes(pods=50, p50_s=1.0, p90_s=2.0, p99_s=3.0)},
        observed_late=2,
        growth=GROWTH,
        starts=STARTS,
        ramp_down=RampDownRecord(scale_down_s=98.0, cleanup_s=None, timeout_s=300.0, remaining=["PVC a"]),
        api_server=[RequestTimes(verb="POST", per_s=2.5, mean_s=0.004, p99_at_most_s=0.1)],
        storage_operations=[
            OperationTimes(
                plugin="csi", operation="volume_mount", status="success", count=9, mean_s=0.5, p99_at_most_s=None
            )
        ],
        storage_operations_missing="GET /metrics: forbidden",
        requests={"PATCH statefulsets": 120},
    )
    return whole.model_copy(update=change)


def results(*records: ControlPlaneRecord) -> Results:
    started = datetime(2026, 11, 21, tzinfo=UTC)
    run = Run(id="r", started=started, finished=None, complete=False, suite_version="1", exit_status=None)
    return Results(
        run=run,
        cluster=None,
        settings={"tier": "baseline"},
        measurements=[],
        steps=[],
        control_plane=list(records),
        verdicts=[],
        tier_limits=0,
        errors=[],
        overall="inconclusive",
    )


def test_what_was_found_is_told_in_words() -> None:
    (section,) = ramp_parts(results(record()))
    said = " ".join(sentences_of(section))
    for words in (
        "49 pods ran and 51 volumes were bound when the ramp ended, after 100 s. Requested: 30 a minute, up to 60, "
        "by one StatefulSet for each node. By node: n0: 25, n1: 24.",
        "End of the ramp: slow starts: 11 pods took <i>long</i>.",
        "Growth was linear until 1 pods ran",
        "was requested within 98 s; 5 min later these objects still existed: PVC a.",
        "For 2 pods the API server reported a change late",
        "PATCH statefulsets: 120",
    ):
        assert words in said
    _, servers = tables_of(section)
    assert [(row["Requests and operations during the ramp-up"], row["99 %"]) for row in servers] == [
        ("API server, POST", "at most 100 ms"),
        ("volume_mount (csi, success)", "beyond the last bucket"),
    ]
    (missing,) = (sentence for sentence in sentences_of(section) if sentence.startswith("missing: "))
    assert missing.startswith("missing: storage operations of the nodes")
    assert missing.endswith("GET /metrics: forbidden")


def test_a_ramp_that_went_well_says_so() -> None:
    down = RampDownRecord(scale_down_s=98.0, cleanup_s=3.0, timeout_s=300.0, remaining=[])
    (section,) = ramp_parts(results(record(linear_until=49, ramp_down=down, observed_late=0)))
    said = " ".join(sentences_of(section))
    assert "Growth was linear to the end." in said
    assert "all PVCs and PVs were deleted 3 s later." in said
    assert "reported a change late" not in said


def test_the_page_holds_both_pictures_and_escapes_what_comes_from_the_cluster() -> None:
    page = render_summary(results(record()))
    assert page.count("<svg") == 2
    assert "fast&lt;b&gt;" in page and "fast<b>" not in page
    assert "<i>long</i>" not in page
    assert "<svg" not in render_summary(results())


def test_the_words_say_how_far_it_came_and_how_long_starts_took() -> None:
    growth, starts = pods_over_time(record()), start_times(record())
    assert growth is not None and growth.text == "After 100 s 49 ran of 50 requested."
    assert starts is not None and starts.text == "2 pods started, half of them within 5 s, the slowest in 8 s."


def test_the_limit_on_pods_is_a_line_and_named() -> None:
    verdict = judge_ramp(record(), of_control_plane("pods", 60, because="so."))
    (section,) = ramp_parts(results(record()).model_copy(update={"verdicts": [verdict]}))
    assert "stroke-limit" in pictures_of(section)[0].svg
    assert pictures_of(section)[0].text.endswith(" Limit: at least 60 pods.")
    verdict = judge_ramp(record(), of_control_plane("pods", 6000, because="so."))
    (section,) = ramp_parts(results(record()).model_copy(update={"verdicts": [verdict]}))
    assert "stroke-limit" not in pictures_of(section)[0].svg


def test_of_very_many_starts_the_slowest_is_drawn_and_said() -> None:
    starts = [StartPoint(pods=number, took_s=9.0 if number == 7_777 else 2.0) for number in range(1, 20_001)]
    found = start_times(record(starts=starts))
    assert found is not None and len(found.svg) < 15_000
    assert "the slowest are drawn" in found.caption
    heights = re.findall(r'<use x="[\d.]+" y="([\d.]+)"', found.svg)
    assert heights.count(min(heights, key=float)) == 1, "the one slow pod"


def test_where_nothing_happened_there_is_no_picture() -> None:
    flat = [GrowthPoint(at_s=at_s, requested=0, running=0) for at_s in (0.0, 1.0)]
    for growth in (GROWTH[:1], flat):
        assert pods_over_time(record(growth=growth)) is None
    assert start_times(record(starts=[])) is None
    page = render_summary(results(record(growth=[], starts=[])))
    assert "<svg" not in page

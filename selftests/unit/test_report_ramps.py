"""Ramps in the report: how far, what ended it, two drawings, and nothing that is not escaped."""

from __future__ import annotations

from datetime import UTC, datetime

from acceptance.control_plane.records import (
    ControlPlaneRecord,
    Ended,
    GrowthPoint,
    OperationTimes,
    PhaseTimes,
    RampDownRecord,
    RequestTimes,
    StartPoint,
)
from acceptance.report.ramp_drawing import draw_growth, draw_starts
from acceptance.report.ramps import ramp_sections
from acceptance.report.summary import render_summary
from acceptance.results import Results, Run

GROWTH = [GrowthPoint(at_s=at_s, asked=round(at_s / 2), running=round(at_s / 2) - 1) for at_s in (2.0, 50.0, 100.0)]
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
        late=2,
        growth=GROWTH,
        starts=STARTS,
        ramp_down=RampDownRecord(told_s=98.0, behind_s=None, waited_s=300.0, left=["claim a"]),
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
        asked=0,
        errors=[],
        overall="inconclusive",
    )


def test_what_was_found_is_told_in_words() -> None:
    (section,) = ramp_sections(results(record()))
    said = " ".join(section.sentences)
    for words in (
        "49 pods ran and 51 volumes were bound when the ramp ended, after 100 s; asked for at 30 a minute, up to 60, "
        "by one StatefulSet for each node. By node: n0: 25, n1: 24.",
        "What ended it: slow starts: 11 pods took <i>long</i>.",
        "Growth was linear until 1 pods ran",
        "pods were told to end in 98 s; 5 min later there was still claim a.",
        "Of 2 pods something was seen late",
        "PATCH statefulsets: 120",
    ):
        assert words in said
    assert [(row.name, row.times[-1]) for row in section.servers] == [
        ("API server, POST", "at most 100 ms"),
        ("volume_mount (csi, success)", "beyond the last bucket"),
    ]
    (missing,) = section.missing
    assert missing.startswith("not there: storage operations of the nodes")
    assert missing.endswith("GET /metrics: forbidden")


def test_a_ramp_that_went_well_says_so() -> None:
    down = RampDownRecord(told_s=98.0, behind_s=3.0, waited_s=300.0, left=[])
    (section,) = ramp_sections(results(record(linear_until=49, ramp_down=down, late=0)))
    said = " ".join(section.sentences)
    assert "Growth was linear to the end." in said
    assert "all claims and volumes were gone 3 s later." in said
    assert "seen late" not in said


def test_the_page_holds_both_drawings_and_escapes_what_comes_from_the_cluster() -> None:
    page = render_summary(results(record()))
    assert page.count("<svg") == 2
    assert "fast&lt;b&gt;" in page and "fast<b>" not in page
    assert "<i>long</i>" not in page
    assert "<svg" not in render_summary(results())


def test_lines_go_from_zero_to_the_most_that_was_asked_for() -> None:
    found = draw_growth(GROWTH)
    assert found is not None and (found.largest, found.end) == ("50 pods", "100 s")
    assert found.lines["level"].split()[-1] == f"{float(found.right)},{float(found.top)}"
    assert found.lines["total"].split()[0] == f"{found.left + 0.02 * (found.right - found.left)},{float(found.bottom)}"


def test_each_start_is_a_dot() -> None:
    found = draw_starts(STARTS)
    assert found is not None and (found.largest, found.end) == ("8 s", "50")
    assert found.dots[-1] == (float(found.right), float(found.top))


def test_where_nothing_happened_there_is_no_drawing() -> None:
    assert draw_growth(GROWTH[:1]) is None
    assert draw_growth([GrowthPoint(at_s=at_s, asked=0, running=0) for at_s in (0.0, 1.0)]) is None
    assert draw_starts([]) is None
    page = render_summary(results(record(growth=[], starts=[])))
    assert "<svg" not in page

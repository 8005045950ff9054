"""Figures of subjects whose records have no form of their own: judged, said, shown and measured in one way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.judging.figures import judge_figure
from acceptance.limits.declared import EVERY_NODE
from acceptance.report.records.figures import figure_parts_of
from acceptance.results.figures import FiguresRecord, NamedFigure
from acceptance.text.errors import StorageFailure
from acceptance.trials.every_node import READY, Visit, figures_of, problem_in, require_all
from acceptance.trials.features.moves import not_their_own
from selftests.unit.compared_runs import run_of
from selftests.unit.read_gauges import gauges_of

LIMIT = EVERY_NODE.limit(READY, 30.0, because="pods of a rollout wait for it")


def record(
    value: float | None, low: float | None = None, high: float | None = None, *, unknown: str = ""
) -> FiguresRecord:
    figure = NamedFigure(metric=READY, value=value, low=low, high=high, unit="s", unknown=unknown)
    rows = [{"Node": "node-1", "Ready after (s)": value, "Problem": ""}]
    return FiguresRecord(
        subject="provisioning", storage_class="fast", done="3 nodes were visited", figures=[figure], rows=rows
    )


@given(low=st.floats(0, 100), width=st.floats(0, 100))
def test_the_whole_interval_decides(low: float, width: float) -> None:
    verdict = judge_figure(record(low + width, low, low + width), LIMIT)
    expected = "pass" if low + width <= 30 else "fail" if low > 30 else "inconclusive"
    assert (verdict.status, verdict.measured, verdict.low, verdict.high) == (expected, low + width, low, low + width)


@given(value=st.floats(0, 100))
def test_an_exact_figure_is_its_own_interval(value: float) -> None:
    verdict = judge_figure(record(value), LIMIT)
    assert (verdict.status, verdict.low) == ("pass" if value <= 30 else "fail", None)


def test_a_figure_that_is_not_known_is_inconclusive_and_says_why() -> None:
    verdict = judge_figure(record(None, unknown="node-2 never used its volume"), LIMIT)
    assert (verdict.status, verdict.measured) == ("inconclusive", None)
    assert verdict.reason == f"{READY} of StorageClass fast is not known: node-2 never used its volume."
    other = FiguresRecord(subject="provisioning", storage_class="fast", done="it ran", figures=[])
    assert judge_figure(other, LIMIT).outcome.facts == {"why": "the trial did not measure it"}  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (3.0, 4.0, "is 4 s (3 s to 4 s); the whole interval meets the limit of at most 30 s (3 nodes were visited)."),
        (29.0, 31.0, "is 31 s (29 s to 31 s); the interval contains the limit of at most 30 s; "),
        (39.0, 40.0, "is 40 s (39 s to 40 s); the whole interval misses the limit of at most 30 s (reason for the "),
    ],
)
def test_the_sentence_has_the_figure_the_limit_and_the_reason(low: float, high: float, said: str) -> None:
    verdict = judge_figure(record(high, low, high), LIMIT)
    assert verdict.reason.startswith(f"{READY} of StorageClass fast {said}")
    assert verdict.limit == "new volume used on the slowest node at most 30 s after the request"


def test_the_chapter_of_the_subject_has_the_figures_and_what_they_rest_on() -> None:
    results = run_of().model_copy(update={"figures": [record(4.0, 3.0, 4.0)]})
    (part,) = figure_parts_of("provisioning")(results)
    sentences, figures, rows = part.blocks
    assert sentences == ["3 nodes were visited."]
    assert figures.rows == [(READY, "4 s", "3 s to 4 s")]  # type: ignore[union-attr]
    assert rows.rows == [["node-1", "4", ""]]  # type: ignore[union-attr]
    assert list(figure_parts_of("rebuild")(results)) == []


def test_each_figure_is_a_metric_with_its_bounds() -> None:
    results = run_of().model_copy(update={"figures": [record(4.0, 3.0, 4.0)]})
    assert "figure" in gauges_of(results, "fast")


def test_each_node_that_cannot_use_its_volume_is_named() -> None:
    good, bad = (
        Visit(node=f"node-{number}", ended_s=(0.5, 1.0), problem=why) for number, why in ((1, ""), (2, "no path"))
    )
    left_out = Visit(node="node-3", left_out="it takes no pods")
    require_all([good, left_out], storage_class="fast")
    with pytest.raises(StorageFailure, match=r"1 of 2 nodes could not use .* fast: node-2: no path"):
        require_all([good, bad, left_out], storage_class="fast")


@pytest.mark.parametrize(
    ("printed", "shared", "problem"),
    [
        ("mark\n", True, ""),
        ("mark\nsame disk as kubelet\n", False, ""),
        ("mark\nsame disk as kubelet\n", True, "the volume was not mounted"),
        ("another\n", True, "found: another"),
        ("", False, "found: nothing"),
    ],
)
def test_a_volume_that_was_not_mounted_is_the_disk_of_the_kubelet(printed: str, shared: bool, problem: str) -> None:
    found = problem_in(printed, mark="mark", is_shared=lambda: shared)
    assert problem in found and bool(found) == bool(problem)


def test_a_volume_with_the_data_of_another_one_names_it() -> None:
    written = {"a": "1", "b": "2", "c": "3"}
    nodes = dict.fromkeys(written, "node-1")
    assert not_their_own(written, originals=written, nodes=nodes) == []
    found = not_their_own({"a": "1", "b": "3", "c": ""}, originals=written, nodes=nodes)
    assert found == ["b on node-1 held the data of c", "c on node-1 held other data or none: nothing"]


def test_the_slowest_node_counts_and_nodes_that_are_left_out_do_not() -> None:
    visits = [
        Visit(node="node-1", ended_s=(3.0, 4.0)),
        Visit(node="node-2", ended_s=(2.5, 4.5)),
        Visit(node="node-3", left_out="it takes no pods"),
    ]
    (figure,) = figures_of(visits, storage_class="fast").figures
    assert (figure.value, figure.low, figure.high) == (4.5, 3.0, 4.5)
    (unknown,) = figures_of([*visits, Visit(node="node-4", problem="no path")], storage_class="fast").figures
    assert (unknown.value, unknown.unknown) == (None, "1 of 3 nodes could not use a volume in time")
    rows = figures_of(visits, storage_class="fast").rows
    assert [row["Problem"] for row in rows] == ["", "", "it takes no pods"]

"""The report: the verdict in a sentence, nothing from the cluster as markup; the schema of `results.json`."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acceptance.report.summary import render_summary, verdict_sentence
from acceptance.results.clusters import Cluster, Image, Node, StorageClass
from acceptance.results.document import Estimate, Measurement, Overall, Results, Run, Status, Step, Verdict
from acceptance.results.scaling import (
    CapacityRecord,
    Figure,
    NodesRecord,
    RateRecord,
    ScalingRecord,
    StepRecord,
    VolumeRecord,
)
from selftests.unit.flat_verdicts import flat_verdict

STARTED = datetime(2026, 11, 21, 7, 15, 2, tzinfo=UTC)
HOSTILE = (
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "]]>",
    "</td></table>",
    "{{ 7*7 }}",
    "&amp;",
)


class Page(HTMLParser):
    """What a browser makes of it: the tags, their attributes, the text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.loaded: set[str | None] = set()
        self.text = ""
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.loaded |= {value for name, value in attrs if name.endswith(("href", "src", "data", "action"))}
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def verdict(status: Status = "pass", *, text: str = "fast", **more: Any) -> Verdict:
    fields: dict[str, Any] = {
        "id": text,
        "test": text,
        "storage_class": text,
        "profile": text,
        "metric": text,
        "rule": text,
        "limit": text,
        "measured": None,
        "low": None,
        "high": None,
        "status": status,
        "reason": text,
    }
    return flat_verdict(**(fields | more))


def results(
    overall: Overall = "pass",
    *,
    verdicts: tuple[Verdict, ...] = (),
    complete: bool = True,
    text: str = "fast",
    **more: Any,
) -> Results:
    run = Run(
        id=text,
        started=STARTED,
        finished=STARTED if complete else None,
        complete=complete,
        suite_version=text,
        exit_status=0 if complete else None,
    )
    settings = {"tier": text if text != "fast" else "baseline", "volume_size": 2 * 1024**3, "test_size": 1024**3}
    fields: dict[str, Any] = {
        "cluster": None,
        "measurements": [],
        "steps": [],
        "errors": [],
        "settings": settings,
        "run": run,
        "overall": overall,
        "verdicts": list(verdicts),
        "tier_limits": 2,
    }
    return Results(**(fields | more))


def full(text: str) -> Results:
    """Results with the text in every place that takes one."""
    node = Node(name=text, kubelet=text, kernel=text, os_image=text, container_runtime=text, architecture=text)
    storage_class = StorageClass(
        name=text,
        provisioner=text,
        parameters={text: text},
        binding_mode=text,
        reclaim_policy=text,
        allow_expansion=True,
        default=True,
    )
    estimate = Estimate(mean=1204.0, low=1150.0, high=1260.0, unit="1/s", samples=36)
    measurement = Measurement(
        id=text,
        profile=text,
        storage_class=text,
        role="candidate",
        node=text,
        pods=[text],
        started=STARTED,
        duration_s=36.0,
        fio_version=text,
        metrics={text: estimate},
        series={text: [1.0]},
        warnings=[text],
        compared_with="beside",
    )
    figure = Figure(mean=1204.0, low=1150.0, high=1260.0, batches=[])
    volume = VolumeRecord(pod=text, node=text, rate=1204.0, latency_mean_s=None, latency_p99_s=None)
    step = StepRecord(
        pods=2,
        window_s=6,
        batch_s=1,
        total=figure,
        latency_mean_s=None,
        latency_p99_s=None,
        volumes=[volume, volume],
        clock_spread_s=0.0,
    )
    scaling = ScalingRecord(
        profile=text,
        storage_class=text,
        metric=text,
        unit="1/s",
        confidence=0.98,
        steps=[step, step.model_copy(update={"pods": 4})],
        capacity=CapacityRecord(constant=figure, plateau_pods=2),
        rate_limited=RateRecord(pods=4, rate=100.0, reached={text: figure}),
        nodes=NodesRecord(on_fewer_nodes=step, on_more_nodes=step, fewer_nodes=1, more_nodes=2),
    )
    return results(
        "fail",
        scaling=[scaling],
        verdicts=(verdict("fail", text=text, rule="at_least"), verdict("pass", text=text)),
        text=text,
        errors=[text],
        measurements=[
            measurement,
            measurement.model_copy(update={"id": "beside", "role": "baseline", "compared_with": None}),
        ],
        steps=[Step(storage_class=text, test=text, step=text, seconds=1.5)],
        cluster=Cluster(
            kind=text,
            kubernetes_version=text,
            nodes=[node],
            storage_classes=[storage_class],
            image=Image(reference=text, digest=text),
        ),
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_from_the_cluster_becomes_markup(text: str) -> None:
    hostile, harmless = Page(render_summary(full(text))), Page(render_summary(full("fast")))
    assert hostile.tags == harmless.tags
    assert hostile.attributes == harmless.attributes
    assert hostile.text.count(text) >= 20


@settings(max_examples=30)
@given(st.text(alphabet="<>&\"'/=! -[]{}%#abcscript\x00\n", min_size=1, max_size=30))
def test_no_text_changes_the_structure_of_the_report(text: str) -> None:
    assert Page(render_summary(full(text))).tags == Page(render_summary(full("fast"))).tags


def test_the_report_needs_no_script_and_nothing_from_elsewhere() -> None:
    page = Page(render_summary(full("fast")))
    assert not {"script", "img", "link", "iframe", "style", "object", "embed", "form", "base"} & set(page.tags)
    assert not [attribute for attribute in page.attributes if attribute.startswith("on") or attribute == "style"]
    assert all(each is not None and each.startswith("#") for each in page.loaded)
    assert page.open == []


def test_the_verdict_is_read_first() -> None:
    page = Page(render_summary(results("fail", verdicts=(verdict("fail"),))))
    assert " ".join(page.text.split()).startswith("FAIL 0 of 1 tests passed, 1 failed. fast fails ")


def test_failing_verdicts_come_first_and_skipped_ones_last() -> None:
    statuses: list[Status] = ["skipped", "pass", "inconclusive", "fail", "pass"]
    found = render_summary(results("fail", verdicts=tuple(verdict(status, text=status) for status in statuses)))
    reasons = found[found.index('<section id="further-profiles">') :]
    places = (*(f'status-{each}"' for each in ("fail", "inconclusive", "pass")), "1 skipped, and why")
    order = [reasons.index(place) for place in places]
    assert order == sorted(order)


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (
            results("pass", verdicts=(verdict(), verdict(), verdict("skipped"))),
            "fast passes tier baseline: all 2 judged tests pass.",
        ),
        (
            results("pass", verdicts=(verdict(), verdict("skipped"))),
            "fast passes the only judged test, but tier baseline was judged in part only: 1 of 2 limits and rules.",
        ),
        (
            results("pass", verdicts=(verdict(), verdict(), verdict(rule="total_at_last_step")), tier_limits=3),
            "fast passes tier baseline: all 3 judged tests pass.",
        ),
        (
            results("pass", verdicts=(verdict(), verdict(), verdict("skipped", rule="node_scaling")), tier_limits=3),
            "fast passes all 2 judged tests, but tier baseline was judged in part only: 2 of 3 limits and rules.",
        ),
        (
            results("fail", verdicts=(verdict("fail"), verdict(), verdict("inconclusive", storage_class="slow"))),
            "fast, slow fails tier baseline: 1 of 3 limits and rules fail.",
        ),
        (
            results("fail", verdicts=(verdict("fail"), verdict("fail"), *[verdict("skipped")] * 43)),
            "fast fails tier baseline: 2 of 2 limits and rules fail.",
        ),
        (
            results("fail", verdicts=(verdict("fail"), *[verdict("skipped")] * 43)),
            "fast fails tier baseline: the only judged test fails.",
        ),
        (
            results("inconclusive", verdicts=(verdict("inconclusive"), verdict())),
            "No verdict on fast for tier baseline: 1 inconclusive.",
        ),
        (
            results("inconclusive", verdicts=(verdict(),), complete=False),
            "No verdict on fast for tier baseline: the run is not complete.",
        ),
        (
            results("inconclusive", verdicts=(verdict("inconclusive"),), complete=False, errors=["a", "b"]),
            "No verdict on fast for tier baseline: 1 inconclusive, 2 errors, the run is not complete.",
        ),
        (results("inconclusive"), "No verdict for tier baseline: nothing was judged."),
    ],
)
def test_the_verdict_is_one_sentence_with_what_stands_in_its_way(found: Results, sentence: str) -> None:
    assert verdict_sentence(found) == sentence


def test_values_are_shown_with_unit_and_interval() -> None:
    measured = verdict(measured=0.00812, low=0.0079, high=0.0085, unit="s", confidence=0.99)
    page = Page(render_summary(results(verdicts=(measured,))))
    assert "8.12 ms" in page.text
    assert "7.9 ms to 8.5 ms (99% CI)" in page.text


def test_a_verdict_without_a_value_shows_none() -> None:
    page = Page(render_summary(results(verdicts=(verdict(),))))
    assert "None" not in page.text
    assert "nan" not in page.text


def test_steps_are_one_row_for_each_class_and_step() -> None:
    steps = [Step(storage_class="fast", test="t", step="bound", seconds=each) for each in (1.0, 9.0, 2.0)]
    found = render_summary(results(steps=steps))
    figures = ['<td class="number">3</td>', '<td class="number">2.00 s</td>', '<td class="number">9.00 s</td>']
    row = found[found.index("<td>bound</td>") :].partition("</tr>")[0]
    assert [figure for figure in figures if figure not in row] == []
    assert found.count("<td>bound</td>") == 1


def test_a_run_that_broke_off_says_so_and_one_without_findings_is_no_error() -> None:
    text = Page(render_summary(results("inconclusive", complete=False))).text
    assert "not complete" in text
    assert "nothing was judged" in text


def test_the_schema_that_is_checked_in_is_that_of_the_models() -> None:
    checked_in = files("acceptance.results").joinpath("results.schema.json").read_text(encoding="utf-8")
    generated = json.dumps(Results.model_json_schema(), indent=2) + "\n"
    assert checked_in == generated, "write Results.model_json_schema() to acceptance/results/results.schema.json"


@pytest.mark.parametrize("found", [full("fast"), full(HOSTILE[0]), results("inconclusive", complete=False)])
def test_results_fit_the_schema_and_are_the_same_after_being_read(found: Results) -> None:
    written = found.model_dump_json()
    schema = json.loads(files("acceptance.results").joinpath("results.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(written), schema)
    assert Results.model_validate_json(written) == found

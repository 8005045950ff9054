"""The page: what is on the first screen, what is missing, one heading after the other, nothing from elsewhere."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from markupsafe import Markup

from acceptance.report.overview import FIRST
from acceptance.report.page import foot_of, page
from acceptance.report.subjects import chapters_of
from acceptance.report.summary import render_summary, verdict_sentence
from acceptance.results.completeness import is_whole, missing
from acceptance.results.conditions import Conditions, TierLimit
from acceptance.results.document import Results, Verdict
from acceptance.results.history import TrendPoint, TrendRecord
from acceptance.results.known_storage import KnownStorage, Statement
from acceptance.results.pools import PoolRecord
from acceptance.results.requirement import Requirement
from acceptance.results.subjects import SUBJECTS
from selftests.unit.test_report import STARTED, full, results, verdict


class Outline(HTMLParser):
    """The headings with their levels, the ids, where links go, and what names each part that must have a name."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.levels: list[int] = []
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.unnamed: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))
        if "id" in given:
            self.ids.append(given["id"])
        if tag == "a":
            self.targets.append(given["href"])
        if (tag == "svg" or given.get("role") == "region") and not given.get("aria-label"):
            self.unnamed.append(tag)


def conditions(*limits: str) -> Conditions:
    return Conditions(
        profiles={"fast": "[fast]\nrw=<write>", "unused": "[unused]"},
        limits_file="version: 1 # <all>",
        limits=[TierLimit(profile="fast", limit=limit) for limit in limits],
    )


def of_tests(*tests: str, reached: tuple[str, ...], **more: Any) -> Results:
    found = results("inconclusive", verdicts=tuple(verdict(test=each) for each in reached), **more)
    return found.model_copy(update={"run": found.run.model_copy(update={"tests": list(tests)})})


@pytest.mark.parametrize(
    "found",
    [
        full("fast"),
        full("<b>"),
        results("inconclusive", complete=False),
        results("fail", verdicts=(verdict("fail", subject="provisioning"),)),
    ],
)
def test_headings_follow_one_another_and_every_part_has_a_name(found: Results) -> None:
    outline = Outline(page(title="Storage", body=Markup(render_summary(found))))
    assert outline.levels[0] == 1 and outline.levels.count(1) == 1
    assert all(below <= above + 1 for above, below in zip(outline.levels, outline.levels[1:], strict=False))
    assert outline.unnamed == []
    assert len(outline.ids) == len(set(outline.ids))
    assert {target.removeprefix("#") for target in outline.targets} <= set(outline.ids)


def test_the_page_lets_nothing_run_and_loads_nothing() -> None:
    html = page(title="a <b>", body=Markup("<p>found</p>"))
    assert "<h1>a &lt;b&gt;</h1>" in html and "<p>found</p>" in html
    assert "default-src 'none'; script-src 'none'" in html
    assert "width=device-width" in html and '<html lang="en">' in html
    assert not re.search(r"<script|<link|@import|url\(|https?:", html)


def test_each_printed_page_says_of_which_run_it_is() -> None:
    html = page(title="a", body=Markup(), foot=foot_of(results("fail", text='r"1</style><script>')))
    assert '@bottom-left { content: "Storage acceptance: fail, run r1stylescript"; }' in html


def test_what_did_not_pass_is_told_first_with_its_reason_and_a_link() -> None:
    html = render_summary(
        results("fail", verdicts=(verdict(), verdict("fail", profile="etcd-fsync", reason="too slow")))
    )
    first = html.partition("<h2>Subjects</h2>")[0]
    assert '<a href="#synchronous-writes">etcd-fsync</a>: too slow' in first
    assert first.count("status-fail") == 1 and "status-pass" not in first


@pytest.mark.parametrize(("bad", "at_once"), [(FIRST + 1, FIRST + 1), (FIRST + 2, FIRST), (40, FIRST)])
def test_of_many_that_did_not_pass_the_first_are_told_at_once(bad: int, at_once: int) -> None:
    html = render_summary(results("fail", verdicts=tuple(verdict("fail", reason=f"reason {n}.") for n in range(bad))))
    first, _, _ = html.partition("<h2>Subjects</h2>")
    opened, _, folded = first.partition("<details>")
    assert opened.count("reason ") == at_once
    assert folded.count("reason ") == bad - at_once
    assert (f"<summary>{bad - at_once} more</summary>" in folded) == (bad > at_once)


def test_every_reason_stands_in_its_subject() -> None:
    verdicts = tuple(verdict(subject=argument, reason=f"({argument} says so)") for argument in SUBJECTS)
    body = render_summary(results(verdicts=verdicts)).partition("<h2>Subjects</h2>")[2]
    assert [argument for argument in SUBJECTS if f"({argument} says so)" not in body] == []


@pytest.mark.parametrize(
    ("found", "title"),
    [
        (verdict(subject="speed", profile="sync-write-iops"), "Synchronous writes"),
        (verdict(subject="speed", profile="random-read-bandwidth"), "Bandwidth"),
        (verdict(subject="speed", profile="mine-latency"), "Further profiles"),
        (verdict(subject="many-volumes", profile="random-write-iops"), "Many volumes at the same time"),
        (verdict(subject="durability", profile="failover"), "Durability, integrity and failover"),
        (verdict(subject="further-tests", profile=None), "Further tests"),
        (verdict(subject="durability", chapter="Orders"), "Orders"),
        (verdict(subject="speed", profile="sync-write-iops", chapter="Control plane"), "Control plane"),
    ],
)
def test_a_verdict_is_told_by_its_subject_its_profile_or_the_title_of_its_test(found: Verdict, title: str) -> None:
    chapters = chapters_of(results(verdicts=(found,)))
    assert chapters.titles[chapters.of(found)] == title


def test_tests_that_came_to_no_verdict_are_named_and_the_run_is_not_complete() -> None:
    found = of_tests("a.py::one", "a.py::<two>", reached=("a.py::one",))
    assert not is_whole(found)
    html = render_summary(found)
    assert "not complete" in html and "the run is not complete" in html
    assert "1 of 2 tests have no verdict" in html and "<code>a.py::&lt;two&gt;</code>" in html


def test_a_whole_run_and_one_of_an_older_suite_miss_nothing() -> None:
    for found in (of_tests("a.py::one", reached=("a.py::one",)), results(verdicts=(verdict(),))):
        assert is_whole(found) and missing(found).tests == [] and missing(found).limits == []
        assert "What is missing" not in render_summary(found)


def test_limits_that_were_not_judged_are_named_for_each_class() -> None:
    verdicts = (verdict(limit="a"), verdict("skipped", limit="b"), verdict(limit="b", storage_class="slow"))
    found = results(verdicts=verdicts).model_copy(update={"tested_with": conditions("a", "b"), "tier_limits": 4})
    assert missing(found).limits == ["fast: b, on fast", "fast: a, on slow"]
    assert "not judged: 2 of 4" in render_summary(found)


def of_limits(*, shipped: bool, digest: str = "ab12" * 16, required: tuple[str, ...] = ()) -> Results:
    """A pass of all that was asked, by limits of a file that calls its tier `production`."""
    update = {"limits_digest": digest, "limits_shipped": shipped, "required": list(required)}
    known = conditions("a").model_copy(update=update)
    found = results("pass", verdicts=(verdict(limit="a", test="tests/a.py::test_it[fast]"),))
    settings = {"tier": "production", "thresholds": "/somewhere/fake.yaml"}
    return found.model_copy(update={"tested_with": known, "tier_limits": 1, "settings": settings})


def test_a_pass_says_whose_limits_they_were() -> None:
    """Any file may call any tier by any name."""
    assert verdict_sentence(of_limits(shipped=True)).startswith("fast passes tier production of the shipped limits ")
    ours = verdict_sentence(of_limits(shipped=False))
    assert ours.startswith("fast passes tier production of fake.yaml (not the shipped limits; sha256 ab12ab12ab12)")
    assert "not the shipped limits" in render_summary(of_limits(shipped=False))


@pytest.mark.parametrize("rule", ["at_least_sustained", "at_least"])
def test_a_pass_without_a_sustained_load_says_so_in_its_first_sentence(rule: str) -> None:
    found = of_limits(shipped=True)
    sustained = TierLimit(profile="fast", limit="s", requirement=Requirement(rule=rule, profile="fast", metric="m"))
    assert found.tested_with is not None
    limits = [*found.tested_with.limits, sustained]
    with_it = found.model_copy(update={"tested_with": found.tested_with.model_copy(update={"limits": limits})})
    said = "1 of 2 limits and rules; sustained speed not tested." in verdict_sentence(with_it)
    assert said == missing(with_it).sustained == (rule != "at_least")
    assert missing(found).sustained is False


@pytest.mark.parametrize(
    ("required", "passes"),
    [("tests/a.py", True), ("tests/a.py::test_it", True), ("tests/a.py::test_other", False), ("tests/a", False)],
)
def test_a_pass_without_a_test_that_the_tier_requires_is_none_of_the_tier(required: str, passes: bool) -> None:
    found = of_limits(shipped=True, required=(required,))
    assert ("was judged in part only" not in verdict_sentence(found)) == passes
    assert (f"did not run or were skipped: {required}" in verdict_sentence(found)) != passes
    assert (f"<code>{required}</code>" in render_summary(found)) != passes


def test_what_is_required_is_required_of_every_class() -> None:
    found = of_limits(shipped=True, required=("tests/a.py",))
    both = [*found.verdicts, verdict(limit="a", test="tests/b.py::test_it[slow]", storage_class="slow")]
    assert missing(found.model_copy(update={"verdicts": both})).required_tests == ["tests/a.py, on slow"]


def test_loads_limits_and_command_are_there_as_text() -> None:
    found = full("fast").model_copy(update={"tested_with": conditions()})
    command = "pytest --storage-class=fast -k 'a < b'"
    html = render_summary(found.model_copy(update={"run": found.run.model_copy(update={"command": command})}))
    assert "rw=&lt;write&gt;" in html and "version: 1 # &lt;all&gt;" in html
    assert "[unused]" not in html
    assert "-k &#39;a &lt; b&#39;</pre>" in html


def test_what_a_target_says_of_its_storage_stands_with_its_source_apart_from_verdicts() -> None:
    known = KnownStorage(
        about="Our <storage>",
        caveats=[Statement(what="writes are cached", source="https://example.com/manual?a=1&b=2")],
        limits=[Statement(what="not more than 64 volumes", source="javascript:alert(1)")],
    )
    outline = Outline(html := render_summary(results().model_copy(update={"known_storage": known})))
    assert "What is known about Our &lt;storage&gt;" in html and "No verdict depends on these limits." in html
    assert 'writes are cached <small>(<a href="https://example.com/manual?a=1&amp;b=2"' in html
    assert "not more than 64 volumes <small>(javascript:alert(1))</small>" in html
    assert "known" in outline.ids and "#known" in outline.targets and "javascript:alert(1)" not in outline.targets


def test_what_was_to_be_claimed_stands_beside_what_was_free() -> None:
    pool = PoolRecord(
        storage_class="<fast>", claimed=1, free=None, description="at most 1 B; free space is <not> known"
    )
    html = render_summary(full("fast").model_copy(update={"pools": [pool]}))
    assert "Storage of &lt;fast&gt;</th><td>at most 1 B; free space is &lt;not&gt; known</td>" in html


def test_what_earlier_runs_showed_is_drawn_beside_the_verdicts_on_it() -> None:
    points = [TrendPoint(run=f"r{n}", date=STARTED, mean=100.0 + n, low=None, high=None) for n in range(8)]
    record = TrendRecord(
        storage_class="fast",
        profile="sync-write-iops",
        metric="write.iops",
        unit="1/s",
        higher_is_better=True,
        margin=0.1,
        points=points[:-1],
        this_run=points[-1],
        compared_with=7,
        typical=103.0,
        expected_low=95.0,
        expected_high=112.0,
        change_point=None,
        status="pass",
    )
    judged = verdict(subject="history", reason="as before")
    html = render_summary(results(verdicts=(judged,), trends=[record]))
    section = html.partition('<section id="history">')[2].partition("</section>")[0]
    assert section.count("<svg") == 1 and "as before" in section

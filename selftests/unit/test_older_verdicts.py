"""Results of a suite whose verdicts did not say what they are about: all is read, and told where it was told then."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from acceptance.__main__ import main
from acceptance.judging.rejudging import contradictions
from acceptance.report.summary import render_summary
from acceptance.results.file import read_results
from acceptance.results.history_series import record_of

OLD = Path(__file__).parent / "older_results/make_accept.json"
"""as `make accept` wrote it, without the texts of loads and limits, and with another place of its checkout"""


def test_each_verdict_has_the_subject_that_its_test_was_of() -> None:
    assert '"subject"' not in OLD.read_text(encoding="utf-8")
    assert Counter(each.subject for each in read_results(OLD).verdicts) == {
        "speed": 12,
        "many-volumes": 6,
        "provisioning": 5,
        "durability": 5,
        "rebuild": 4,
        "features": 3,
        "control-plane": 2,
        "history": 1,
    }


def test_its_report_has_the_chapters_that_it_had() -> None:
    page = render_summary(read_results(OLD))
    assert re.findall(r'<section id="([\w-]+)">', page) == [
        "synchronous-writes",
        "iops",
        "latency",
        "many-volumes",
        "control-plane",
        "rebuild",
        "durability",
        "provisioning",
        "features",
        "history",
        "measurements",
        "tested-on",
    ]


def test_it_is_verified_compared_and_added_to_a_history(tmp_path: Path) -> None:
    found = read_results(OLD)
    assert list(contradictions(found)) == []
    assert main(["compare", str(OLD), str(OLD)]) == 0
    assert main(["report", str(OLD), str(OLD), "-o", str(tmp_path / "page.html")]) == 0
    assert record_of(found, profiles={each.profile: "" for each in found.measurements}).measurements


def test_what_says_its_subject_itself_is_not_asked_for_its_name(tmp_path: Path) -> None:
    text = OLD.read_text(encoding="utf-8")
    changed = text.replace('"reason": "held on replicated"', '"subject": "features", "reason": "held"', 1)
    (tmp_path / "results.json").write_text(changed, encoding="utf-8")
    assert Counter(each.subject for each in read_results(tmp_path).verdicts)["features"] == 4

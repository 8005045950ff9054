"""The report's part on crashes: what was lost, and a failover phase by phase."""

from __future__ import annotations

from typing import Any

from acceptance.report.parts import mark
from acceptance.report.records.crashes import crash_parts
from acceptance.report.summary import render_summary
from acceptance.results.document import Results, Run
from selftests.unit.crash_records import NOW, durability, failover
from selftests.unit.read_parts import sentences_of, tables_of


def results(**found: Any) -> Results:
    fields: dict[str, Any] = {
        "run": Run(id="r", started=NOW, finished=NOW, complete=True, suite_version="1", exit_status=0),
        "cluster": None,
        "settings": {"tier": "baseline", "volume_size": 1024, "test_size": 1024},
        "measurements": [],
        "steps": [],
        "verdicts": [],
        "tier_limits": 1,
        "errors": [],
        "overall": "pass",
    }
    return Results(**fields | found)


def test_without_crashes_nothing_is_said_of_them() -> None:
    html = render_summary(results())
    assert "after a crash" not in html and "Failover of" not in html


def test_a_crash_is_a_row_with_what_was_lost() -> None:
    found = results(durability=[durability(), durability(read_on="node-2", lost=[(3, 3), (9, 12)])])
    ((whole, torn),) = tables_of(*crash_parts(found))
    assert (whole["Acknowledged"], whole["Lost"]) == ("1,930 in 5.0 s", "none")
    assert whole["Crash"] == "the node failed and came back (power off)"
    assert (torn["Written on"], torn["Lost"]) == ("node-1, read on node-2", mark("fail", "lost", "5: 3, 9 to 12"))


def test_a_failover_is_a_table_whose_shares_add_up() -> None:
    (part,) = crash_parts(results(failovers=[failover(44.0, 10.0, 1.0)]))
    assert part.title == "Failover of fast: 55.0 s" and sentences_of(part)[0].startswith("From node-1 to node-2: ")
    (phases,) = tables_of(part)
    assert phases[0]["Phase"] == "node seen to be lost"
    assert sum(int(phase["Share"].removesuffix(" %")) for phase in phases) == 100


def test_a_drain_is_a_table_that_tells_what_stayed() -> None:
    drain = failover(9.0, 5.0, failure="drained", stayed=["VolumeAttachment <b>"])
    html = render_summary(results(failovers=[drain, failover(9.0, failure="drained", stayed=[])]))
    assert html.count("Drain of fast: ") == 2 and "Failover of" not in html
    assert html.count("on the first node: VolumeAttachment &lt;b&gt;.") == 1


def test_both_are_shown_and_hostile_words_escaped() -> None:
    html = render_summary(
        results(durability=[durability(what="<script>alert(1)</script>", lost=[(3, 9)])], failovers=[failover(44.0)])
    )
    assert "Acknowledged records after a crash" in html and "7: 3 to 9" in html
    assert "Failover of fast: 44.0 s" in html
    assert "<script>alert" not in html

"""The comparison on a terminal: aligned, readable in 80 columns, and text alone where there are no colours."""

from __future__ import annotations

import re
from typing import Any

import pytest
from rich.cells import cell_len

from acceptance.report.comparison import comparisons
from acceptance.report.terminal_table import terminal_table
from acceptance.results.document import Measurement, RelativeEstimate
from selftests.unit.compared_runs import judged, measured, run_of

TWELVE = [
    f"{order}-{direction}-{about}"
    for about in ("iops", "bandwidth", "latency")
    for order in ("random", "sequential")
    for direction in ("read", "write")
]


def beside(profile: str, candidate: dict[str, Any], baseline: dict[str, Any], name: str = "fast") -> list[Measurement]:
    paired = {
        metric: RelativeEstimate(ratio=each / baseline[metric], low=0.1, high=0.9, confidence=0.95)
        for metric, each in candidate.items()
        if metric in baseline
    }
    return [
        measured(candidate, profile=profile, storage_class=name, beside="local", against=paired),
        measured(baseline, profile=profile, storage_class="local", role="baseline"),
    ]


def kbench() -> list[Measurement]:
    """All twelve modes on both classes."""
    found = []
    for profile in TWELVE:
        way = profile.split("-")[1]
        figures = {f"{way}.iops": 123456.0, f"{way}.bandwidth": 9.87e8, f"{way}.latency.mean": 0.001234}
        found += beside(profile, figures, {name: 2 * value for name, value in figures.items()})
    return found


def table(*measurements: Measurement, width: int = 80, coloured: bool = False, **more: Any) -> list[str]:
    (comparison,) = comparisons(run_of(*measurements, **more))
    return terminal_table(comparison, width=width, in_color=coloured).splitlines()


def test_groups_and_rows_are_those_of_kbench() -> None:
    lines = table(*kbench())
    assert lines[0] == "candidate fast, baseline local"
    assert re.fullmatch(r"profile +candidate +baseline +change +verdict", lines[1])
    assert [line for line in lines[2:] if not line.startswith(" ")] == ["IOPS", "Bandwidth", "Latency"]
    assert re.fullmatch(r"  random-read-iops +123,456 IOPS +246,912 IOPS +2x slower +not judged", lines[3])


def test_a_row_is_one_line_of_80_columns_with_its_figures_below_each_other() -> None:
    lines = table(*kbench())
    assert len(lines) == 2 + 3 + 12
    assert max(map(len, lines)) <= 80
    ends = {line.index("2x slower") for line in lines if "2x slower" in line}
    assert len(ends) == 1


def test_where_there_is_less_room_figures_stay_whole() -> None:
    lines = table(*kbench(), width=20)
    assert max(map(len, lines)) <= 60
    assert sum("123,456 IOPS  246,912 IOPS  2x slower" in line for line in lines) == 4


def test_a_long_verdict_takes_no_room_from_figures() -> None:
    pair = beside("sync-write-iops", {"write.iops": 123456.0}, {"write.iops": 246912.0})
    bad = [judged("fail", metric=f"write.latency.p99.{number}") for number in range(5)]
    assert "123,456 IOPS  246,912 IOPS  2x slower" in "\n".join(table(*pair, width=60, verdicts=bad))


def test_wide_characters_take_two_columns() -> None:
    rows = [
        line
        for line in table(*beside("读写-iops", {"write.iops": 10.0}, {"write.iops": 20.0}), *kbench())
        if "2x slower" in line
    ]
    assert len({cell_len(line[: line.index("2x slower")]) for line in rows}) == 1


def test_colours_are_there_only_where_they_are_asked_for() -> None:
    failing = {"verdicts": [judged("fail")]}
    pair = beside("sync-write-iops", {"write.iops": 1.0}, {"write.iops": 2.0})
    assert "\x1b" not in "".join(table(*pair, **failing))
    coloured = table(*pair, coloured=True, **failing)
    assert any("\x1b[1;31mfail" in line for line in coloured)
    assert [re.sub(r"\x1b\[[\d;]*m", "", line).rstrip() for line in coloured] == table(*pair, **failing)


@pytest.mark.parametrize("variable", ["FORCE_COLOR", "NO_COLOR", "COLUMNS", "TTY_COMPATIBLE"])
def test_the_environment_says_nothing_that_pytest_has_not_decided(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, coloured = table(*kbench()), table(*kbench(), coloured=True)
    monkeypatch.setenv(variable, "1")
    assert (table(*kbench()), table(*kbench(), coloured=True)) == (before, coloured)


def test_names_are_text_and_no_markup() -> None:
    lines = table(*beside("[red]x[/red]-iops", {"write.iops": 1.0}, {"write.iops": 2.0}, "[bold]:tada:"))
    assert lines[0] == "candidate [bold]:tada:, baseline local"
    assert any(line.startswith("  [red]x[/red]-iops ") for line in lines)


def test_what_is_bad_has_a_row_of_its_own_where_it_is_another_metric() -> None:
    pair = beside("sync-write-iops", {"write.iops": 1.0, "cpu.use": 0.5}, {"write.iops": 2.0})
    lines = table(*pair, verdicts=[judged("fail", metric="cpu.use")])
    (row,) = [line for line in lines if "2x slower" in line]
    (bad,) = [line for line in lines if "cpu.use" in line]
    assert row.endswith("not judged") and bad.endswith("fail")


def test_without_a_baseline_its_columns_are_empty() -> None:
    lines = table(measured({"write.iops": 1204.0}))
    assert lines[0] == "candidate fast"
    assert re.fullmatch(r"  sync-write-iops +1,204 IOPS +not judged", lines[-1])


def test_of_a_profile_that_reads_and_writes_each_row_says_which() -> None:
    lines = table(measured({"read.iops": 1.0, "write.iops": 2.0}, profile="mixed"))
    assert [line.split()[:2] for line in lines[-2:]] == [["mixed", "read.iops"], ["mixed", "write.iops"]]

"""Files that fit the schema and hold what nothing can be done with: told as such, and never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import UndefinedError

from acceptance.__main__ import main
from acceptance.commands.unusable_files import refused_where_unusable
from acceptance.results.document import Estimate
from acceptance.text.errors import EnvironmentFailure, WrongUsage
from selftests.unit.compared_runs import cluster, estimate, measured, run_of

WIDE = estimate(1.0).model_copy(update={"low": 1e-300, "high": 1e300})


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ({"write.iops": estimate(1e-300)}, {"write.iops": estimate(1e308)}, "OverflowError: 1e+308 and 1e-300 are too"),
        ({"write.iops": WIDE}, {"write.iops": WIDE}, "OverflowError: math range error"),
        ({"moon.phase": estimate(1.0)}, {"moon.phase": estimate(2.0)}, "ValueError: expected a metric"),
    ],
)
def test_figures_that_cannot_be_compared(
    before: dict[str, Estimate | float],
    after: dict[str, Estimate | float],
    told: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    for path, metrics in ((first, before), (second, after)):
        path.write_text(run_of(measured(dict(metrics)), where=cluster()).model_dump_json())
    assert main(["compare", str(first), str(second)]) == 4
    problem = capsys.readouterr().err
    assert (
        f"{first}, {second}: expected figures, names and settings as a run writes them, found unusable values: "
        in problem
    )
    assert told in problem
    assert problem.endswith("; get the files that the runs wrote\n")


@pytest.mark.parametrize("error", [KeyError("no such"), ZeroDivisionError(), UndefinedError("no such setting")])
def test_what_fails_on_the_files_is_said_of_the_files(error: Exception) -> None:
    with (
        pytest.raises(WrongUsage, match=f"a, b: expected .* {type(error).__name__}: "),
        refused_where_unusable(Path("a"), Path("b")),
    ):
        raise error


def test_what_is_told_already_is_not_told_anew() -> None:
    with pytest.raises(EnvironmentFailure, match="the disk"), refused_where_unusable(Path("a")):
        raise EnvironmentFailure("the disk is full")

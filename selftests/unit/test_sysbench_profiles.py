"""Files of sysbench options as profiles: what could not measure the volume is refused, all of it at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from acceptance.loads.sysbench.profiles import read_options, read_options_file
from acceptance.text.errors import WrongUsage

GOOD = """# First line,
# second line.
--file-total-size=${SIZE}
--file-test-mode=rndwr

# in between
  --time=${RUNTIME}
--file-extra-flags=direct,dsync
--validate
"""


def test_options_stand_in_their_order_with_their_variables() -> None:
    assert read_options(GOOD) == (
        "--file-total-size=${SIZE}",
        "--file-test-mode=rndwr",
        "--time=${RUNTIME}",
        "--file-extra-flags=direct,dsync",
        "--validate",
    )


def test_a_profile_has_the_name_of_its_file_its_comment_and_files_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.sysbench"
    path.write_text(GOOD, encoding="utf-8")
    found = read_options_file(path)
    assert (found.name, found.about, found.text) == ("mine", "First line, second line.", GOOD)
    assert (found.program, found.own_files, found.durable) == ("sysbench", True, False)


@pytest.mark.parametrize(("line", "durable"), [("", True), ("=on", True), ("=off", False)])
def test_writes_are_durable_one_by_one_where_each_has_its_fsync(tmp_path: Path, line: str, durable: bool) -> None:
    path = tmp_path / "mine.sysbench"
    path.write_text(f"{GOOD}--file-fsync-all{line}\n", encoding="utf-8")
    assert read_options_file(path).durable is durable


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (GOOD + "--file-num=${FILES}\n", "unset variables: FILES; the suite sets ${SIZE} and ${RUNTIME}"),
        (GOOD.replace("--file-total-size=${SIZE}\n", ""), "it must hold --file-total-size=${SIZE}: the suite sets how"),
        (GOOD.replace("--time=${RUNTIME}\n", "--time=60\n"), "it must hold --time=${RUNTIME}: the suite sets the time"),
        (GOOD.replace("--file-test-mode=rndwr\n", ""), "it lacks --file-test-mode: sysbench requires it"),
        (GOOD + "--report-interval=5\n", "leave out --report-interval: the suite sets it"),
        (GOOD + "--report-checkpoints=5\n", "leave out --report-checkpoints: sysbench would restart its counters"),
        (GOOD + "--config-file=mine\n", "leave out --config-file: it would add options"),
        (GOOD + "--verbosity=0\n", "leave out --verbosity: the suite parses the default output of sysbench"),
        (GOOD + "--events=100\n", "--events must be 0: any other value ends the load early"),
        (GOOD + "--max-requests\n", "--max-requests must be 0"),
        (GOOD + "--validate=on\n", "line 10 repeats --validate"),
        (GOOD + "rw=write\n", "line 10 is not an option such as --file-num=64: rw=write"),
        (GOOD + "--file-num 64\n", "line 10 is not an option such as --file-num=64: --file-num 64"),
        (GOOD + "--file-num=$(id)\n", "line 10 is not an option such as --file-num=64: --file-num=$(id)"),
        (GOOD + '--file-num=4";id;"\n', "line 10 is not an option"),
        (GOOD + "--file-num=`id`\n", "line 10 is not an option"),
        (GOOD + "--file-num=$SIZE\n", "line 10 is not an option"),
        (GOOD + "--file-num=${SIZE:-`id`}\n", "unset variables: SIZE:-`id`"),
    ],
)
def test_what_could_not_measure_the_volume_is_refused(text: str, problem: str) -> None:
    with pytest.raises(WrongUsage) as raised:
        read_options(text)
    assert str(raised.value).startswith(problem)
    assert len(str(raised.value).splitlines()) == 1


def test_max_requests_may_be_zero_as_in_the_lesson() -> None:
    assert read_options(GOOD + "--max-requests=0\n")[-1] == "--max-requests=0"


def test_all_that_is_wrong_in_a_file_is_said_at_once_with_its_path(tmp_path: Path) -> None:
    path = tmp_path / "a b.sysbench"
    path.write_text("--file-num=${X}\nnonsense\n", encoding="utf-8")
    with pytest.raises(WrongUsage) as raised:
        read_options_file(path)
    lines = str(raised.value).splitlines()
    assert len(lines) == 6  # name, variable, line 2, size, time, mode
    assert all(line.startswith(f"profile {path}: ") for line in lines)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.sysbench"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(WrongUsage, match="it cannot be read"):
        read_options_file(path)

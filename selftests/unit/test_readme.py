"""What a newcomer is told, held against the code: a profile and a limit of their own; and how long the README is."""

from __future__ import annotations

from pathlib import Path

from acceptance.limits.file import load_limits
from acceptance.loads.profile_folder import find_profiles
from selftests.unit.docs_pages import blocks
from selftests.unit.made_limits import words_of

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/running.md").read_text(encoding="utf-8")
LONGEST = 1200
"""words of the README: more are for other pages"""


def section(heading: str) -> str:
    """From the heading to the next one."""
    return PAGE.partition(f"# {heading}\n")[2].partition("\n#")[0]


def test_a_job_file_and_three_lines_make_a_gate(tmp_path: Path) -> None:
    job_file, limits = blocks(section("Changing limits, adding a profile"))
    (tmp_path / "order-log.fio").write_text(job_file, encoding="utf-8")
    (tmp_path / "my-limits.yaml").write_text(limits, encoding="utf-8")
    profiles = find_profiles(tmp_path)
    tier = load_limits(tmp_path / "my-limits.yaml", profiles=set(profiles)).tier("baseline")
    assert [words_of(each) for each in tier.of("limits", profile="order-log")] == ["write.iops at least 900 IOPS"]
    assert profiles["order-log"].durable


def test_the_three_lines_fit_the_limits_that_come_with_the_suite(tmp_path: Path) -> None:
    _, limits = blocks(section("Changing limits, adding a profile"))
    three = "".join(f"{line}\n" for line in limits.splitlines()[-3:])
    file = tmp_path / "thresholds.yaml"
    shipped = (ROOT / "thresholds.yaml").read_text(encoding="utf-8")
    file.write_text(shipped.replace("    limits:\n", f"    limits:\n{three}", 1), encoding="utf-8")
    tiers = load_limits(file, profiles={*find_profiles(ROOT / "profiles"), "order-log"})
    assert len(tiers.tier("production").of("limits", profile="order-log")) == 1


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= LONGEST

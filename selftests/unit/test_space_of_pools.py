"""The space of a filled volume, by a target's command: given back, kept, of another pool, and where it says nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from acceptance.results.filling import Finding
from acceptance.settings.target_file import read_target
from acceptance.settings.target_plans import PoolPlan
from acceptance.text.errors import EnvironmentFailure, WrongUsage
from acceptance.trials.filling import space
from acceptance.trials.filling.space import Space
from selftests.bounds import HANGS_S

MIB = 1024**2


@pytest.fixture
def used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the command prints."""
    monkeypatch.setattr(space, "SHOWN_WITHIN_S", 0.5)
    return tmp_path / "used"


def found(used: Path, *, full: int, after: int) -> Finding:
    """Of a pool that had 50 MiB used, and on which 100 MiB were written."""
    watched = Space(PoolPlan(usage=["cat", str(used)], timeout_s=HANGS_S), timeout_s=0.5)
    used.write_text(f"{50 * MIB}\n")
    watched.begin()
    used.write_text(str(full * MIB))
    watched.when_full(100 * MIB)
    used.write_text(str(after * MIB))
    return watched.finding()


@pytest.mark.parametrize(
    ("full", "after", "status"),
    [
        (150, 50, "held"),
        (350, 80, "held"),
        (350, 81, "failed"),
        (150, 150, "failed"),
        (100, 50, "held"),
        (99, 50, "not_tried"),
    ],
)
def test_all_but_a_tenth_of_what_was_taken_must_be_back(used: Path, full: int, after: int, status: str) -> None:
    assert found(used, full=full, after=after).status == status


def test_all_figures_are_said(used: Path) -> None:
    kept, other = found(used, full=150, after=149), found(used, full=51, after=50)
    assert "50 MiB used before and 150 MiB used while the volume was full" in kept.how
    assert kept.how.endswith("it still had 149 MiB used")
    assert "after 100 MiB were written: the target's command reports another pool" in other.how


@pytest.mark.parametrize("said", ["", "12 GiB\n", "-5", "1.5e9"])
def test_what_is_no_number_of_bytes_is_a_fault_of_the_surroundings(used: Path, said: str) -> None:
    used.write_text(said)
    with pytest.raises(EnvironmentFailure, match="expected 0 and a whole number: the used bytes of the pool"):
        Space(PoolPlan(usage=["cat", str(used)], timeout_s=HANGS_S), timeout_s=1).begin()


def test_a_target_names_the_command_word_by_word(tmp_path: Path) -> None:
    file = tmp_path / "target.yaml"
    file.write_text("pool: {used: [sh, -c, 'echo {{}}'], timeout: 20s}\n")
    pool = read_target(file).pool
    assert pool is not None and pool.plan == PoolPlan(usage=("sh", "-c", "echo {{}}"), timeout_s=20)
    file.write_text("pool: {used: [df, '{node}']}\n")
    with pytest.raises(WrongUsage, match="expected placeholders of none, found node"):
        read_target(file)

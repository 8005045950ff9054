"""Each published figure that is kept is compared with something: changed by 10 %, it makes a comparison fail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from selftests.unit import (
    test_control_plane_published,
    test_rebuild_published,
    test_scaling_published,
    test_single_volume_published,
)
from selftests.unit.published_figures import FOLDER, changed, places, published

Comparison = Callable[[dict[str, Any]], None]
HELD_BY: dict[str, Sequence[Comparison]] = {
    "control_plane": test_control_plane_published.COMPARISONS,
    "many_volumes": test_scaling_published.COMPARISONS,
    "rebuild": test_rebuild_published.COMPARISONS,
    "single_volume": test_single_volume_published.COMPARISONS,
}
KEPT = [(name, place) for name in HELD_BY for place in places(published(name))]


def notices(comparison: Comparison, figures: dict[str, Any]) -> bool:
    """Whether the comparison fails; a file that it cannot work with at all is no finding of it."""
    try:
        comparison(figures)
    except AssertionError:
        return True
    return False


def test_every_file_of_published_figures_is_held() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(HELD_BY)


@pytest.mark.parametrize("name", HELD_BY)
def test_unchanged_figures_agree(name: str) -> None:
    assert not any(notices(comparison, published(name)) for comparison in HELD_BY[name])


@pytest.mark.parametrize(
    ("name", "place"), KEPT, ids=lambda each: each if isinstance(each, str) else "/".join(map(str, each))
)
def test_a_change_of_any_figure_by_10_percent_is_noticed(name: str, place: tuple[Any, ...]) -> None:
    for factor in (1.1, 0.9):
        figures = changed(published(name), place, factor=factor)
        assert any(notices(comparison, figures) for comparison in HELD_BY[name]), f"times {factor}: nobody noticed"

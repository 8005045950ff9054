"""What is to go is looked at by name, few or many; all of the cluster only now and then, and last."""

from __future__ import annotations

from itertools import pairwise

import pytest

from acceptance.cluster.departing import FEW, Departing
from acceptance.cluster.resources import Object
from acceptance.cluster.waiting import WIDE_LOOK_S
from selftests.unit.paged_api_server import Clock


class Place:
    """Where things are, by name; notes what is asked for and when it is searched."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
        self.clock = Clock(monkeypatch)
        self.names = list(names)
        self.found: list[str] = []
        self.searched: list[float] = []

    def departing(self, *known: str) -> Departing[str]:
        return Departing(known, find=self.find, search=self.search)

    def find(self, name: str) -> Object | None:
        self.found.append(name)
        return {"metadata": {"name": name}} if name in self.names else None

    def search(self) -> list[str]:
        self.searched.append(self.clock.now_s)
        return list(self.names)


def test_what_is_known_is_looked_at_by_name_and_all_else_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place(monkeypatch, "a", "b")
    going = place.departing("a", "b")
    for _ in range(10):
        assert [each["metadata"]["name"] for each in going.look().objects] == ["a", "b"]
    place.names.remove("a")
    assert [each["metadata"]["name"] for each in going.look().objects] == ["b"] and place.searched == []
    place.names.clear()
    assert going.look().is_gone and going.is_gone and len(place.searched) == 1


def test_one_that_came_late_is_looked_at_by_name_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place(monkeypatch, "late")
    going = place.departing("a")
    for _ in range(10):
        left = going.look()
        assert [each["metadata"]["name"] for each in left.objects] == ["late"] and not left.is_gone
    assert len(place.searched) == 1


def test_searches_that_repeat_are_some_time_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each finds something that is gone when it is looked at."""
    place = Place(monkeypatch)
    going: Departing[str] = Departing((), find=lambda name: None, search=lambda: [*place.search(), "gone soon"])
    for _ in range(40):
        assert not going.look().is_gone
        place.clock.sleep(1.0)
    assert len(place.searched) == 40 / WIDE_LOOK_S
    assert all(later - earlier >= WIDE_LOOK_S for earlier, later in pairwise(place.searched))


def test_nothing_is_gone_before_a_search_has_found_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place(monkeypatch, "late")
    going = place.departing()
    going.look()
    place.names.clear()
    left = going.look()
    assert (left.objects, left.more, left.is_gone) == ((), 0, False)
    place.clock.sleep(WIDE_LOOK_S)
    assert going.look().is_gone


def test_many_are_searched_for_and_not_looked_at_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"pv-{number:04}" for number in range(1000)]
    place = Place(monkeypatch, *names)
    going = place.departing(*names)
    for _ in range(20):
        left = going.look()
        assert (len(left.objects), left.more, left.is_gone) == (FEW, 1000 - FEW, False)
        place.clock.sleep(1.0)
    assert len(place.searched) == 20 / WIDE_LOOK_S and len(place.found) == FEW * len(place.searched)
    place.names.clear()
    assert going.look().is_gone


def test_what_no_look_has_found_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place(monkeypatch, "a", "late")
    going = place.departing("a")
    going.look()
    assert going.unknown() == ["late"]

"""Whether a plan may begin beside what is free: the figures of a refusal, values of options that are enough, order."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acceptance.cluster.storage_capacity import Segment
from acceptance.planning.pools import Pool
from acceptance.planning.records import Plan, PlannedStep, Volumes
from acceptance.planning.room import Room, claimed_in, room_of
from acceptance.text.errors import EnvironmentFailure, WrongUsage
from acceptance.text.quantities import parse_quantity, parse_size

GIB = 1024**3
HUNDRED = 100 * GIB


def step(number: int, size: int = GIB, *, of: str = "fast", name: str = "a step", **more: Any) -> PlannedStep:
    claimed = Volumes(storage_class=of, number=number, size=size, **more)
    return PlannedStep(description=name, about_s=1.0, payer=f"one.py::{name}", volumes=(claimed,), sets=1)


def pool(*free: int, sharing: tuple[str, ...] = ("fast",), evenly: bool = False, largest: int | None = None) -> Pool:
    """Of class `fast`, with a segment for each of the nodes."""
    segments = [Segment(name=f"node-{n}", free=each, nodes=1, largest=largest) for n, each in enumerate(free, start=1)]
    return Pool(
        storage_class="fast",
        sharing=frozenset(sharing),
        source="CSIStorageCapacity",
        segments=tuple(segments),
        nodes=len(free),
        evenly=evenly,
    )


def room(*steps: PlannedStep, pools: tuple[Pool, ...] = (), share: float = 0.5, at_most: int = HUNDRED) -> Room:
    return room_of(Plan(steps=steps), pools, share=share, at_most=at_most)


def test_half_of_what_is_free_may_be_claimed_and_no_more() -> None:
    assert room(step(5), pools=(pool(10 * GIB),)).problem is None
    problem = room(step(6, name="six volumes"), pools=(pool(10 * GIB),)).problem
    assert isinstance(problem, EnvironmentFailure)
    assert str(problem).startswith(
        "StorageClass fast: up to 6 GiB would be claimed at one time; 10 GiB is free (CSIStorageCapacity: node-1), of "
        "which a run may claim 50 %, 5 GiB. The most is claimed during: six volumes (one.py::six volumes). Nothing was "
        "created in the cluster. Free some, request less (--storage-volume-size"
    )
    assert str(problem).endswith("or allow more: --storage-pool-share=60%")


def test_where_nothing_is_free_no_share_would_be_enough() -> None:
    problem = str(room(step(1), pools=(pool(0),)).problem)
    assert "; 0 B is free" in problem and "--storage-pool-share" not in problem


def test_what_is_just_too_much_does_not_read_as_what_is_allowed() -> None:
    problem = str(room(step(1, 5 * GIB + 1), pools=(pool(10 * GIB),)).problem)
    assert "up to 5 GiB would" not in problem and "5 GiB. The most" in problem


def test_each_pool_that_lacks_room_is_told_and_so_is_the_want_of_consent() -> None:
    problem = room(step(101), pools=(pool(GIB, GIB),)).problem
    assert isinstance(problem, EnvironmentFailure)
    lines = str(problem).splitlines()
    assert [re.search(r"node-\d|without consent", line)[0] for line in lines] == [  # type: ignore[index]
        "node-1",
        "node-2",
        "without consent",
    ]


def test_without_consent_no_more_than_so_much_is_claimed_in_all() -> None:
    """More than that needs an option, and is no fault of the surroundings."""
    assert room(step(50), step(50, of="slow")).problem is None
    kept = [step(50, lasts="run"), step(51, of="slow", name="the slow ones")]
    problem = room(*kept).problem
    assert isinstance(problem, WrongUsage)
    assert str(problem).startswith(
        "up to 101 GiB would be claimed at one time (at most 50 GiB of fast, 51 GiB of slow; replicas not "
        "counted); without consent a run claims at most 100 GiB. The most is claimed during: the slow ones "
        "(one.py::the slow ones). Nothing"
    )
    assert str(problem).endswith("or consent: --storage-claim-at-most=101Gi")
    assert room(*kept, at_most=101 * GIB).problem is None


def test_classes_of_one_provisioner_are_taken_to_share_their_disks() -> None:
    planned = [step(3, lasts="run"), step(3, of="fast-too")]
    assert room(*planned, pools=(pool(10 * GIB),)).problem is None
    problem = str(room(*planned, pools=(pool(10 * GIB, sharing=("fast", "fast-too")),)).problem)
    assert problem.startswith("StorageClass fast (with fast-too, of the same provisioner): up to 6 GiB would")


def test_what_is_spread_evenly_takes_its_part_of_each_node_and_all_else_may_be_on_one() -> None:
    """51 volumes on three nodes are 17 on each; five more may all be where there is least."""
    spread, single = step(51, evenly=True), step(5, lasts="run")
    three = pool(44 * GIB, 100 * GIB, 100 * GIB, evenly=True)
    plan = Plan(steps=(single, spread))
    assert [claimed_in(plan, three, segment).amount for segment in three.segments] == [22 * GIB] * 3
    assert room(single, spread, pools=(three,)).problem is None
    less = pool(43 * GIB, 100 * GIB, 100 * GIB, evenly=True)
    assert "up to 22 GiB would be claimed at one time; 43 GiB is free" in str(
        room(single, spread, pools=(less,)).problem
    )
    assert "up to 56 GiB" in str(room(single, spread, pools=(replace(less, evenly=False),)).problem)


def test_a_zone_takes_the_parts_of_its_nodes() -> None:
    zone = replace(pool(1, evenly=True), nodes=4, segments=(Segment(name="a", free=1, nodes=3),))
    assert claimed_in(Plan(steps=(step(10, 1, evenly=True),)), zone, zone.segments[0]).amount == 9
    assert claimed_in(Plan(steps=(step(2, 1, evenly=True),)), zone, zone.segments[0]).amount == 2


def test_a_volume_that_no_segment_takes_is_refused() -> None:
    small = pool(HUNDRED, HUNDRED, largest=2 * GIB)
    assert room(step(1, 2 * GIB), pools=(small,)).problem is None
    problem = room(step(1), step(1, 3 * GIB, name="a large one"), pools=(small,)).problem
    assert isinstance(problem, EnvironmentFailure)
    assert "a PVC of 3 GiB is planned; no PV can be larger than 2 GiB" in str(problem)
    assert "maximumVolumeSize). It is needed for: a large one" in str(problem)


def test_a_volume_that_one_segment_takes_is_not() -> None:
    small, large = Segment(name="a", free=HUNDRED, nodes=1, largest=GIB), Segment(name="b", free=HUNDRED, nodes=1)
    for other in (large, replace(large, largest=3 * GIB)):
        assert room(step(1, 3 * GIB), pools=(replace(pool(1), segments=(small, other)),)).problem is None


def test_what_is_known_is_recorded_by_class_and_what_is_not_is_said() -> None:
    fast, slow = room(step(4), step(1, of="slow"), pools=(pool(20 * GIB, 10 * GIB),)).records
    assert (fast.claimed, fast.free) == (4 * GIB, 10 * GIB)
    assert fast.description == (
        "at most 4 GiB claimed at one time; 10 GiB is free (CSIStorageCapacity: node-2), of which at most 4 GiB is "
        "claimed"
    )
    assert (slow.claimed, slow.free) == (GIB, None)
    assert slow.description == "at most 1 GiB claimed at one time; free space is not known"


def test_a_plan_of_nothing_is_no_problem() -> None:
    assert room(pools=(pool(0),)) == Room(records=())


# As a driver tells it: what has nothing free is left out by whoever reads it.
frees = st.lists(st.integers(1, 10**13), min_size=1, max_size=4)
shares = st.integers(1, 400).map(lambda percent: parse_quantity(f"{percent}%", unit="ratio"))
planned_steps = st.lists(
    st.builds(
        lambda number, size, lasts, evenly: step(number, size, lasts=lasts, evenly=evenly),
        st.integers(1, 60),
        st.integers(1, 10**11),
        st.sampled_from(["step", "run"]),
        st.booleans(),
    ),
    min_size=1,
    max_size=4,
)


@given(planned_steps, frees, shares, st.booleans(), st.data())
def test_more_free_space_never_turns_allowed_into_refused(
    planned: list[PlannedStep], free: list[int], share: float, evenly: bool, data: st.DataObject
) -> None:
    if room(*planned, pools=(pool(*free, evenly=evenly),), share=share).full:
        return
    more = [each + data.draw(st.integers(0, 10**13)) for each in free]
    assert not room(*planned, pools=(pool(*more, evenly=evenly),), share=share).full


@given(planned_steps, frees, shares, st.booleans(), st.integers(1, HUNDRED), st.data())
def test_a_larger_plan_never_turns_refused_into_allowed(
    planned: list[PlannedStep], free: list[int], share: float, evenly: bool, at_most: int, data: st.DataObject
) -> None:
    pools = (pool(*free, evenly=evenly),)
    before = room(*planned, pools=pools, share=share, at_most=at_most)
    larger = list(planned)
    place = data.draw(st.integers(0, len(planned) - 1))
    (claimed,) = planned[place].volumes
    grown = replace(claimed, number=claimed.number + data.draw(st.integers(0, 9)), size=claimed.size + 1)
    larger[place] = replace(planned[place], volumes=(grown,))
    larger.insert(place, data.draw(planned_steps)[0])
    after = room(*larger, pools=pools, share=share, at_most=at_most)
    assert len(after.full) >= len(before.full) and (after.consent is None) <= (before.consent is None)


@given(planned_steps, frees, st.integers(1, HUNDRED))
@example([step(36, 499641262, lasts="step", evenly=False)], [25], 1)
def test_the_values_that_a_refusal_names_are_enough(planned: list[PlannedStep], free: list[int], at_most: int) -> None:
    told = str(room(*planned, pools=(pool(*free),), at_most=at_most).problem or "")
    shared = re.findall(r"--storage-pool-share=(\d+%)", told)
    consent = re.search(r"--storage-claim-at-most=(\S+)", told)
    share = max((parse_quantity(each, unit="ratio") for each in shared), default=0.5)
    agreed = parse_size(consent[1]) if consent else at_most
    assert room(*planned, pools=(pool(*free),), share=share, at_most=agreed).problem is None


@pytest.mark.parametrize("percent", range(1, 101))
def test_a_share_is_exact_to_the_byte(percent: int) -> None:
    """However the share is rounded: of a hundred bytes so many, and no more."""
    share = parse_quantity(f"{percent}%", unit="ratio")
    assert not room(step(1, percent), pools=(pool(100),), share=share).full
    assert room(step(1, percent + 1), pools=(pool(100),), share=share).full

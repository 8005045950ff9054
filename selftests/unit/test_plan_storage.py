"""How much storage a plan claims at one time: never less than there is, and all of what a step may have at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.limits.file import load_limits
from acceptance.loads.profile_folder import find_profiles
from acceptance.planning.assumed_throughput import ELSEWHERE
from acceptance.planning.failures import plan_rebuild
from acceptance.planning.many_volumes import plan_ramp, plan_scale_run
from acceptance.planning.records import Plan, PlannedStep, Volumes
from acceptance.planning.single_volumes import plan_capability, plan_rewrite, plan_snapshot
from acceptance.results.features import Capability
from acceptance.settings.run import Settings
from acceptance.trials.ramps.runner import RampSettings
from acceptance.trials.rebuild.runner import RebuildSettings
from acceptance.trials.rebuild.volume import claim_size
from acceptance.trials.scaling.runner import ScaleSettings

ROOT = Path(__file__).parents[2]
GIB = 1024**3
PROFILES = find_profiles(ROOT / "profiles")
SCALING = load_limits(ROOT / "thresholds.yaml", profiles=set(PROFILES)).tier("baseline").of("scaling")
SCALE = ScaleSettings(steps=(1, 3), window_s=6.0, rate_pods=5, rate=None, volume_size=GIB, test_size=GIB)


def step(*volumes: Volumes, file: str = "one.py", sets: int = 0) -> PlannedStep:
    return PlannedStep(description="a step", about_s=1.0, payer=f"{file}::test", volumes=volumes, sets=sets)


def volumes(number: int, size: int = 1, lasts: str = "step", storage_class: str = "fast") -> Volumes:
    return Volumes(storage_class=storage_class, number=number, size=size, lasts=lasts)  # type: ignore[arg-type]


def most(*steps: PlannedStep) -> int:
    return Plan(steps=steps).most_storage


def test_what_a_step_gives_back_still_counts_in_the_next_for_nobody_waits_until_it_is_gone() -> None:
    assert most(step(volumes(10)), step(volumes(4))) == 14
    assert most(step(volumes(10)), step(volumes(1)), step(volumes(4))) == 14


def test_what_sets_give_back_is_waited_for() -> None:
    assert most(step(volumes(10), sets=1), step(volumes(4))) == 10


def test_what_stays_for_its_file_counts_there_and_once_more_when_it_is_given_back() -> None:
    staying = step(volumes(5, lasts="file"))
    assert most(staying, step(volumes(2), sets=1)) == 7
    assert most(staying, step(volumes(4), file="two.py")) == 9


def test_the_step_with_the_most_is_named() -> None:
    small, large = step(volumes(1)), replace(step(volumes(3)), description="the large one")
    assert Plan(steps=(small, large, small)).most(lambda each: each.storage).step == large
    assert Plan(steps=()).most(lambda each: each.storage).step is None


def test_a_class_counts_by_itself() -> None:
    plan = Plan(steps=(step(volumes(3, storage_class="fast"), volumes(2, storage_class="slow")),))
    assert plan.storage_classes == ("fast", "slow")
    assert plan.most(lambda each: each.storage if each.storage_class == "slow" else 0).amount == 2


def test_volumes_that_are_kept_all_count_until_the_end() -> None:
    """Those of reclaim policy Retain, and of a run that is to keep what failed."""
    scale = Volumes(storage_class="fast", number=51, size=1, total=66, evenly=True)
    kept = scale.keep_for_run()
    assert (kept.storage, kept.lasts, kept.evenly) == (66, "run", False)
    plan = Plan(steps=(step(scale, sets=3), step(volumes(1)), step(volumes(2)), step(volumes(4, storage_class="slow"))))
    assert plan.most_storage == 51
    assert plan.keeping({"fast"}).most_storage == 66 + 1 + 2 + 4
    assert plan.keeping({"slow"}).most_storage == 51


steps = st.lists(
    st.builds(
        lambda number, size, lasts, sets: step(volumes(number, size, lasts), sets=sets),
        st.integers(1, 60),
        st.integers(1, 100),
        st.sampled_from(["step", "file", "run"]),
        st.integers(0, 1),
    ),
    min_size=1,
    max_size=8,
)


@given(steps, st.data())
def test_a_plan_with_more_in_it_never_claims_less(planned: list[PlannedStep], data: st.DataObject) -> None:
    """A further step wherever it comes, and a step with more or larger volumes."""
    before = most(*planned)
    place = data.draw(st.integers(0, len(planned) - 1))
    further = data.draw(steps)[0]
    assert most(*planned[:place], further, *planned[place:]) >= before
    (found,) = planned[place].volumes
    larger = replace(found, number=found.number + data.draw(st.integers(0, 9)), size=found.size + 1)
    assert most(*planned[:place], replace(planned[place], volumes=(larger,)), *planned[place + 1 :]) >= before


@given(steps)
def test_it_is_never_less_than_what_lasts_and_never_more_than_all_that_is_made(planned: list[PlannedStep]) -> None:
    sizes = [(volume.storage, volume.lasts) for one in planned for volume in one.volumes]
    assert max(size for size, _ in sizes) <= most(*planned) <= sum(size for size, _ in sizes)
    assert most(*planned) >= sum(size for size, lasts in sizes if lasts != "step")


def test_a_scale_run_on_parts_of_many_nodes_has_more_volumes_than_its_steps() -> None:
    """One on each of a hundred nodes, to compare with one on each of fifty; one set after the other."""
    only = [PROFILES["random-write-iops"]]
    asked = [each for each in SCALING if each.rule != "node_scaling"]
    without = plan_scale_run("fast", profiles=only, limits=asked, settings=SCALE, nodes=100, speeds=ELSEWHERE)
    (alone,) = without.volumes
    assert (alone.number, alone.total, without.sets) == (5, 5, 1)
    node_scaling = replace(SCALING[0], rule="node_scaling")
    limits = [*asked, node_scaling]
    (found,) = plan_scale_run("fast", profiles=only, limits=limits, settings=SCALE, nodes=100, speeds=ELSEWHERE).volumes
    assert (found.number, found.total, found.evenly) == (100, 5 + 50 + 100, True)


def test_a_ramp_has_a_volume_for_each_pod_wherever_these_go() -> None:
    ramp = RampSettings(goal=60, required_pods=60, volume_size=GIB, timeout_s=300, down_s=300)
    (found,) = plan_ramp("fast", ramp, rate_per_s=1.0, nodes=3, speeds=ELSEWHERE).volumes
    assert (found.storage, found.evenly) == (60 * GIB, False)


CLAIMED_GIB = {
    **dict.fromkeys(("locks", "sub-path", "volume-stats"), 1),
    **dict.fromkeys(("clone", "clone-on-same-node", "clone-read-only", "block-clone", "two-volumes", "two-modes"), 2),
    **dict.fromkeys(("read-only-many", "mount-options", "topology", "directory-listing"), 2),
    **dict.fromkeys(("expansion", "expansion-offline", "expansion-new-pod", "block-expansion"), 2),
    **dict.fromkeys(("snapshot", "restore-on-same-node", "restore-read-only", "block-snapshot", "snapshot-rounds"), 3),
    **dict.fromkeys(("clone-larger", "moves", "clone-times"), 3),
    **dict.fromkeys(("restore-larger", "parallel-clones", "isolated-deletion"), 4),
    **dict.fromkeys(("erased-blocks", "erased-files", "early-deletion"), 3),
    **dict.fromkeys(("clone-bulk-data", "expansion-bulk-data", "clone-of-a-full-volume"), 2),
    **dict.fromkeys(("snapshot-without-source", "restore-bulk-data", "restore-read-write-many"), 3),
    **dict.fromkeys(("expansion-with-snapshot", "recreated-claim"), 4),
    "chain-of-copies": 5,
}


@pytest.mark.parametrize(("capability", "gib"), CLAIMED_GIB.items())
def test_a_feature_claims_what_it_grows_to_and_what_is_copied(capability: Capability, gib: int) -> None:
    claimed = sum(volume.storage for volume in plan_capability("fast", capability, speeds=ELSEWHERE).volumes)
    assert claimed == gib * GIB


def test_a_group_snapshot_claims_a_copy_of_each_volume_and_what_is_kept_of_it() -> None:
    one, two = (plan_snapshot("fast", volumes=number, write_s=2, speeds=ELSEWHERE) for number in (1, 2))
    assert [sum(volume.storage for volume in step.volumes) for step in (one, two)] == [3 * GIB, 6 * GIB]
    assert "a group snapshot of 2 volumes" in two.description and two.about_s > one.about_s


def test_a_node_is_filled_with_as_many_volumes_as_was_consented_to_and_one_more() -> None:
    (found,) = plan_capability("fast", "node-limit", node_volumes=12, speeds=ELSEWHERE).volumes
    assert found.storage == 13 * GIB


def test_a_rebuild_may_have_a_replica_more_than_there_is() -> None:
    rebuild = RebuildSettings(sizes={"full-data": 20 * GIB}, repeats=1, snapshots=1, time_limit_s=1, begin_s=1, end_s=1)
    (found,) = plan_rebuild("fast", "full-data", rebuild, speeds=ELSEWHERE).volumes
    assert found.storage == 2 * claim_size(20 * GIB)
    settings = Settings(thresholds=Path("a"), profiles=Path("b"), volume_size=7 * GIB)
    (written,) = plan_rewrite("fast", settings, speeds=ELSEWHERE).volumes
    assert written.storage == 14 * GIB

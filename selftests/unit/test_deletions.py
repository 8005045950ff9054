"""Deletions next to volumes with data, and before a PVC is bound: what is lost, or left, fails."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from acceptance.cluster.claims import Claim
from acceptance.text.errors import NotTried, StorageFailure
from acceptance.trials.features import deletions, pool_growth
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.deletions import (
    BATCHES,
    delete_early,
    try_early_deletion,
    try_isolated_deletion,
    wait_none_left,
)
from acceptance.trials.features.pool_growth import PoolGrowth
from selftests.bounds import HANGS_S
from selftests.unit.test_copies_of_volumes import FolderBench

MIB = 1024**2
EARLY = sum(BATCHES)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FolderBench:
    """Storage that deletes what it should, and nothing else."""
    made = FolderBench(tmp_path)
    made.start = lambda *_, **__: SimpleNamespace()  # type: ignore[attr-defined]
    made.not_tried, made.pool_used, made.timeout_s = NotTried, None, 0.3  # type: ignore[attr-defined]
    made.storage_class.reclaim_policy = "Delete"
    monkeypatch.setattr(deletions, "SETTLED_S", 0.3)
    monkeypatch.setattr(deletions, "WIDE_LOOK_S", 0.05)
    monkeypatch.setattr(deletions, "delete_with_volume", lambda _, claim: shutil.rmtree(tmp_path / claim.name))
    monkeypatch.setattr(deletions, "delete_early", lambda *_: 0)
    monkeypatch.setattr(deletions, "wait_none_left", lambda *_: None)
    return made


def isolated(bench: FolderBench) -> str:
    return try_isolated_deletion(cast(Bench, bench))


def early(bench: FolderBench) -> str:
    return try_early_deletion(cast(Bench, bench))


def test_neighbors_that_keep_their_data_are_seen(bench: FolderBench) -> None:
    assert "a volume in use and an unused one" in isolated(bench)


@pytest.mark.parametrize("lost", ["first", "last"])
def test_data_that_a_neighbor_loses_fails(lost: str, bench: FolderBench, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_much(_: object, claim: Claim) -> None:
        (bench.folder / lost / "data").unlink()

    monkeypatch.setattr(deletions, "delete_with_volume", too_much)
    with pytest.raises(StorageFailure, match=rf"1 of 2 other volumes .*: {lost} on n1 held other data or none"):
        isolated(bench)


def test_data_that_the_deletion_of_an_unfinished_volume_takes_fails(
    bench: FolderBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_much(_: object, claims: Sequence[Claim]) -> int:
        shutil.rmtree(bench.folder / "last")
        (bench.folder / "last").mkdir()
        return 0

    monkeypatch.setattr(deletions, "delete_early", too_much)
    with pytest.raises(StorageFailure, match="1 of 2 other volumes"):
        isolated(bench)


@pytest.mark.parametrize(("policy", "waits"), [("Delete", ["new"]), ("Retain", [])])
def test_a_class_may_retain_the_unfinished_volume(
    policy: str, waits: list[str], bench: FolderBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited_for: list[str] = []
    monkeypatch.setattr(
        deletions, "wait_none_left", lambda _, claims: waited_for.extend(claim.name for claim in claims)
    )
    bench.storage_class.reclaim_policy = policy
    isolated(bench)
    assert waited_for == waits


def volumes(*lists: list[str]) -> Callable[..., list[dict[str, Any]]]:
    """The volumes of claims, at one poll after the other; the last list remains."""
    remaining = list(lists)

    def polled(_: object, *, namespace: str) -> list[dict[str, Any]]:
        names = remaining.pop(0) if len(remaining) > 1 else remaining[0]
        return [{"metadata": {"name": f"pv-{name}"}, "spec": {"claimRef": {"name": name}}} for name in names]

    return polled


def waited(bench: FolderBench) -> None:
    wait_none_left(cast(Bench, bench), [bench.claim("early")])


def test_a_volume_that_appears_after_its_claim_is_waited_for(
    bench: FolderBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.timeout_s = HANGS_S  # type: ignore[attr-defined]
    monkeypatch.setattr(deletions, "volumes_of", volumes([], ["early"], ["early"], ["other"]))
    waited(bench)


def test_a_volume_that_appears_last_and_stays_fails(bench: FolderBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deletions, "volumes_of", volumes([], ["early"]))
    with pytest.raises(StorageFailure, match=r"PVs of 1 deleted PVCs of StorageClass fast .* last state: pv-early"):
        waited(bench)


def test_claims_are_deleted_unbound(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One of the two has its volume already."""
    deleted: list[str] = []
    bench = FolderBench(tmp_path)
    bench.storage_class.waits_for_pod, bench.timeout_s = False, 1.0  # type: ignore[attr-defined]
    phases = {"fast": "Bound", "slow": "Pending"}
    bench.api = SimpleNamespace(find=lambda _, name, **__: {"status": {"phase": phases[name]}})
    monkeypatch.setattr(deletions, "delete_claim", lambda _, claim: deleted.append(claim.name))
    monkeypatch.setattr(deletions, "remove_claim", lambda *_, **__: None)
    assert delete_early(cast(Bench, bench), [bench.claim(name) for name in phases]) == 1
    assert deleted == ["fast", "slow"]


def test_claims_that_leave_nothing_are_seen(bench: FolderBench) -> None:
    assert early(bench) == (
        f"{EARLY} PVCs were deleted right after their request, {EARLY} of them before they were bound; no PV remains; "
        "the used space of the pool is not known"
    )


def test_nothing_is_known_if_all_were_bound_or_volumes_are_retained(
    bench: FolderBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deletions, "delete_early", lambda _, claims: len(claims))
    with pytest.raises(NotTried, match=f"all {EARLY} PVCs were bound"):
        early(bench)
    bench.storage_class.reclaim_policy = "Retain"
    with pytest.raises(NotTried, match="the reclaim policy of StorageClass fast is Retain"):
        early(bench)


class PlayedPool:
    """A pool whose readings are played; the last one remains."""

    def __init__(self, *mebibytes: int) -> None:
        self.readings = list(mebibytes)

    def __call__(self) -> int:
        return MIB * (self.readings.pop(0) if len(self.readings) > 1 else self.readings[0])


def growth(pool: PlayedPool, *, after: list[int], before: float = 0.0) -> PoolGrowth:
    """A pool that has these readings once there is a volume."""
    watched = PoolGrowth(pool, timeout_s=0.3)
    watched.begin(settle_s=before)
    pool.readings = after
    watched.note_volume()
    return watched


@pytest.mark.parametrize(("used", "kept"), [(100, False), (149, False), (150, False), (151, True), (700, True)])
def test_a_pool_that_keeps_over_half_of_a_volume_fails(used: int, kept: bool) -> None:
    pool = PlayedPool(100)
    watched = growth(pool, after=[100, 150, 200, 200])
    pool.readings = [used]
    if kept:
        with pytest.raises(StorageFailure, match=rf"100 MiB used before, {used} MiB used .* takes 100 MiB"):
            watched.require_reclaimed("6 volumes")
    else:
        assert f"{used} MiB used afterwards" in watched.require_reclaimed("6 volumes")


def test_a_pool_that_does_not_show_a_volume_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_growth, "SHOWN_WITHIN_S", 0.3)
    pool = PlayedPool(100)
    watched = growth(pool, after=[100])
    pool.readings = [9000]
    assert "the pool does not show an unwritten volume" in watched.require_reclaimed("6 volumes")


def test_a_pool_that_others_use_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_growth, "SHOWN_WITHIN_S", 0.0)  # it is not waited for
    pool = PlayedPool(100, 111, 100)
    watched = growth(pool, after=[200, 200], before=0.5)
    pool.readings = [9000]
    assert "other writers use the pool: it changed by 11 MiB" in watched.require_reclaimed("6 volumes")


def test_volumes_that_are_still_being_deleted_are_waited_for() -> None:
    pool = PlayedPool(300, 200, 100)
    watched = growth(pool, after=[200, 200], before=0.5)
    pool.readings = [100]
    assert "100 MiB used before and 100 MiB used afterwards" in watched.require_reclaimed("6 volumes")


def test_an_early_deletion_that_keeps_space_fails(bench: FolderBench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of volumes that no pod had used; the one that a pod had used gives its space back."""
    used = {"reference": 0, "early": 0}
    bench.pool_used = lambda: MIB * sum(used.values())  # type: ignore[attr-defined]
    create = bench.claim

    def claim(part: str, **options: Any) -> Claim:
        used["reference"] += 64 * (part == "reference")
        return create(part, **options)

    def leaking(_: object, claims: Sequence[Claim]) -> int:
        used["early"] += 60
        return 0

    bench.claim = claim  # type: ignore[method-assign]
    monkeypatch.setattr(deletions, "delete_with_volume", lambda _, claim: used.update(reference=0))
    assert "the pool had 0 B used before and 0 B used afterwards" in early(bench)
    monkeypatch.setattr(deletions, "delete_early", leaking)
    monkeypatch.setattr(bench, "folder", bench.folder / "again")
    bench.folder.mkdir()
    with pytest.raises(StorageFailure, match="the pool keeps the space of 6 volumes whose PVCs were deleted right"):
        early(bench)

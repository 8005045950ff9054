"""Volumes of odd sizes, with real shells as pods: at least the requested size is seen, anything less fails."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from acceptance.cluster.claims import Claim
from acceptance.cluster.resources import CLAIMS
from acceptance.text.errors import NotTried, StorageFailure
from acceptance.trials.features.bench import Bench
from acceptance.trials.features.large_volume import try_large_volume
from acceptance.trials.features.requested_sizes import SIZES, try_requested_sizes
from selftests.bounds import HANGS_S
from selftests.unit.test_copies_of_volumes import GIB, FolderBench


class SizedBench(FolderBench):
    """Storage that provides, and reports, sizes of its own."""

    provided: Callable[[int], int] = staticmethod(lambda size: size)
    pv_bytes: Callable[[int], int] = staticmethod(lambda size: size)
    pvc_bytes: Callable[[int], int] = staticmethod(lambda size: size)

    def _volume(self, kind: object, name: str, **_: object) -> dict[str, Any]:
        size = self.claims[name].size
        if kind == CLAIMS:
            return {"status": {"capacity": {"storage": str(self.pvc_bytes(size))}}}
        return {"spec": {"capacity": {"storage": str(self.pv_bytes(size))}}}

    def run(self, claim: Claim, script: str, **options: Any) -> str:
        """Files have no end of their own, unlike devices."""
        limit = f"ulimit -f {self.provided(claim.size) // 512}\n" if claim.block else ""
        return super().run(claim, f"{limit}{script}", **options)


@pytest.fixture
def bench(tmp_path: Path) -> SizedBench:
    made = SizedBench(tmp_path)
    made.size = lambda claim: int(0.93 * made.provided(claim.size))  # as XFS and ext4 have it
    return made


def tried(bench: SizedBench, *, block: bool) -> str:
    return try_requested_sizes(cast(Bench, bench), block=block)


def rounded_up(size: int) -> int:
    return -(-size // 4096) * 4096


def rounded_down(size: int) -> int:
    return size // GIB * GIB


@pytest.mark.parametrize("block", [True, False])
def test_sizes_that_are_rounded_up_are_seen(block: bool, bench: SizedBench) -> None:
    bench.provided = bench.pv_bytes = bench.pvc_bytes = rounded_up
    how = tried(bench, block=block)
    assert all(f"{name}: {rounded_up(size)} bytes" in how for name, size in SIZES.items())


def test_devices_that_are_rounded_down_fail(bench: SizedBench) -> None:
    """By one byte, too, which no file system shows."""
    bench.provided = rounded_down
    with pytest.raises(StorageFailure, match=r"^3 of 3 .*1Gi \+ 1 \(1073741825 bytes\): its last requested byte"):
        tried(bench, block=True)


def test_file_systems_that_are_rounded_down_fail(bench: SizedBench) -> None:
    bench.provided = rounded_down
    with pytest.raises(
        StorageFailure, match=r"^2 of 3 .*1500Mi \(1572864000 bytes\): its file system has \d+ bytes, le"
    ):
        tried(bench, block=False)


@pytest.mark.parametrize(("reports", "reporter"), [("pv_bytes", "PV"), ("pvc_bytes", "PVC")])
def test_capacities_below_the_request_fail(reports: str, reporter: str, bench: SizedBench) -> None:
    setattr(bench, reports, rounded_down)
    with pytest.raises(StorageFailure, match=rf"^3 of 3 .*4G \(4000000000 bytes\): its {reporter} reports 3221225472"):
        tried(bench, block=False)


def large(bench: SizedBench, *, timeout_s: float, size: int = 24 * GIB) -> str:
    bench.large_volume, bench.timeout_s = size, timeout_s  # type: ignore[attr-defined]
    bench.not_tried = NotTried  # type: ignore[attr-defined]
    return try_large_volume(cast(Bench, bench))


def test_a_large_volume_in_time_is_seen(bench: SizedBench) -> None:
    assert "a volume of 24Gi of StorageClass fast was requested, mounted" in large(bench, timeout_s=HANGS_S)


def test_a_large_volume_that_is_late_fails(bench: SizedBench) -> None:
    with pytest.raises(StorageFailure, match="unmounted in 0 s; expected at most 0 s"):
        large(bench, timeout_s=0.0)


def test_a_large_volume_of_less_fails(bench: SizedBench) -> None:
    bench.provided = lambda size: size // 2
    with pytest.raises(StorageFailure, match="less than 85% of the request"):
        large(bench, timeout_s=HANGS_S)


def test_no_large_volume_is_created_without_a_size(bench: SizedBench) -> None:
    with pytest.raises(NotTried, match="--storage-with large-volume=SIZE"):
        large(bench, timeout_s=HANGS_S, size=0)
    assert bench.claims == {}

"""When Longhorn rebuilt a replica, by lines as its instance managers print them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from selftests.lab.longhorn_log import rebuilds_in

MANAGER, ENGINE = "[longhorn-instance-manager]", "[pvc-1-e-0]"
ADDRESS = "tcp://10.201.0.7:10010"


def begun(second: str, address: str = ADDRESS) -> str:
    return (
        f'{MANAGER} time="2026-11-24T00:20:{second}Z" level=info msg="Adding replica {address} in WO mode" '
        'func="sync.(*Task).AddReplica" file="sync.go:457"'
    )


def whole(second: str, address: str = ADDRESS) -> str:
    return (
        f'time="2026-11-24T00:20:{second}Z" level=info msg="WO replica {address}\'s chain verified, update mode to '
        'RW" func="controller.(*Controller).VerifyRebuildReplica" file="rebuild.go:99"'
    )


def test_a_rebuild_is_from_its_begin_to_its_end() -> None:
    (found,) = rebuilds_in([begun("10.25"), f"{ENGINE} {whole('31.123456789')}"])
    assert (found.engine, found.address) == ("pvc-1-e-0", ADDRESS)
    assert found.begun == datetime(2026, 11, 24, 0, 20, 10, 250000, tzinfo=UTC)
    assert found.seconds == pytest.approx(20.873456)


def test_several_lines_that_were_said_at_once_are_of_the_same_part() -> None:
    other = 'time="2026-11-24T00:20:31Z" level=info msg="Set revision counter" func=x'
    (found,) = rebuilds_in([begun("10"), f"{ENGINE} {other}", whole("32"), "", "no entry at all"])
    assert found.engine == "pvc-1-e-0"


def test_the_last_try_counts_and_replicas_are_told_apart() -> None:
    another = "tcp://10.201.0.8:10000"
    lines = [
        begun("10"),
        begun("20"),
        begun("21", another),
        f"{ENGINE} {whole('30')}",
        f"[pvc-2-e-0] {whole('40', another)}",
    ]
    found = rebuilds_in(lines)
    assert [(each.engine, each.seconds) for each in found] == [("pvc-1-e-0", 10), ("pvc-2-e-0", 19)]


def test_what_began_before_the_log_does_or_has_not_ended_is_left_out() -> None:
    assert rebuilds_in([f"{ENGINE} {whole('30')}", begun("40")]) == []

"""Disks are in memory only if that leaves enough of it, and never without a word."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.text.errors import EnvironmentFailure
from embedded_cluster import disks, preconditions
from embedded_cluster.preconditions import Needs

GIB = 1024**3
NEEDS = Needs(free_memory=1.5)


@pytest.fixture(autouse=True)
def loop_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disks, "loop_device_problem", lambda: None)


def with_free(monkeypatch: pytest.MonkeyPatch, gib: float) -> None:
    monkeypatch.setattr(disks.psutil, "virtual_memory", lambda: SimpleNamespace(available=int(gib * GIB)))


@pytest.mark.parametrize(("gib", "kind"), [(11.4, disks.HOST), (11.6, disks.MEMORY), (64, disks.MEMORY)])
def test_memory_is_taken_if_enough_is_free(gib: float, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with_free(monkeypatch, gib)
    assert disks.choose(None, needs=NEEDS).kind == kind


@given(gib=st.floats(min_value=11.6, max_value=4096))
def test_most_of_a_third_of_the_free_memory_is_left_to_others(gib: float) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        with_free(monkeypatch, gib)
        monkeypatch.setattr(disks, "loop_device_problem", lambda: None)
        chosen = disks.choose(None, needs=NEEDS)
    assert 0 < chosen.local_bytes < chosen.replicas_bytes
    assert chosen.replicas_bytes + chosen.local_bytes <= 0.65 * gib * GIB


def test_the_hosts_disk_is_taken_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with_free(monkeypatch, 64)
    assert disks.choose(disks.HOST, needs=NEEDS) == disks.Disks(disks.HOST)


def test_what_is_in_the_way_of_memory_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with_free(monkeypatch, 3)
    assert disks.choose(None, needs=NEEDS).kind == disks.HOST
    assert "1.5 GiB of memory are free for disks, 10 GiB are needed" in capsys.readouterr().out
    with pytest.raises(EnvironmentFailure, match=r"1\.5 GiB of memory.*--disks host"):
        disks.choose(disks.MEMORY, needs=NEEDS)


def test_a_host_without_loop_devices_has_no_disks_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    with_free(monkeypatch, 64)
    monkeypatch.setattr(disks, "loop_device_problem", lambda: "no loop devices")
    assert disks.choose(None, needs=NEEDS).kind == disks.HOST


def test_more_memory_is_left_to_ceph(monkeypatch: pytest.MonkeyPatch) -> None:
    with_free(monkeypatch, 12)
    assert disks.choose(None, needs=Needs(free_memory=preconditions.memory_for(["ceph"]))).kind == disks.HOST

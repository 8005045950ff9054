"""Where the embedded cluster's replicas run: on the CPU that is notified of the disk's finished writes."""

import os
from pathlib import Path

import pytest

from embedded_cluster.disk_cpu import busiest, prefix_on_it, read_interrupts

BEFORE = """\
           CPU0       CPU1
 36:          0        500  PCI-MSIX-0000:00:02.0   1-edge      virtio1-req.0
 39:        700          9  PCI-MSIX-0000:00:03.0   2-edge      virtio2-output.0
LOC:      90000      80000  Local timer interrupts
ERR:          0
"""
AFTER = """\
           CPU0       CPU1
 36:          0        600  PCI-MSIX-0000:00:02.0   1-edge      virtio1-req.0
 39:        760          9  PCI-MSIX-0000:00:03.0   2-edge      virtio2-output.0
LOC:      99000      80100  Local timer interrupts
ERR:          0
"""


def test_only_devices_interrupts_count() -> None:
    assert read_interrupts(BEFORE) == {"36:": [0, 500], "39:": [700, 9]}


def test_the_cpu_on_which_most_came_is_taken() -> None:
    assert busiest(read_interrupts(BEFORE), read_interrupts(AFTER), cpus={0, 1}) == 1


def test_a_cpu_that_is_not_allowed_is_never_taken() -> None:
    assert busiest(read_interrupts(BEFORE), read_interrupts(AFTER), cpus={0}) == 0


def test_a_disk_without_interrupts_leaves_the_last_cpu() -> None:
    assert busiest(read_interrupts(BEFORE), read_interrupts(BEFORE), cpus={0, 1}) == 1


def test_a_command_is_given_one_cpu_of_this_machine_and_nothing_is_left(tmp_path: Path) -> None:
    *words, cpu = prefix_on_it(tmp_path)
    assert words == ["taskset", "--cpu-list"]
    assert int(cpu) in os.sched_getaffinity(0)
    assert list(tmp_path.iterdir()) == []


def test_the_only_cpu_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3})
    assert prefix_on_it(tmp_path) == ("taskset", "--cpu-list", "3")

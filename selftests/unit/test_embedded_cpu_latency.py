"""Keeping the CPUs of the host awake: on files that stand for the kernel's, and in what a run tells of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from acceptance.report.comparing.facts import run_facts
from acceptance.report.summary import render_summary
from acceptance.results.conditions import CpuLatency
from embedded_cluster.cpu_latency import held_low
from selftests.unit.test_report import full


def open_files() -> list[Path]:
    """What this process has open."""
    return [path.readlink() for path in Path("/proc/self/fd").iterdir() if path.is_symlink()]


def test_no_wait_for_a_cpu_is_asked_for_as_long_as_the_block_lasts(tmp_path: Path) -> None:
    file = tmp_path / "cpu_dma_latency"
    file.touch()
    with held_low(file) as refused:
        assert refused is None
        assert file in open_files()
        assert file.read_bytes() == b"\0\0\0\0"
    assert file not in open_files()


def test_it_ends_with_the_block_however_that_ends(tmp_path: Path) -> None:
    file = tmp_path / "cpu_dma_latency"
    file.touch()
    with pytest.raises(KeyboardInterrupt), held_low(file):
        raise KeyboardInterrupt
    assert file not in open_files()


def test_a_kernel_without_the_file_is_left_as_it_is(tmp_path: Path) -> None:
    with held_low(tmp_path / "missing") as refused:
        assert refused == f"{tmp_path / 'missing'}: No such file or directory"
    assert list(tmp_path.iterdir()) == []


def test_a_kernel_that_refuses_is_left_as_it_is() -> None:
    full = Path("/dev/full")
    with held_low(full) as refused:
        assert refused == "/dev/full: No space left on device"
    assert full not in open_files()


@pytest.mark.parametrize(
    ("latency", "said", "fact"),
    [
        (CpuLatency(held_low=True), "kept from sleeping during the run", "kept awake"),
        (CpuLatency(held_low=False, reason="<why>"), "power management unchanged: &lt;why&gt;", "may sleep"),
        (None, None, None),
    ],
)
def test_a_run_tells_of_it_in_its_report_and_beside_others(
    latency: CpuLatency | None, said: str | None, fact: str | None
) -> None:
    found = full("fast")
    assert found.cluster is not None
    found = found.model_copy(update={"cluster": found.cluster.model_copy(update={"cpu_latency": latency})})
    page, facts = render_summary(found), run_facts(found, profiles=[])
    assert (said in page) if said else ("CPUs</th>" not in page)
    assert (facts["CPUs"].value if "CPUs" in facts else None) == fact

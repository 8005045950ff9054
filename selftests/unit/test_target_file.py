"""The target file: each driver is read, and every mistake told with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from acceptance.settings.target_file import CephTarget, CommandTarget, LonghornTarget, read_target
from acceptance.text.errors import WrongUsage

COMMAND = """\
rebuild:
  driver: command
  trigger: [ssh, store-1, lose, "{volume}"]
  healthy: [ssh, store-1, whole, "{volume}"]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "target.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_commands_are_read_word_by_word(tmp_path: Path) -> None:
    text = COMMAND + '  progress: [ssh, store-1, progress, "{claim}"]\n  timeout: 2min\n'
    target = read_target(written(tmp_path, text)).rebuild
    assert isinstance(target, CommandTarget)
    assert target.plan.trigger == ("ssh", "store-1", "lose", "{volume}")
    assert target.plan.progress[-1] == "{claim}"
    assert (target.plan.restore, target.plan.timeout_s, target.plan.resolution_s) == ((), 120.0, 0.0)
    target = read_target(written(tmp_path, text + "  resolution: 5s\n")).rebuild
    assert isinstance(target, CommandTarget) and target.plan.resolution_s == 5.0


def test_longhorn_needs_no_more_than_its_name(tmp_path: Path) -> None:
    target = read_target(written(tmp_path, "rebuild: {driver: longhorn}")).rebuild
    assert target == LonghornTarget(driver="longhorn", namespace="longhorn-system", trigger=None)


def test_both_sections_may_stand_in_one_file(tmp_path: Path) -> None:
    text = (
        COMMAND + "node_failure:\n  fail: [ssh, '{node}', halt]\n  restore: [power, 'on', '{node}']\n  timeout: 10min\n"
    )
    target = read_target(written(tmp_path, text))
    assert isinstance(target.rebuild, CommandTarget)
    assert target.node_failure is not None
    plan = target.node_failure.plan
    assert (plan.fail, plan.restore) == (("ssh", "{node}", "halt"), ("power", "on", "{node}"))
    assert plan.timeout_s == 600.0


def test_node_failure_alone_says_nothing_of_rebuilds(tmp_path: Path) -> None:
    target = read_target(written(tmp_path, "node_failure: {fail: [a], restore: [b]}"))
    assert target.rebuild is None
    assert target.node_failure is not None and target.node_failure.plan.timeout_s == 300.0


def test_ceph_is_read_when_it_may_move_data(tmp_path: Path) -> None:
    target = read_target(written(tmp_path, "rebuild: {driver: ceph, osd: 3, may_move_other_data: true}")).rebuild
    assert isinstance(target, CephTarget)
    assert (target.osd, target.namespace, target.toolbox) == (3, "rook-ceph", "app=rook-ceph-tools")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "found None"),
        ("rebuild: {driver: zfs}", "'zfs'"),
        ("rebuild: {trigger: [a]}", "driver"),
        ("rebuild: {driver: command, trigger: [a]}", "healthy: expected this key, found nothing; add it"),
        (COMMAND + "  shell: true\n", "target.yaml:5: rebuild.shell: expected only keys that are known here"),
        (COMMAND + "  restore: lose it\n", "target.yaml:5: rebuild.restore: expected a command as a list of its words"),
        (COMMAND + "  restore: []\n", "expected a command as a list"),
        (COMMAND + "  restore: [a, 3]\n", "all of them text"),
        (COMMAND + '  restore: [a, "{host}"]\n', "expected placeholders of {volume}, {claim}.* found host in '{host}'"),
        (COMMAND + '  restore: [a, "{"]\n', "expected braces around a placeholder, or doubled ones"),
        (COMMAND + '  restore: [a, "{}"]\n', "expected placeholders of"),
        (COMMAND + "  timeout: 60\n", "expected a time with its unit"),
        (COMMAND + "  timeout: 0s\n", "expected a time above zero"),
        ("rebuild: {driver: longhorn, trigger: unplug}", "'further-replica' or 'deleted-replica'.*found 'unplug'"),
        ("rebuild: {driver: ceph, osd: 3}", "may_move_other_data: expected this key"),
        ("rebuild: {driver: ceph, osd: 3, may_move_other_data: false}", "moves data of everyone who stores on it"),
        ("rebuild: {driver: ceph, osd: -1, may_move_other_data: true}", "greater than or equal to 0"),
        ("failover: {}\nrebuild: {driver: longhorn}", "target.yaml:1: failover: expected only keys"),
        ("rebuild: {driver: longhorn, driver: ceph}", "driver"),
        ("node_failure: {fail: [a]}", "target.yaml:1: node_failure.restore: expected this key"),
        ("node_failure: {fail: reboot, restore: [b]}", "node_failure.fail: expected a command as a list of its words"),
        ('node_failure: {fail: [a, "{volume}"], restore: [b]}', "expected placeholders of {node}, found volume"),
        ("node_failure: {fail: [a], restore: [b], shell: true}", "node_failure.shell: expected only keys"),
        ("{}", "expected rebuild, node_failure, kubelet, disturb, pool, settings, cache, caveats or limits, found"),
    ],
)
def test_mistakes_are_told(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match=said):
        read_target(written(tmp_path, text))


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match="--storage-target: expected a readable target file"):
        read_target(tmp_path / "none.yaml")

"""What clusters change outside of their own folders is as it was when the last of them has gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from embedded_cluster import locking, mount_points


@pytest.fixture
def clusters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of all clusters' states, of which one is there."""
    root = tmp_path / "clusters"
    (root / "one").mkdir(parents=True)
    monkeypatch.setattr(mount_points, "STATE_ROOT", root)
    monkeypatch.setattr(mount_points, "_RECORD", root / ".mount-points.json")
    monkeypatch.setattr(locking, "RUN_ROOT", tmp_path / "run")
    return root


def test_folders_that_were_not_there_go_with_the_last_cluster(clusters: Path, tmp_path: Path) -> None:
    own, theirs = tmp_path / "lib" / "kubelet", tmp_path / "log"
    theirs.mkdir()
    mount_points.prepare([own, theirs])
    (clusters / "two").mkdir()
    mount_points.prepare([own, theirs])
    (clusters / "one").rmdir()
    mount_points.remove()
    assert own.is_dir()
    (clusters / "two").rmdir()
    mount_points.remove()
    assert not own.parent.exists()
    assert not clusters.exists()
    assert theirs.is_dir()


def test_a_folder_that_others_use_meanwhile_stays(clusters: Path, tmp_path: Path) -> None:
    ours = tmp_path / "kubelet"
    mount_points.prepare([ours])
    (ours / "device-plugins").mkdir()
    (clusters / "one").rmdir()
    mount_points.remove()
    assert list(ours.iterdir()) == [ours / "device-plugins"]
    assert not clusters.exists()


def test_a_start_that_was_killed_is_known_by_its_record(clusters: Path, tmp_path: Path) -> None:
    """The record is written before the folder is made; one that was not made is no error."""
    mount_points.prepare([tmp_path / "a", tmp_path / "b"])
    (tmp_path / "b").rmdir()
    (clusters / "one").rmdir()
    mount_points.remove()
    assert not (tmp_path / "a").exists()

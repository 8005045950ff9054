"""What is removed with an embedded cluster is its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from embedded_cluster import removal
from embedded_cluster.layout import Layout


def test_networks_of_a_cluster_whose_name_begins_alike_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(removal, "_CNI_RESULTS", tmp_path)
    ours, others = (
        tmp_path / f"{Layout(name).cni_network}-{container * 64}-eth0" for name, container in (("a", "1"), ("a-b", "2"))
    )
    loopbacks = [tmp_path / f"cni-loopback-{container * 64}-lo" for container in "12"]
    for each in (ours, others, *loopbacks):
        each.touch()
    assert removal.leftovers(Layout("a")) == [f"file {ours}", f"file {loopbacks[0]}"]

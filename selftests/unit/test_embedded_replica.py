"""How a replica of the embedded cluster's own class is lost and seen: on folders that stand for bricks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from acceptance.text.errors import WrongUsage
from embedded_cluster import rebuild, replica
from embedded_cluster.layout import Layout
from embedded_cluster.replica import Replica, rebuild_commands

FOLDER = "pvc-1_run_claim"


@pytest.fixture
def bricks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Three bricks with a volume of one file of 1000 bytes on each; their attributes are kept in a dict beside them."""
    layout = Layout("lab")
    monkeypatch.setattr("embedded_cluster.layout.STATE_ROOT", tmp_path)
    found = [layout.node(number).brick / "data" for number in (1, 2, 3)]
    for brick in found:
        (brick / FOLDER).mkdir(parents=True)
        (brick / FOLDER / "data").write_bytes(bytes(1000))
    monkeypatch.setattr(replica, "read_state", lambda layout: type("State", (), {"gateway": "10.200.0.1"})())
    monkeypatch.setattr(replica.processes, "with_argument", lambda argument: {1})
    return found


@pytest.fixture
def attributes(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[Path, str], bytes]:
    noted: dict[tuple[Path, str], bytes] = {}

    def get(path: Path, name: str, **more: Any) -> bytes:
        if (path, name) not in noted:
            raise OSError(61, "no data available")
        return noted[path, name]

    monkeypatch.setattr(replica.os, "getxattr", get)
    return noted


def test_a_replica_that_holds_all_lacks_nothing(bricks: list[Path], attributes: dict[Any, bytes]) -> None:
    attributes[bricks[0] / FOLDER / "data", "trusted.afr.replicated-client-1"] = bytes(12)
    found = Replica(Layout("lab"), FOLDER)
    assert found.lacks() == []
    assert found.progress() == 100


def test_what_is_not_there_is_lacking(bricks: list[Path], attributes: dict[Any, bytes]) -> None:
    (bricks[1] / FOLDER / "data").unlink()
    found = Replica(Layout("lab"), FOLDER)
    assert set(found.lacks()) == {f"{FOLDER}/data is missing"}
    assert found.progress() == 0
    (bricks[1] / FOLDER / "data").write_bytes(bytes(250))
    assert found.progress() == 25


@pytest.mark.parametrize("brick", [0, 2])
def test_what_either_good_replica_notes_as_pending_is_lacking(
    bricks: list[Path], attributes: dict[Any, bytes], brick: int
) -> None:
    """The root counts too: what is missing in it was not looked for yet."""
    attributes[bricks[brick], "trusted.afr.replicated-client-1"] = bytes(11) + b"\1"
    assert Replica(Layout("lab"), FOLDER).lacks() == [". is not up to date"]
    attributes[bricks[brick], "trusted.afr.replicated-client-1"] = bytes(12)
    attributes[bricks[brick] / FOLDER / "data", "trusted.afr.replicated-client-1"] = b"\1" + bytes(11)
    assert Replica(Layout("lab"), FOLDER).lacks() == [f"{FOLDER}/data is not up to date"]


def test_a_brick_that_does_not_run_is_not_whole(
    bricks: list[Path], attributes: dict[Any, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replica.processes, "with_argument", lambda argument: set())
    assert Replica(Layout("lab"), FOLDER).lacks() == ["the brick of node 2 does not run"]


@pytest.mark.parametrize("folder", ["", "..", "../other", ".glusterfs", "pvc-2_run_claim"])
def test_only_the_folder_of_a_volume_is_taken(bricks: list[Path], folder: str) -> None:
    with pytest.raises(WrongUsage):
        Replica(Layout("lab"), folder)


def test_no_cluster_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert rebuild.main(["whole", "no-such", "folder"]) == rebuild.ERROR_STATUS
    assert "no embedded cluster no-such runs" in capsys.readouterr().err


def test_the_commands_name_the_volume_as_the_provisioner_does() -> None:
    commands = rebuild_commands("replicated", name="default")
    assert commands is not None
    assert commands["trigger"] == [
        sys.executable,
        "-m",
        "embedded_cluster.rebuild",
        "lose",
        "default",
        "{volume}_{namespace}_{claim}",
    ]
    assert set(commands) == {"trigger", "healthy", "progress", "restore"}
    assert rebuild_commands("local-path", name="default") is None


def clients(bricks: list[Path], *counts: int) -> str:
    """What `gluster volume status replicated clients` prints."""
    found = ["Client connections for volume replicated"]
    for brick, count in zip(bricks, counts, strict=True):
        found += [f"Brick : 10.200.0.1:{brick}", f"Clients connected : {count}", "Hostname   BytesRead", "-" * 46]
    return "\n".join(found)


def test_a_brick_is_started_until_all_that_use_the_others_use_it_and_then_healed_in_full(
    bricks: list[Path], attributes: dict[Any, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """glusterd overlooks at first that the brick is gone; its clients come back some seconds after it."""
    (bricks[1] / FOLDER / "data").unlink()
    running = iter([set(), set(), *[{1}] * 10])
    lost = str(bricks[1])
    monkeypatch.setattr(replica.processes, "with_argument", lambda argument: next(running) if argument == lost else {1})
    served = iter([clients(bricks, 2, 0, 2), clients(bricks, 2, 0, 2), clients(bricks, 2, 1, 2)])
    ran: list[str] = []

    def command(self: object, *words: str) -> str:
        ran.append(" ".join(words))
        return next(served, clients(bricks, 2, 2, 2)) if "clients" in words else ""

    monkeypatch.setattr(replica.GlusterFS, "command", command)
    Replica(Layout("lab"), FOLDER).restore()
    assert ran == [
        *("volume start replicated force", "volume status replicated clients") * 2,
        "volume status replicated clients",
        "volume status replicated clients",
        "volume heal replicated full",
    ]


def test_a_replica_that_lacks_nothing_is_not_healed(
    bricks: list[Path], attributes: dict[Any, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []

    def command(self: object, *words: str) -> str:
        ran.append(words[1])
        return clients(bricks, 2, 2, 2)

    monkeypatch.setattr(replica.GlusterFS, "command", command)
    Replica(Layout("lab"), FOLDER).restore()
    assert ran == ["status"]

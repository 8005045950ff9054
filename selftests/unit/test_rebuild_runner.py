"""Several rebuilds of one volume, one after the other: what is done between them, and what is kept of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from acceptance.results.rebuilds import RebuildRecord
from acceptance.text.errors import EnvironmentFailure
from acceptance.trials.rebuild import runner as runner_module
from acceptance.trials.rebuild.driver import RebuildState
from acceptance.trials.rebuild.runner import RebuildRunner, RebuildSettings

MIB = 1024**2


class Storage:
    """A driver and its rebuilds, of which each goes on at the first look and is whole at the second; notes calls."""

    name = "scripted"
    of_one_volume = True
    resolution_s = 5.0

    def __init__(self) -> None:
        self.calls: list[str] = []

    def require_ready(self) -> None:
        self.calls.append("ready")

    def rebuild_of(self, volume: object) -> Storage:
        self.calls.append("volume")
        return self

    def require_whole(self) -> None:
        self.calls.append("whole?")

    def trigger(self) -> str:
        self.calls.append("trigger")
        return "replica lost"

    def look(self) -> RebuildState:
        self.calls.append("look")
        if self.calls[-2] == "trigger":
            return RebuildState(phase="rebuilding", description="on its way")
        return RebuildState(phase="whole", description="whole", progress=1.0)

    def obstacles(self) -> list[str]:
        return []

    def restore(self) -> None:
        self.calls.append("restore")

    def wait_settled(self) -> None:
        self.calls.append("settled")

    def undo(self) -> None:
        return None

    def settings(self) -> dict[str, str]:
        return {}

    def rebuilt_bytes(self) -> int | None:
        return None


class Volume:
    """Stands for `PatternVolume`, with a load that the cluster has ended."""

    def __init__(self, *args: Any, **more: Any) -> None:
        pass

    def __enter__(self) -> Volume:
        return self

    def __exit__(self, *args: object) -> None:
        pass

    @contextmanager
    def foreground(self, *, longest_s: int) -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(error=EnvironmentFailure("gone"), node="node-1", samples=[])

    def target(self) -> SimpleNamespace:
        return SimpleNamespace(volume="pvc-1")


@pytest.mark.parametrize("repeats", [1, 3])
def test_the_next_rebuild_begins_when_the_storage_has_done_what_the_last_one_left(
    repeats: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner_module, "PatternVolume", Volume)
    storage, kept = Storage(), list[RebuildRecord]()
    runner = RebuildRunner(
        SimpleNamespace(),  # type: ignore[arg-type]
        settings=RebuildSettings(
            sizes={"full-data": 1024, "alternating-4k": 1024},
            repeats=repeats,
            snapshots=1,
            time_limit_s=60,
            begin_s=5,
            end_s=5,
        ),
        driver_of=lambda name: storage,
        say=lambda text: None,
        keep=kept.append,
    )
    record = runner.record("fast", "full-data")
    assert record.smaller is None
    once = ["trigger", "look", "look", "restore"]
    assert storage.calls == ["ready", "volume", "whole?", *once, *["settled", *once] * (repeats - 1)]
    assert kept == [record] and len(record.rebuilds) == repeats
    assert record.resolution_s == 5.0 and all(rebuild.uncertainty_s > 10 for rebuild in record.rebuilds)


@pytest.mark.parametrize("of_one_volume", [True, False])
def test_a_smaller_volume_comes_first_where_a_rebuild_is_of_one_volume(
    of_one_volume: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it is of all that a disk holds, nobody can choose how much that is."""
    sizes: list[int] = []

    class Sized(Volume):
        def __init__(self, *args: Any, size: int, **more: Any) -> None:
            sizes.append(size)

    monkeypatch.setattr(runner_module, "PatternVolume", Sized)
    storage = Storage()
    storage.of_one_volume = of_one_volume
    runner = RebuildRunner(
        SimpleNamespace(),  # type: ignore[arg-type]
        settings=RebuildSettings(
            sizes={"full-data": 130 * MIB, "alternating-4k": MIB},
            smaller=0.25,
            repeats=1,
            snapshots=1,
            time_limit_s=60,
            begin_s=5,
            end_s=5,
        ),
        driver_of=lambda name: storage,
        say=lambda text: None,
        keep=lambda found: None,
    )
    record = runner.record("fast", "full-data")
    assert sizes == ([33 * MIB, 130 * MIB] if of_one_volume else [130 * MIB])
    assert storage.calls.count("trigger") == len(sizes)
    assert (record.smaller is not None) == of_one_volume and record.size == 130 * MIB
    assert record.smaller is None or (record.smaller.size, len(record.smaller.rebuilds)) == (33 * MIB, 1)

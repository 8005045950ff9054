"""How a load ended: what storage that stood still leaves of a turn is enough, and less than that is an error."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from acceptance.loads.fio.samples import DIRECTIONS, Counts, Sample
from acceptance.loads.profiles import Profile
from acceptance.measuring.ending import require_success
from acceptance.measuring.load import Load, PreparedVolume
from acceptance.text.errors import EnvironmentFailure, StorageFailure

VOLUMES = tuple(PreparedVolume(storage_class=name, node="n", test_size=1) for name in ("local", "fast"))


def ended(
    *seconds: float, runtime_s: int = 3, status: int = 0, fio_version: str = "fio-3.33", unreadable: str | None = None
) -> None:
    """Of two turns, of the baseline and of the candidate, each is so long; the candidate's fio is of that version."""
    load = Load(
        name="writes",
        profile=Profile(name="writes", path=Path("w.fio"), text="", about="", jobs=("writes",)),
        volumes=VOLUMES,
        order=(0, 1),
        names=("a", "b"),
        runtimes_s=(runtime_s, runtime_s),
    )
    nothing = {direction: Counts() for direction in DIRECTIONS}
    outputs = [
        SimpleNamespace(
            samples=[Sample(duration_s=duration, counts=nothing)] if duration else [],
            error=None,
            unreadable=None,
            messages="m",
            fio_version="fio-3.33",
        )
        for duration in seconds
    ]
    vars(outputs[-1]).update(fio_version=fio_version, unreadable=unreadable)
    log: Any = SimpleNamespace(segments=outputs, exit_status=status)
    require_success(load, log, stopped_early=False)


@pytest.mark.parametrize("seconds", [2.0, 1.3, 9.4])
def test_a_turn_may_lack_what_a_standstill_hides_or_be_as_long_as_that(seconds: float) -> None:
    ended(seconds, seconds)
    ended(9.0, 9.0, runtime_s=12)


@pytest.mark.parametrize(("seconds", "runtime_s"), [(0.0, 3), (0.9, 3), (8.0, 12)])
def test_a_load_that_ended_before_its_time_is_an_error_of_its_class(seconds: float, runtime_s: int) -> None:
    whole = float(runtime_s - 1)
    with pytest.raises(StorageFailure, match=f"fast ended after {seconds:.0f} of {runtime_s} s and .*: m"):
        ended(whole, seconds, runtime_s=runtime_s)
    with pytest.raises(EnvironmentFailure, match="local ended after"):
        ended(seconds, whole, runtime_s=runtime_s)


@pytest.mark.parametrize(
    "fio",
    [{"unreadable": "why"}, {"unreadable": "why", "status": 1}, {"fio_version": ""}],
    ids=lambda fio: "-".join(fio),
)
def test_a_fio_that_the_suite_cannot_read_is_no_fault_of_the_storage(fio: dict[str, Any]) -> None:
    with pytest.raises(EnvironmentFailure, match="fast"):
        ended(2.0, 0.0, **fio)


def test_a_load_that_failed_before_its_first_result_is_an_error_of_its_class() -> None:
    with pytest.raises(StorageFailure, match="fast failed with status 1"):
        ended(2.0, 0.0, status=1, fio_version="")

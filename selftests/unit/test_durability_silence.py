"""A node that was made to fail is told from one that was not: records that come late end, those of a pod do not."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from acceptance.text.errors import AcceptanceError, EnvironmentFailure
from acceptance.trials.crashes import writer as module
from acceptance.trials.crashes.acknowledged_records import MOST_RECORDS
from acceptance.trials.crashes.writer import Writer


class Clock:
    """Stands still but for a wait, which looks once a second; before each look some records may arrive."""

    def __init__(self, arrive: Callable[[float], int]) -> None:
        self.now_s = 100.0
        self.arrive = arrive
        self.writer = Writer.__new__(Writer)
        self.writer._arrivals = [(99.0, 10)]
        self.writer._acknowledged_count = 10
        self.writer._given_up = threading.Event()
        self.writer.node = "node-1"
        self.writer.plan = SimpleNamespace(name="writer")  # type: ignore[assignment]

    def monotonic(self) -> float:
        return self.now_s

    def wait_for(
        self,
        what: str,
        *,
        look: Callable[[], Any],
        ready: Callable[[Any], bool],
        fatal: Callable[[Any], AcceptanceError | None],
        timeout_s: float,
        **_: object,
    ) -> None:
        end_s = self.now_s + timeout_s
        while self.now_s < end_s:
            self.now_s += 1
            if more := self.arrive(self.now_s - 100):
                self.writer._acknowledged_count += more
                self.writer._arrivals.append((self.now_s, self.writer._acknowledged_count))
            seen = look()
            if ready(seen):
                return
            if (error := fatal(seen)) is not None:
                raise error
        raise AssertionError(f"{what}: it came to no end")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Clock:
    made = Clock(request.param)
    monkeypatch.setattr(module, "time", made)
    monkeypatch.setattr(module, "wait_for", made.wait_for)
    return made


@pytest.mark.parametrize(
    ("clock", "after_s"),
    [(lambda at_s: 0, 4), (lambda at_s: 5 if at_s == 1 else 0, 5), (lambda at_s: 5 * (at_s < 12), 15)],
    indirect=["clock"],
    ids=["none", "one was on its way", "a busy API server hands on what it held"],
)
def test_lines_that_were_on_their_way_are_no_proof_that_the_pod_writes(clock: Clock, after_s: float) -> None:
    clock.writer.require_silent(cause="`power off`")
    assert clock.now_s == 100 + after_s


@pytest.mark.parametrize(
    "clock",
    [lambda at_s: 5, lambda at_s: 5 if at_s % 3 == 0 else 0, lambda at_s: MOST_RECORDS if at_s == 3 else 0],
    indirect=True,
    ids=["it goes on", "it goes on with pauses", "it has written all it can"],
)
def test_a_pod_that_writes_on_is_told_with_the_command(clock: Clock) -> None:
    with pytest.raises(EnvironmentFailure, match=r"writer on node node-1 still writes, although .* \(`power off`\)"):
        clock.writer.require_silent(cause="`power off`")
